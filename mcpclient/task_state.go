package mcpclient

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"toolgraph/expressions/value"
)

// The states of a task.
const (
	taskWorking   = "working"
	taskAsks      = "input_required"
	taskCompleted = "completed"
	taskFailed    = "failed"
	taskCancelled = "cancelled"
)

// taskIDMost is the length of the longest id of a task, in bytes.
const taskIDMost = 1024

// task is what a server says of a task.
type task struct {
	id, status string
	message    string        // not redacted
	wait       time.Duration // until it is to be asked for again
	isBare     bool          // the answer to the call, which has neither result nor questions

	result, fail, requests []byte
}

// badTask is the failure of a call whose server says of its task what cannot be.
func (n notes) badTask(err error) *Error {
	return &Error{Code: CodeBadResult, Message: "invalid task: " + n.redact(err.Error())}
}

// isUnknown reports whether a server has refused a request because it does not know its task.
func isUnknown(fail *Error) bool {
	var rpc *rpcError
	return errors.As(fail, &rpc) && (rpc.code == mcp.INVALID_PARAMS || rpc.code == mcp.METHOD_NOT_FOUND)
}

// isFinal reports whether a request about a task would fail again.
func isFinal(fail *Error) bool {
	switch fail.Code {
	case CodeClosed, CodeBadResult, CodeTooLarge, CodeLoginNeeded, CodeNotAllowed, CodePrivateAddress:
		return true
	}
	return false
}

// lostTask is the failure of a call whose task could not be taken up.
func lostTask(why *Error) *Error {
	return &Error{Code: CodeTaskUnknown, Message: why.Message, Hint: why.Hint, Stderr: why.Stderr, Err: why}
}

// unsure returns a failure of a call that was sent: it must not look like one that was not.
func unsure(fail *Error) *Error {
	if fail.Code != CodeServerStart {
		return fail
	}
	own := *fail
	own.Code = CodeTransport
	return &own
}

// readTask reads the state of a task, which also is the answer to a call.
func readTask(raw []byte) (*task, error) {
	t := task{isBare: true}
	var id, status, message, wait, older []byte
	err := pick(raw, field{name: "taskId", into: &id}, field{name: "status", into: &status}, field{name: "statusMessage", into: &message}, field{name: "pollIntervalMs", into: &wait},
		field{name: "pollInterval", into: &older}, field{name: "result", into: &t.result}, field{name: "error", into: &t.fail}, field{name: "inputRequests", into: &t.requests})
	if err != nil {
		return nil, err
	}
	switch t.id, err = textIn(id); {
	case err != nil || t.id == "":
		return nil, fmt.Errorf("its taskId is %s, expected a text", presentable(headOf(orNull(id)), 100))
	case len(t.id) > taskIDMost:
		return nil, fmt.Errorf("its taskId has %d bytes, expected at most %d", len(t.id), taskIDMost)
	}
	if t.status, err = textIn(status); err != nil {
		return nil, fmt.Errorf("its status is %s, expected a text", presentable(headOf(orNull(status)), 100))
	}
	t.message, _ = textIn(message) // it is for people
	if wait == nil {
		wait = older
	}
	t.wait = pollInterval(wait)
	return &t, nil
}

func orNull(raw []byte) []byte {
	if raw == nil {
		return []byte("null")
	}
	return raw
}

// textIn returns a JSON string.
func textIn(raw []byte) (string, error) {
	v, err := value.Decode(orNull(raw))
	text, ok := v.(string)
	if err == nil && !ok {
		err = errors.New("not a string")
	}
	return text, err
}

// pollInterval returns how long to wait before a task is asked for again, by what its server says in milliseconds.
func pollInterval(raw []byte) time.Duration {
	ms, err := strconv.ParseFloat(string(raw), 64)
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange) || ms != ms: // NaN
		return pollUsual
	case ms >= float64(pollMost.Milliseconds()):
		return pollMost
	case ms <= float64(pollLeast.Milliseconds()):
		return pollLeast
	}
	return time.Duration(ms * float64(time.Millisecond))
}

// wakes are the tasks that are awaited, by id. The zero value is ready for use. Safe for concurrent use.
type wakes struct {
	mu sync.Mutex
	by map[string]map[chan struct{}]bool
}

// add returns a channel that gets a value when the server says that a task has changed.
func (w *wakes) add(id string) (wake <-chan struct{}, forget func()) {
	own := make(chan struct{}, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.by == nil {
		w.by = map[string]map[chan struct{}]bool{}
	}
	if w.by[id] == nil {
		w.by[id] = map[chan struct{}]bool{}
	}
	w.by[id][own] = true
	return own, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if delete(w.by[id], own); len(w.by[id]) == 0 {
			delete(w.by, id)
		}
	}
}

// received takes a notification of a task. What it says of the task is not used: the task is asked for.
func (w *wakes) received(params []byte) {
	var id []byte
	if pick(bytes.TrimSpace(params), field{name: "taskId", into: &id}) != nil {
		return
	}
	name, _ := textIn(id) // no call waits for ""
	w.mu.Lock()
	defer w.mu.Unlock()
	for wake := range w.by[name] {
		select {
		case wake <- struct{}{}:
		default:
		}
	}
}

// listen asks the server to notify changes of the task, as long as it is awaited.
func (a *awaiting) listen() {
	s := a.s
	if !s.able.tasks {
		return
	}
	ids, err := json.Marshal([]string{a.id})
	if err != nil {
		return
	}
	params, err := s.endParams(append([]byte(`{"notifications":{"taskIds":`), string(ids)+"}"...), nil)
	if err != nil {
		return
	}
	ctx := a.ctx
	a.u.background(func() {
		_, _ = s.request(ctx, request{method: string(mcp.MethodSubscriptionsListen), params: params}) // without it the task is asked for
	})
}

// live returns the connection that there is, or nil.
func (u *upstream) live() *session {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.current != nil && u.current.alive() {
		return u.current
	}
	return nil
}
