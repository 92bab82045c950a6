package mcpclient

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"
)

// Over HTTP the requests about a task have its id in a header.
func TestTaskIsInHeaders(t *testing.T) {
	w := newWeb(t, func(w *web) {
		w.modern, w.tools = true, webTools("echo")
		w.says = map[string]string{
			"tools/call":   `{"resultType":"task","taskId":"t 1","status":"working","pollIntervalMs":1}`,
			"tasks/get":    `{"resultType":"complete","taskId":"t 1","status":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":{"message":"m"}}}}`,
			"tasks/update": `{"resultType":"complete"}`, "tasks/cancel": `{"resultType":"complete"}`,
		}
	})
	u := w.upstream("/mcp")
	u.AllowElicit = true
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	waits := 0
	p := pool(t, u, withAdjust(allowPrivate), WithElicitor(host), withClock(func(c *clock) {
		after := c.after
		c.after = func(d time.Duration) <-chan time.Time {
			if d != pollLeast && d != pollUsual {
				return after(d)
			}
			if waits++; waits == 3 {
				stop()
			}
			return over()
		}
	}))
	got, err := callWith(ctx, p, "echo", `{}`)
	wantError(t, got, err, CodeCancelled)
	waitFor(t, "the cancellation", func() bool { return w.asked("tasks/cancel") == 1 })
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, method := range w.methods {
		if strings.HasPrefix(method, "tasks/") && w.headers[i].Get("Mcp-Name") != "t 1" {
			t.Errorf("%s has Mcp-Name %q", method, w.headers[i].Get("Mcp-Name"))
		}
	}
	for _, method := range []string{"tasks/get", "tasks/update"} {
		if !slices.Contains(w.methods, method) {
			t.Errorf("%s was not sent: %v", method, w.methods)
		}
	}
}

// A server that has the extension is asked to notify changes of the task, and each ends the wait.
func TestTaskIsNotifiedOverHTTP(t *testing.T) {
	w := newWeb(t, func(w *web) {
		w.modern, w.tools = true, webTools("echo")
		w.says = map[string]string{
			"server/discover": `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}}`,
			"tools/call":      `{"resultType":"task","taskId":"t 1","status":"working","pollIntervalMs":1e12}`,
			"tasks/get":       `{"resultType":"complete","taskId":"t 1",` + seven[1:],
		}
	})
	p := pool(t, w.upstream("/mcp"), withAdjust(allowPrivate), withClock(func(c *clock) {
		after := c.after
		c.after = func(d time.Duration) <-chan time.Time {
			if d == pollMost {
				w.events <- "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tasks\",\"params\":{\"taskId\":\"t 1\",\"status\":\"working\"}}\n\n"
				return nil // for ever
			}
			return after(d)
		}
	}))
	mustCall(t, p, "echo", `{}`, "7")
	if w.asked("subscriptions/listen") != 1 || w.asked("tasks/get") != 1 {
		t.Errorf("%d subscriptions, %d requests, want one of each", w.asked("subscriptions/listen"), w.asked("tasks/get"))
	}
}
