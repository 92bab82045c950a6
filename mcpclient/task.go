package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"toolgraph/execution/call"
	"toolgraph/expressions/value"
)

// A server may answer a call with a task. In the modern era the extension of this name is for that: the client asks for
// the state of the task, which has the result at its end. In revision 2025-11-25 the client asks for a task where the
// tool needs it, and one request waits for the result.
const tasksExtension = "io.modelcontextprotocol/tasks"

// The methods of tasks.
const (
	taskGetMethod    = "tasks/get"
	taskUpdateMethod = "tasks/update"
	taskCancelMethod = "tasks/cancel"
	taskResultMethod = "tasks/result"
	taskMethod       = "notifications/tasks"
)

const (
	pollUsual    = time.Second            // between two requests, when the server does not say
	pollLeast    = 100 * time.Millisecond // whatever it says
	pollMost     = 30 * time.Second       // likewise
	pollPatience = 30 * time.Second       // for the answer to one request
	pollFailures = 5                      // one after the other, after which the call fails
	leastTakenUp = 2 * time.Second        // for a task that is taken up when the time of its call is over: it may have ended before that
	parkLeast    = 15 * time.Second       // before a parked run asks for its task
	parkMost     = 5 * time.Minute        // likewise
	cancelWait   = 500 * time.Millisecond // for the answer to tasks/cancel, before the call returns
)

// awaiting is a call whose server has answered with a task.
type awaiting struct {
	u    *upstream
	c    *toolCall
	call context.Context // of the call
	ctx  context.Context // ends with the time of the call as well
	time *watch          // of the whole call
	wake <-chan struct{} // gets a value when the server says that the task has changed
	s    *session        // of the last request; nil before the first
	id   string

	began time.Time // of the waiting
	until time.Time // of the call, without the time in which its questions are open

	found    bool // this process knows from the server that there is the task
	over     bool // the task has ended
	said     string
	answered map[string]bool // questions by name
	rounds   int             // of questions
	failed   int             // requests in a row
	last     *Error          // of the last of them
}

// await waits for the task with which a server has answered a call.
func (u *upstream) await(ctx context.Context, c toolCall, s *session, raw []byte) (result, *Error) {
	t, err := readTask(raw)
	if err != nil {
		return result{}, s.note.badTask(err)
	}
	call.TaskBegun(ctx, t.id)
	a := &awaiting{u: u, c: &c, call: ctx, s: s, id: t.id, found: true}
	return a.end(c.timeout-u.opts.clock.now().Sub(c.sent), t)
}

// takeUp waits for a task that an earlier process has begun.
func (u *upstream) takeUp(ctx context.Context, c toolCall) (result, *Error) {
	a := &awaiting{u: u, c: &c, call: ctx, id: c.task}
	return a.end(max(leastTakenUp, call.TaskLeft(ctx, c.timeout)), nil)
}

// end returns the result of the task, for which this much time is left. t is its state, nil before it is known.
func (a *awaiting) end(left time.Duration, t *task) (r result, fail *Error) {
	var stop func()
	a.time, stop = startWatch(a.call, left, a.u.opts.clock)
	defer stop()
	a.time.limit, a.ctx, a.answered = a.c.timeout, a.time.ctx, map[string]bool{}
	a.began = a.u.opts.clock.now()
	a.until = a.began.Add(left)
	defer func() {
		if fail != nil && !a.over && a.found && !call.TaskStays(a.call) {
			a.cancel()
		}
	}()
	wake, forget := a.u.wakes.add(a.id)
	defer forget()
	a.wake = wake
	for a.s == nil || !a.s.alive() {
		if a.s, fail = a.u.session(a.ctx); fail != nil {
			if fail = a.again(fail, pollUsual); fail != nil {
				return result{}, fail
			}
		}
	}
	if a.s.meta == nil {
		return a.older(t)
	}
	return a.modern(t)
}

// modern asks for the state of the task until that has ended.
func (a *awaiting) modern(t *task) (result, *Error) {
	if t != nil {
		a.listen()
	}
	wait := pollUsual
	for {
		if t != nil {
			r, done, fail := a.take(t)
			if done || fail != nil {
				return r, fail
			}
			if wait = t.wait; !t.isBare || t.status == taskWorking {
				if fail := a.pause(wait); fail != nil {
					return result{}, fail
				}
			}
		}
		var fail *Error
		if t, fail = a.get(); fail != nil {
			if fail = a.again(fail, wait); fail != nil {
				return result{}, fail
			}
		}
	}
}

