package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"toolgraph/expressions/value"
)

// The methods of requests.
const (
	callMethod = "tools/call"
	listMethod = "tools/list"
)

// request sends one request when there is a free place and a live session, once more
// on a new session when the server cannot have seen the first. It is built when its turn
// has come, so that what is checked then is not old when it is sent.
func (u *upstream) request(ctx context.Context, method string, build func(*session) (request, *Error)) (json.RawMessage, *session, *Error) {
	select {
	case u.slot <- struct{}{}:
	case <-ctx.Done():
		return nil, nil, u.gaveUp(ctx, fmt.Sprintf("waiting for one of %d calls in flight to end", u.set.maxInFlight))
	}
	leave := sync.OnceFunc(func() { <-u.slot })
	defer leave()
	for again := true; ; again = false {
		s, fail := u.session(ctx)
		if fail != nil {
			return nil, nil, fail
		}
		raw, fail, err := u.inTurn(ctx, s, method, build, leave)
		if fail != nil {
			return nil, s, fail
		}
		if errors.Is(err, errUnsent) && again {
			u.drop(s)
			continue
		}
		if err == nil {
			err = ctx.Err() // what comes once the call has ended is no answer to it
		}
		if err != nil {
			return nil, s, u.explain(ctx, s, err)
		}
		return raw, s, nil
	}
}

// inTurn builds and sends a request when the calls before it have ended, where they go
// one at a time. fail is why it could not be built. leave gives up its place among the
// requests in flight.
func (u *upstream) inTurn(ctx context.Context, s *session, method string, build func(*session) (request, *Error), leave func()) (raw json.RawMessage, fail *Error, err error) {
	var mine *turn
	if s.serial && method == callMethod {
		if mine, err = s.turns.wait(ctx); err != nil {
			return nil, nil, err
		}
		defer s.turns.end(mine)
	}
	r, fail := build(s)
	if fail != nil {
		return nil, fail, nil
	}
	r.method, r.turn, r.leave = method, mine, leave
	raw, err = u.send(ctx, s, r)
	return raw, nil, err
}

// unencoded is the error of a request that cannot be written as JSON.
func (u *upstream) unencoded(err error) *Error {
	e := u.fault(CodeTransport, "the request cannot be encoded: "+err.Error())
	e.Err = err
	return e
}

// send sends under the call timeout.
func (u *upstream) send(ctx context.Context, s *session, r request) (json.RawMessage, error) {
	timed, stop := startWatch(ctx, u.set.callTimeout, u.opts.clock)
	defer stop()
	timed.leave = r.leave
	if r.turn != nil {
		s.turns.begin(r.turn, timed)
	}
	ctx = timed.ctx
	mark := s.mark()
	raw, err := s.request(ctx, r)
	if err == nil {
		return raw, nil
	}
	if ctx.Err() != nil && context.Cause(ctx) == errCallTimeout { //nolint:errorlint // the cause itself
		e := u.fault(CodeTimeout, fmt.Sprintf("did not answer within %s", u.set.callTimeout))
		e.Err, e.Stderr = errCallTimeout, s.lastWords(mark)
		if r.turn != nil && s.turns.busy() {
			e.Hint = "another call waits for an answer of its user, and the server may answer no other until then"
		}
		return nil, e
	}
	var rpc *rpcError
	if errors.As(err, &rpc) {
		e := u.fault(CodeRPCError, fmt.Sprintf("%s (JSON-RPC error %d)", rpc.message, rpc.code))
		e.Err, e.Stderr = rpc, s.lastWords(mark)
		return nil, e
	}
	return nil, err
}

// explain makes an *Error of what went wrong.
func (u *upstream) explain(ctx context.Context, s *session, err error) *Error {
	var known *Error
	switch {
	case errors.As(err, &known):
		if known.Code == CodeLoginNeeded {
			return u.loginNeeded(known.Message)
		}
		e := *known
		e.Server = u.conf.Name.Value
		return &e
	case ctx.Err() != nil:
		return u.gaveUp(ctx, "the call was in flight")
	}
	e := u.fault(CodeTransport, "the connection failed: "+s.note.shown(err.Error(), 500))
	e.Err = err
	return e
}

func (u *upstream) callTool(ctx context.Context, tool string, args value.Value, meta map[string]any) (value.Value, *Error) {
	meta, end := u.reports.begin(ctx, meta)
	defer end()
	var more []byte
	for round := 1; ; round++ {
		r, s, fail := u.tryTool(ctx, tool, args, meta, more)
		switch {
		case fail != nil:
			if unknown := u.unknownTool(ctx, tool, fail); unknown != nil {
				return nil, unknown
			}
			return nil, fail
		case !r.inputRequired:
			return r.value, nil
		case round == inputRounds:
			return nil, u.fault(CodeInputRequired, fmt.Sprintf("the tool has asked for input %d times and not answered yet", round))
		}
		if more, fail = u.answers(ctx, s, r.input); fail != nil {
			return nil, fail
		}
	}
}

