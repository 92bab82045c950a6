package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"toolgraph/expressions/value"
)

// The methods of requests and notifications.
const (
	callMethod     = "tools/call"
	listMethod     = "tools/list"
	progressMethod = string(mcp.MethodNotificationProgress)
)

// request sends one request when there is a free slot and a live session, and once more
// on a new session when the server cannot have seen the first. It is built when its turn
// has come, so that what build checks is not out of date when it is sent.
func (u *upstream) request(ctx context.Context, method string, build func(*session) (request, *Error)) (json.RawMessage, *session, *Error) {
	if fail := u.enter(ctx); fail != nil {
		return nil, nil, fail
	}
	leave := sync.OnceFunc(func() { <-u.slot })
	defer leave()
	for again := true; ; again = false {
		s, fail := u.session(ctx)
		if fail != nil {
			return nil, nil, fail
		}
		raw, err := u.inTurn(ctx, s, method, build, leave)
		if errors.Is(err, errUnsent) && again {
			u.drop(s)
			continue
		}
		if err == nil && (ctx.Err() == nil || method != callMethod || !isTask(raw)) { // a task is recorded, or cancelled
			err = ctx.Err() // a response that comes after the end of the call is too late
		}
		if err != nil {
			return nil, s, u.explain(ctx, s, err)
		}
		return raw, s, nil
	}
}

// enter takes a token of a call in flight, as soon as there is one.
func (u *upstream) enter(ctx context.Context) *Error {
	select {
	case u.slot <- struct{}{}:
		return nil
	default:
	}
	u.waiting.Add(1)
	defer u.waiting.Add(-1)
	select {
	case u.slot <- struct{}{}:
		return nil
	case <-ctx.Done():
		return cancelled(ctx, fmt.Sprintf("waiting for one of %d calls in flight to end", u.conf.MaxInFlight))
	}
}

// byRate waits until rate gives the call its turn.
func (u *upstream) byRate(ctx context.Context) *Error {
	if u.rate == nil {
		return nil
	}
	u.waiting.Add(1)
	defer u.waiting.Add(-1)
	return u.rate.wait(ctx)
}

// inTurn builds and sends a request; where calls go one at a time, when those before it
// have ended. leave gives up its slot. The error is an *Error when build fails.
func (u *upstream) inTurn(ctx context.Context, s *session, method string, build func(*session) (request, *Error), leave func()) (raw json.RawMessage, err error) {
	var own *turn
	if s.serial && (method == callMethod || method == taskResultMethod) {
		if own, err = s.turns.wait(ctx); err != nil {
			return nil, err
		}
		defer s.turns.end(own)
	}
	r, fail := build(s)
	if fail != nil {
		return nil, fail
	}
	r.method, r.turn, r.leave = method, own, leave
	return u.send(ctx, s, r)
}

// unencoded returns the error of a request that cannot be written as JSON.
func unencoded(err error) *Error {
	return &Error{Code: CodeTransport, Message: "the request cannot be encoded: " + err.Error(), Err: err}
}

// send sends under the call timeout.
func (u *upstream) send(ctx context.Context, s *session, r request) (json.RawMessage, error) {
	timeout := u.conf.Timeout
	if r.timeout > 0 {
		timeout = r.timeout
	}
	timed, stop := startWatch(ctx, timeout, u.opts.clock)
	defer stop()
	timed.leave = r.leave
	if r.turn != nil {
		s.turns.begin(r.turn, timed)
	}
	mark := s.stderr.mark()
	if r.method == callMethod && s.called.CompareAndSwap(false, true) {
		mark = 0 // what the server wrote when it started belongs to the first call
	}
	raw, err := s.request(timed.ctx, r)
	if err == nil || errors.Is(err, errCallTimeout) {
		return raw, err
	}
	if timed.ctx.Err() != nil && context.Cause(timed.ctx) == errCallTimeout { //nolint:errorlint // the cause itself
		message := fmt.Sprintf("did not answer within %s", timeout)
		e := &Error{Code: CodeTimeout, Message: message, Err: errCallTimeout, Stderr: s.stderr.tail(mark, s.note)}
		if r.turn != nil && s.turns.busy() {
			e.Hint = "another call waits for an answer of its user, and the server may answer no other call until then"
		}
		return nil, e
	}
	if rpc := (*rpcError)(nil); errors.As(err, &rpc) {
		message := fmt.Sprintf("%s (JSON-RPC error %d)", rpc.message, rpc.code)
		return nil, &Error{Code: CodeRPCError, Message: message, Err: rpc, Stderr: s.stderr.tail(mark, s.note)}
	}
	if ended := (*Error)(nil); s.stderr != nil && errors.As(err, &ended) && ended.Stderr != nil && !errors.Is(err, errUnsent) {
		own := *ended // of the connection, which has served other calls
		own.Stderr = s.stderr.tail(mark, s.note)
		if r.method != callMethod { // the error of a call names its tool
			own.Message += " during " + r.method
		}
		return nil, &own
	}
	return nil, err
}

// explain returns the *Error for a failed request.
func (u *upstream) explain(ctx context.Context, s *session, err error) *Error {
	var known *Error
	switch {
	case errors.As(err, &known) && known.Code == CodeLoginNeeded:
		return u.loginNeeded(known.Message)
	case errors.As(err, &known):
		return known
	case ctx.Err() != nil:
		return cancelled(ctx, "the call was in flight")
	}
	return &Error{Code: CodeTransport, Message: "the connection failed: " + s.note.shown(err.Error(), 500), Err: err}
}