// take does what the state of the task asks for. done: it has ended, and r is its result.
func (a *awaiting) take(t *task) (r result, done bool, fail *Error) {
	a.report(t)
	if t.isBare && t.status != taskWorking {
		return r, false, nil // the answer to tasks/get says more
	}
	switch t.status {
	case taskWorking:
		return r, false, nil
	case taskAsks:
		return r, false, a.ask(t)
	case taskCompleted:
		a.over = true
		r, fail = a.result(t.result)
		return r, true, fail
	case taskFailed:
		a.over = true
		return r, true, a.failure(t)
	case taskCancelled:
		a.over = true
		return r, true, &Error{Code: CodeToolError, Message: a.words("the server has cancelled the task of the call", t.message)}
	}
	return r, false, a.s.note.badTask(fmt.Errorf("its status is %s, expected working, input_required, completed, failed or cancelled", presentable(t.status, 100)))
}

// result returns the result of the call, which the task has at its end.
func (a *awaiting) result(raw []byte) (result, *Error) {
	if raw == nil {
		return result{}, a.s.note.badTask(errors.New("it is completed without a result"))
	}
	r, fail := a.u.resultOf(a.call, a.s, a.c, raw)
	if fail == nil && (r.inputRequired || r.task != nil) {
		return result{}, a.s.note.badTask(errors.New("its result is not that of a call"))
	}
	return r, fail
}

// failure returns the failure of a task that has failed: that of its request.
func (a *awaiting) failure(t *task) *Error {
	var rpc mcp.JSONRPCErrorDetails
	if len(t.fail) == 0 || json.Unmarshal(t.fail, &rpc) != nil {
		return &Error{Code: CodeRPCError, Message: a.words("the task of the call has failed", t.message)}
	}
	own := &rpcError{code: rpc.Code, message: a.s.note.shown(rpc.Message, stderrLine)}
	return &Error{Code: CodeRPCError, Message: fmt.Sprintf("%s (JSON-RPC error %d)", own.message, own.code), Err: own, Stderr: a.s.stderr.tail(a.c.mark, a.s.note)}
}

// words returns a text with the words of the server, if it has said some.
func (a *awaiting) words(text, said string) string {
	if said == "" {
		return text
	}
	return text + ": " + a.s.note.shown(said, stderrLine)
}

// report passes on what the server says of the state of the task, as progress of the call.
func (a *awaiting) report(t *task) {
	report, wanted := a.call.Value(progressKey{}).(Progress)
	if !wanted || t.message == "" || t.message == a.said {
		return
	}
	a.said = t.message
	a.u.reports.mu.Lock()
	defer a.u.reports.mu.Unlock()
	report(0, 0, a.s.note.shown(t.message, progressText))
}

// pause waits until the task is to be asked for again.
func (a *awaiting) pause(wait time.Duration) *Error {
	defer a.waits()()
	select {
	case <-a.wake:
	case <-a.u.opts.clock.after(wait):
	case <-a.ctx.Done():
		return a.ended()
	}
	return nil
}

// waits says that the call waits for its task, until back is called. Who parks its run asks again later the longer the call takes:
// after a tenth of that.
func (a *awaiting) waits() (back func()) {
	now := a.u.opts.clock.now()
	took := now.Sub(a.until.Add(-a.c.timeout))
	return call.TaskWaits(a.call, now.Add(min(max(took/10, parkLeast), parkMost)), a.until)
}

// ended returns the failure of a call whose time is over, or whose caller does not wait any more.
func (a *awaiting) ended() *Error {
	if a.call.Err() == nil && context.Cause(a.ctx) == errCallTimeout { //nolint:errorlint // the cause itself
		return a.late()
	}
	return cancelled(a.call, "the task of the call was in progress")
}

// late returns the failure of a call whose time is over.
func (a *awaiting) late() *Error {
	if !a.found {
		return lostTask(&Error{Message: fmt.Sprintf("did not answer within %s", a.c.timeout)})
	}
	return &Error{Code: CodeTimeout, Message: fmt.Sprintf("its task did not end within %s", a.c.timeout), Err: errCallTimeout}
}

// params returns the params of a request about the task; more are members behind its id.
func (a *awaiting) params(s *session, more string) ([]byte, error) {
	return s.endParams(append(value.AppendString([]byte(`{"taskId":`), a.id), more...), nil)
}

// send sends a request about the task.
func (a *awaiting) send(ctx context.Context, method, more string, timeout time.Duration) (json.RawMessage, *Error) {
	raw, s, fail := a.u.request(ctx, method, func(s *session) (request, *Error) {
		params, err := a.params(s, more)
		if err != nil {
			return request{}, unencoded(err)
		}
		return request{task: a.id, params: params, timeout: timeout}, nil
	})
	if s != nil {
		if s != a.s {
			a.c.mark = 0 // of another process
		}
		a.s = s
	}
	return raw, fail
}

