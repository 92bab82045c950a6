package mcpclient

import (
	"errors"
	"fmt"
	"sync"
	"testing"
)

// expecting checks that a tool is read only, and keeps what it was asked.
type expecting struct {
	mu    sync.Mutex
	asked []string
}

func (x *expecting) check(server string, tool Tool) *Error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.asked = append(x.asked, server+"."+tool.Name)
	if string(tool.Annotations) == `{"readOnlyHint":true}` {
		return nil
	}
	return &Error{Code: "changed", Message: "it is another"}
}

func (x *expecting) times() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.asked)
}

const changedTools = `{"tools":[{"name":"echo","annotations":{"readOnlyHint":false},"inputSchema":{"type":"object"}}]}`

func checked(t *testing.T, change func(*web), opts ...Option) (*web, *Pool, *expecting) {
	t.Helper()
	w := newWeb(t, func(w *web) {
		w.tools = strictTools
		if change != nil {
			change(w)
		}
	})
	x := &expecting{}
	return w, pool(t, w.upstream("/mcp"), append(opts, withAdjust(allowPrivate), WithToolCheck(x.check))...), x
}

func TestToolCheck(t *testing.T) {
	passing := newMovedTime()
	w, p, x := checked(t, nil, passing.clock(nil))
	for range 3 {
		mustCall(t, p, "echo", `{"n":1}`, `{"name":"echo","arguments":{"n":1}}`)
	}
	if x.times() != 1 || x.asked[0] != "fake.echo" {
		t.Errorf("3 calls on one connection were checked %d times: %v", x.times(), x.asked)
	}
	calls := w.asked("tools/call")
	w.offer(changedTools)
	w.mu.Lock()
	w.session += 100 // as after a restart of the server
	w.mu.Unlock()
	e := mustFail(t, p, "echo", `{"n":1}`, "changed")
	if want := `server "fake", tool "echo": it is another`; e.Error() != want {
		t.Errorf("got %q, want %q", e, want)
	}
	if n := w.asked("tools/call"); n != calls+1 { // the one that found the old connection gone
		t.Errorf("a call was sent: %d", n-calls)
	}
	w.offer(strictTools)
	mustFail(t, p, "echo", `{"n":1}`, "changed") // the list is fresh
	passing.move(listFresh)
	mustCall(t, p, "echo", `{"n":1}`, `{"name":"echo","arguments":{"n":1}}`)
}

// A server over HTTP may be another by now without a word of it.
func TestToolCheckOfARemoteServerIsRepeated(t *testing.T) {
	passing := newMovedTime()
	w, p, x := checked(t, nil, passing.clock(nil))
	mustCall(t, p, "echo", `{"n":1}`, `{"name":"echo","arguments":{"n":1}}`)
	w.offer(changedTools)
	passing.move(checkLasts)
	mustCall(t, p, "echo", `{"n":1}`, `{"name":"echo","arguments":{"n":1}}`) // not yet
	passing.move(1)
	mustFail(t, p, "echo", `{"n":1}`, "changed")
	if calls := w.asked("tools/call"); calls != 2 || x.times() != 2 {
		t.Errorf("%d calls and %d checks", calls, x.times())
	}
}

// What cannot be checked is not called.
func TestToolCheckOfAServerWithoutAList(t *testing.T) {
	w, p, x := checked(t, func(w *web) { w.tools = "" })
	mustFail(t, p, "echo", `{"n":1}`, CodeNotListed)
	if calls := w.asked("tools/call"); calls != 0 || x.times() != 0 {
		t.Errorf("%d calls and %d checks", calls, x.times())
	}
	w.offer(strictTools) // and it can be later
	mustCall(t, p, "echo", `{"n":1}`, `{"name":"echo","arguments":{"n":1}}`)
}

// Calls at the same time are checked once, and all alike.
func TestToolCheckOfCallsAtOnce(t *testing.T) {
	_, p, x := checked(t, func(w *web) { w.tools = changedTools })
	var calls sync.WaitGroup
	for i := range 20 {
		calls.Go(func() {
			_, err := callTool(p, "echo", fmt.Sprintf(`{"n":%d}`, i+1))
			if e := (*Error)(nil); !errors.As(err, &e) || e.Code != "changed" {
				t.Errorf("got %v", err)
			}
		})
	}
	calls.Wait()
	if x.times() != 1 {
		t.Errorf("checked %d times", x.times())
	}
}