// callTool makes a call, or takes up its task.
func (u *upstream) callTool(ctx context.Context, c toolCall) (result, *Error) {
	if c.timeout <= 0 {
		c.timeout = u.conf.timeoutOf(c.tool)
	}
	var end func()
	c.meta, end = u.reports.begin(ctx, c.meta)
	defer end()
	if c.task != "" {
		return u.takeUp(ctx, c)
	}
	var more []byte
	for round := 1; ; round++ {
		r, s, fail := u.tryTool(ctx, &c, more)
		switch {
		case fail != nil:
			if unknown := u.unknownTool(ctx, c.tool, fail); unknown != nil {
				return result{}, unknown
			}
			return result{}, u.taskNeeded(c.tool, fail)
		case r.task != nil:
			return u.await(ctx, c, s, r.task)
		case !r.inputRequired:
			return r, nil
		case round == inputRounds:
			return result{}, &Error{Code: CodeInputRequired, Message: fmt.Sprintf("the tool has asked for input %d times without a result, which is the limit", round)}
		}
		if more, fail = u.answers(ctx, s, r.input); fail != nil {
			return result{}, fail
		}
	}
}

type wholeKey struct{}

// WithWhole returns a context whose calls pass the whole result of tools/call to keep, as JSON, also that of a call
// which has failed. keep must not change it. Secrets are not redacted in it.
func WithWhole(ctx context.Context, keep func(result []byte)) context.Context {
	return context.WithValue(ctx, wholeKey{}, keep)
}

// toolCall is a call of a tool.
type toolCall struct {
	tool    string
	args    value.Value
	meta    map[string]any
	timeout time.Duration
	task    string    // that is taken up; empty: the call is made
	sent    time.Time // when tryTool has sent it
	mark    int       // where the standard error of the server was then
}

// tryTool sends one request of a call: there is another one when the tool asks for input.
func (u *upstream) tryTool(ctx context.Context, c *toolCall, more []byte) (result, *session, *Error) {
	admitted := false
	raw, s, fail := u.request(ctx, callMethod, func(s *session) (request, *Error) {
		if !admitted {
			if fail := u.byRate(ctx); fail != nil {
				return request{}, fail
			}
			if admitted = true; !s.alive() { // the wait may have been long
				return request{}, &Error{Code: CodeTransport, Message: "the connection ended before the call was sent", Err: errUnsent}
			}
		}
		known, fail := u.vet(ctx, s, c.tool, c.args)
		if fail != nil {
			u.rate.giveBack()
			return request{}, fail
		}
		if s.meta == nil && s.able.taskCalls && known != nil && known.TaskRequired() {
			more = []byte(`"task":{}`) // there is no other more in the older era
		}
		c.mark, c.sent = s.stderr.mark(), u.opts.clock.now()
		params, err := s.callParams(ctx, c.tool, c.args, c.meta, more)
		if err != nil {
			return request{}, unencoded(err)
		}
		return request{name: c.tool, params: params, offer: known, timeout: c.timeout}, nil
	})
	if fail != nil {
		return result{}, s, fail
	}
	r, fail := u.resultOf(ctx, s, c, raw)
	return r, s, fail
}

// resultOf reads what a server has answered to a call.
func (u *upstream) resultOf(ctx context.Context, s *session, c *toolCall, raw []byte) (result, *Error) {
	r, err := readResult(raw, u.conf.TextResults)
	if keep, wanted := ctx.Value(wholeKey{}).(func([]byte)); wanted && err == nil && !r.inputRequired && r.task == nil {
		keep(raw)
	}
	switch {
	case err != nil:
		return r, &Error{Code: CodeBadResult, Message: "invalid tools/call result: " + err.Error()}
	case r.failed:
		message, structured := s.note.failed(r)
		return r, &Error{Code: CodeToolError, Message: message, Structured: structured, Result: r.value, Stderr: s.stderr.tail(c.mark, s.note)}
	}
	return r, nil
}

// toolMissing matches what servers write, in an error or in a failed result, when they
// do not have a tool.
var toolMissing = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(unknown|unrecogni[sz]ed|invalid|no such|not found|does not exist|not exist)\b`)
})

// unknownTool returns the error that names the tool that may have been meant, when a call
// failed because the server does not have the tool, and nil otherwise. Only the server's
// list can decide that.
func (u *upstream) unknownTool(ctx context.Context, tool string, fail *Error) *Error {
	var rpc *rpcError
	suspect := fail.Code == CodeToolError && len(fail.Message) < 300 && toolMissing().MatchString(fail.Message)
	if errors.As(fail, &rpc) {
		suspect = rpc.code == mcp.METHOD_NOT_FOUND || rpc.code == mcp.INVALID_PARAMS || toolMissing().MatchString(rpc.message)
	}
	if !suspect {
		return nil
	}
	ctx, stop := context.WithTimeout(ctx, 5*time.Second)
	defer stop()
	if _, err := u.listTools(ctx); err != nil {
		return nil // the failure itself says enough
	}
	l := u.known.Load() // that listTools has just learned
	if l.byName[tool] != nil {
		return nil
	}
	e := noSuchTool(tool, l.names)
	e.Err = fail
	return e
}

// taskNeeded adds the reason to the error by which a server refuses a call of a tool that can only be
// called as a task.
func (u *upstream) taskNeeded(tool string, fail *Error) *Error {
	if fail.Code != CodeRPCError && fail.Code != CodeToolError && fail.Code != CodeBadResult {
		return fail
	}
	if l := u.known.Load(); l == nil || l.byName[tool] == nil || !l.byName[tool].TaskRequired() {
		return fail
	}
	if s := u.live(); s == nil || s.meta != nil || s.able.taskCalls {
		return fail // it was called as one
	}
	fail.Hint = "the tool can only be called as a task (execution.taskSupport: required), which this server does not offer (tasks.requests.tools.call): call another tool"
	return fail
}
