package mcpclient

import (
	"context"

	"toolgraph/execution/call"
	"toolgraph/expressions/value"
)

// A server may answer a call with a task although the call has ended here, because it was cancelled or its time was over.
// The server goes on with that task for no caller, so it is asked to cancel it.

// mostForgone bounds how many calls without an answer a connection remembers. A server that never answers cancelled calls
// fills it, and the tasks of later ones are then left to the server.
const mostForgone = 1000

// isTask reports whether the answer to a call is a task, of either form. It reads the whole answer, so it is asked only about
// calls that have ended.
func isTask(raw []byte) bool {
	r, err := readResult(raw, false)
	return err == nil && r.task != nil
}

// forgo notes that a call has ended without an answer. The task of a call whose run goes on elsewhere stays.
func (c *conn) forgo(ctx context.Context, method string, id int64) {
	if method != callMethod || call.TaskStays(ctx) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.forgone) < mostForgone {
		c.forgone[id] = true
	}
}

// late takes a response for which no request waits, and reports whether it was the task of a call that has ended. It is called
// by the goroutine that reads, so the cancellation is sent in the background.
func (c *conn) late(id int64, result []byte) bool {
	c.mu.Lock()
	forgone := c.forgone[id]
	delete(c.forgone, id)
	c.mu.Unlock()
	if !forgone || !isTask(result) {
		return false
	}
	r, _ := readResult(result, false)
	t, err := readTask(r.task)
	if err != nil {
		return false
	}
	c.s.note.lateTask()
	return c.background(func() {
		ctx, stop := context.WithTimeout(c.ctx, courtesy)
		defer stop()
		c.s.cancelTask(ctx, t.id)
	})
}

// cancelTask asks the server to cancel a task, as well as it can. It returns with the answer, or when ctx ends.
func (s *session) cancelTask(ctx context.Context, id string) {
	if params, err := s.endParams(value.AppendString([]byte(`{"taskId":`), id), nil); err == nil {
		_, _ = s.request(ctx, request{method: taskCancelMethod, task: id, params: params})
	}
}