// tryTool is one request of a call: there is a further one when the tool wants input.
func (u *upstream) tryTool(ctx context.Context, tool string, args value.Value, meta map[string]any, more []byte) (result, *session, *Error) {
	mark := 0
	raw, s, fail := u.request(ctx, callMethod, func(s *session) (request, *Error) {
		known, fail := u.vet(ctx, s, tool, args)
		if fail != nil {
			return request{}, fail
		}
		mark = s.mark()
		params, err := s.callParams(tool, args, meta, more)
		if err != nil {
			return request{}, u.unencoded(err)
		}
		return request{name: tool, params: params, offer: known}, nil
	})
	if fail != nil {
		return result{}, s, fail
	}
	r, err := readResult(raw)
	switch {
	case err != nil:
		fail = u.fault(CodeBadResult, "the answer is no tool result: "+err.Error())
	case r.failed:
		message, structured := s.note.failed(r)
		fail = u.fault(CodeToolError, message)
		fail.Structured = structured
		fail.Stderr = s.lastWords(mark)
	}
	return r, s, fail
}

// toolMissing is how servers say, in an error or in a failed result, that they have
// no such tool.
var toolMissing = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(unknown|unrecogni[sz]ed|invalid|no such|not found|does not exist|not exist)\b`)
})

// unknownTool is the error that tells which tool may have been meant, when a call
// failed because the server does not have it; only the server's list can tell.
func (u *upstream) unknownTool(ctx context.Context, tool string, fail *Error) *Error {
	var rpc *rpcError
	suspect := fail.Code == CodeToolError && len(fail.Message) < 300 && toolMissing().MatchString(fail.Message)
	if errors.As(fail, &rpc) {
		suspect = rpc.code == -32601 || rpc.code == -32602 || toolMissing().MatchString(rpc.message)
	}
	if !suspect {
		return nil
	}
	ctx, stop := context.WithTimeout(ctx, 5*time.Second)
	defer stop()
	tools, err := u.listTools(ctx)
	if err != nil {
		return nil // what we have says enough
	}
	names := make([]string, len(tools))
	for i, t := range tools {
		if t.Name == tool {
			return nil
		}
		names[i] = t.Name
	}
	e := u.noSuchTool(tool, names)
	e.Err = fail
	return e
}

const (
	progressMethod = string(mcp.MethodNotificationProgress)

	progressMost = 16 << 10 // bytes of one report
	progressText = 200      // bytes of its message that are passed on
)

// Progress takes what a server reports of a call in flight; total is 0 when the server
// does not know it. The numbers are the server's own and follow no rule; the message is
// redacted and short. It must return at once, and is not called after the call has ended.
type Progress func(done, total float64, message string)

type progressKey struct{}

// WithProgress asks servers to report the progress of calls made with the context.
func WithProgress(ctx context.Context, report Progress) context.Context {
	return context.WithValue(ctx, progressKey{}, report)
}

// reports are the calls in flight whose progress is wanted, by token. Safe for concurrent
// use.
type reports struct {
	mu   sync.Mutex // guards what follows; held while a report is passed on
	last int64
	by   map[int64]Progress
}

// begin asks for the progress of a call: its _meta with a token of its own. The caller
// must end it.
func (r *reports) begin(ctx context.Context, meta map[string]any) (withToken map[string]any, end func()) {
	report, _ := ctx.Value(progressKey{}).(Progress)
	if report == nil {
		return meta, func() {}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.by == nil {
		r.by = map[int64]Progress{}
	}
	r.last++
	token := r.last
	r.by[token] = report
	withToken = maps.Clone(meta)
	if withToken == nil {
		withToken = map[string]any{}
	}
	withToken["progressToken"] = token
	return withToken, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.by, token)
	}
}

// reported passes on a report of the server, if it belongs to a call in flight.
func (s *session) reported(params []byte) {
	var p struct {
		ProgressToken   int64
		Progress, Total float64
		Message         string
	}
	if len(params) > progressMost || json.Unmarshal(params, &p) != nil {
		return
	}
	s.reports.mu.Lock()
	defer s.reports.mu.Unlock()
	if report := s.reports.by[p.ProgressToken]; report != nil {
		report(p.Progress, p.Total, s.note.shown(p.Message, progressText))
	}
}
