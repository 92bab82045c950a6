package mcpclient

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
)

// live is the session that the pool's server has.
func live(p *Pool) *session {
	u := p.servers["fake"]
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.current
}

// A list that the server takes back before it has come is not what is checked.
func TestT01ChangedWhileItIsListed(t *testing.T) {
	var w *web
	var p *Pool
	var once sync.Once
	w, p, _ = checked(t, func(w *web) {
		w.listing = func() {
			once.Do(func() {
				w.offer(changedTools)
				live(p).tools.changed()
			})
		}
	})
	mustFail(t, p, "echo", `{"n":1}`, "changed")
	if calls := w.asked("tools/call"); calls != 0 {
		t.Errorf("%d calls were sent", calls)
	}
}

// A server that invalidates every list has listed nothing that could be checked.
func TestT01ChangedWheneverItIsListed(t *testing.T) {
	var p *Pool
	_, p, _ = checked(t, func(w *web) { w.listing = func() { live(p).tools.changed() } })
	mustFail(t, p, "echo", `{"n":1}`, CodeNotListed)
}

// A call that waits for its turn is checked when that has come.
func TestT01ChangedWhileTheCallWaitsForItsTurn(t *testing.T) {
	gate, diary := filepath.Join(t.TempDir(), "gate"), filepath.Join(t.TempDir(), "diary")
	u := fake(t, "gate="+gate, "diary="+diary)
	u.AllowElicit = true
	var changed atomic.Bool
	p := pool(t, u, WithElicitor(host), WithToolCheck(func(string, Tool) *Error {
		if changed.Load() {
			return &Error{Code: "changed", Message: "it is another"}
		}
		return nil
	}))
	mustCall(t, p, "echo", `{"n":1}`, `{"n":1}`)
	var calls sync.WaitGroup
	calls.Go(func() {
		if _, err := callTool(p, "hold", `{}`); err != nil {
			t.Error(err)
		}
	})
	waitForLine(t, diary, "in 0")
	calls.Go(func() {
		got, err := callTool(p, "echo", `{"n":2}`)
		if e := (*Error)(nil); !errors.As(err, &e) || e.Code != "changed" {
			t.Errorf("got %s, %v", got, err)
		}
	})
	waitFor(t, "the second call", func() bool { return len(p.servers["fake"].slot) == 2 })
	changed.Store(true)
	live(p).tools.changed()
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	calls.Wait()
}

// What a reader of the definition sees is what a check of all of it sees.
func TestT01KeysOfAnotherCase(t *testing.T) {
	const page = `{"tools":[{"name":"echo","Name":"other","description":"says","Description":"lies","inputSchema":{"type":"object"},` +
		`"InputSchema":{"type":"string"},"annotations":{"readOnlyHint":false},"Annotations":{"readOnlyHint":true},"outputSchema":null,"title":7}]}`
	tools, _, err := readPage([]byte(page))
	if err != nil || len(tools) != 1 {
		t.Fatal(tools, err)
	}
	tool := tools[0]
	if tool.Name != "echo" || tool.Description != "says" || string(tool.InputSchema) != `{"type":"object"}` ||
		string(tool.Annotations) != `{"readOnlyHint":false}` || tool.OutputSchema != nil || tool.Title != "" {
		t.Errorf("got %+v", tool)
	}
}