// get asks for the state of the task.
func (a *awaiting) get() (*task, *Error) {
	raw, fail := a.send(a.ctx, taskGetMethod, "", pollPatience)
	if fail != nil {
		return nil, fail
	}
	t, err := readTask(raw)
	if err == nil && t.id != a.id {
		err = errors.New("the answer is about another task")
	}
	if err != nil {
		return nil, a.s.note.badTask(err)
	}
	if !a.found {
		a.found = true
		a.listen()
	}
	t.isBare, a.failed, a.last = false, 0, nil
	return t, nil
}

// again waits before a failed request about the task is repeated. The failure is that of the call when it is not.
func (a *awaiting) again(fail *Error, wait time.Duration) *Error {
	switch {
	case a.ctx.Err() != nil:
		return a.ended()
	case isUnknown(fail) && a.last != nil && a.found: // it was lost with what has failed before
		own := *a.last
		own.Message += "; now the server does not know the task of the call any more"
		return unsure(&own)
	case !isUnknown(fail) && !isFinal(fail) && a.failed < pollFailures:
		a.failed, a.last = a.failed+1, fail
		return a.pause(min(wait<<(a.failed-1), pollMost))
	case !a.found:
		return lostTask(fail)
	}
	return unsure(fail)
}

// older waits for the result with one request, as revision 2025-11-25 does. The questions of the task come during it.
func (a *awaiting) older(t *task) (result, *Error) {
	a.time.pause() // the request has the time
	begun := a.c.sent
	if begun.IsZero() {
		begun = a.u.opts.clock.now()
	}
	waits := func() (back func()) { return func() {} }
	if t == nil { // it is taken up
		t, _ = a.get() // the request below says what is wrong
	}
	if t != nil && t.status == taskWorking { // else the result is there, or the user is asked
		waits = a.waits
	}
	for {
		left := min(a.c.timeout-a.u.opts.clock.now().Sub(begun), a.until.Sub(a.u.opts.clock.now()))
		back := waits()
		raw, fail := a.send(a.ctx, taskResultMethod, "", max(1, left))
		back()
		var rpc *rpcError
		switch {
		case fail == nil:
			a.over = true
			return a.result(raw)
		case errors.As(fail, &rpc) && (!isUnknown(fail) || a.found && a.last == nil): // it is the end of the call
			a.over = true
			return result{}, fail
		case fail.Code == CodeTimeout: // the server knows the task, for it has kept the request
			a.found = true
			return result{}, a.late()
		}
		if fail = a.again(fail, pollUsual); fail != nil {
			return result{}, fail
		}
	}
}

// ask asks the user the questions of the task that are new, and sends the answers.
func (a *awaiting) ask(t *task) *Error {
	isNew := false
	err := members(t.requests, func(id, _ []byte) {
		isNew = isNew || !a.answered[memberName(id)]
	})
	switch {
	case err != nil:
		return a.s.note.badTask(errors.New("it asks for input without inputRequests"))
	case !isNew: // the server has not taken the answers yet
		return nil
	}
	if a.rounds++; a.rounds > inputRounds {
		return &Error{Code: CodeInputRequired, Message: fmt.Sprintf("the task of the call has asked for input %d times without a result, which is the limit", inputRounds)}
	}
	a.time.pause()
	answers, fail := a.u.responses(a.ctx, a.s, t.requests, a.answered)
	a.time.resume()
	if fail != nil {
		return fail
	}
	raw, failed := json.Marshal(answers)
	if failed != nil {
		return unencoded(failed)
	}
	for {
		if _, fail = a.send(a.ctx, taskUpdateMethod, `,"inputResponses":`+string(raw), pollPatience); fail == nil {
			break
		}
		if fail = a.again(fail, t.wait); fail != nil {
			return fail
		}
	}
	for name := range answers {
		a.answered[name] = true
	}
	return nil
}

// cancel asks the server to cancel the task, on the connection that there is. It waits for the answer a moment, so
// that a process that ends now has sent the request.
func (a *awaiting) cancel() {
	s := a.s
	if s == nil || !s.alive() {
		return
	}
	sent := make(chan struct{})
	if !a.u.background(func() {
		defer close(sent)
		ctx, stop := context.WithTimeout(a.u.ctx, courtesy)
		defer stop()
		s.cancelTask(ctx, a.id)
	}) {
		return
	}
	select {
	case <-sent:
	case <-a.u.opts.clock.after(cancelWait):
	}
}
