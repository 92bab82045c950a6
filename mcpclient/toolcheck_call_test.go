package mcpclient

import (
	"context"
	"testing"
)

// A tool is offered as its server lists it now: asked once, again after a change, and, of a remote
// server, when the list is old.
func TestOffered(t *testing.T) {
	passing := newMovedTime()
	w := newWeb(t, func(w *web) { w.tools = strictTools })
	p := pool(t, w.upstream("/mcp"), withAdjust(allowPrivate), passing.clock(nil))
	offered := func(tool, annotations string, lists int) {
		t.Helper()
		found, ok, err := p.Offered(t.Context(), "fake", tool)
		if err != nil || string(found.Annotations) != annotations || ok != (annotations != "") || w.asked("tools/list") != lists {
			t.Errorf("%s: %s %t %v, listed %d times", tool, found.Annotations, ok, err, w.asked("tools/list"))
		}
	}
	offered("echo", `{"readOnlyHint":true}`, 1)
	offered("none", "", 1)
	w.offer(changedTools)
	offered("echo", `{"readOnlyHint":true}`, 1) // the server has not said so
	live(p).tools.changed()
	offered("echo", `{"readOnlyHint":false}`, 2)
	w.offer(strictTools)
	passing.move(checkLasts + 1)
	offered("echo", `{"readOnlyHint":true}`, 3)
	w.offer(`{"tools":[{"name":"echo"},{"name":"echo","title":"another"}]}`)
	live(p).tools.changed()
	offered("echo", "", 4)
	w.offer("")
	live(p).tools.changed()
	if _, ok, err := p.Offered(t.Context(), "fake", "echo"); ok || err == nil {
		t.Errorf("of a server that cannot list: %t %v", ok, err)
	}
	if _, _, err := p.Offered(t.Context(), "other", "echo"); err == nil {
		t.Error("of a server that does not exist")
	}
	if w.asked("tools/call") != 0 {
		t.Error("a tool was called")
	}
}

// The check of a call sees the tool as it is listed when the call is about to be sent, and refuses
// that call alone.
func TestCallCheck(t *testing.T) {
	w := newWeb(t, func(w *web) { w.tools = strictTools })
	p := pool(t, w.upstream("/mcp"), withAdjust(allowPrivate))
	x := &expecting{}
	ctx := WithCallCheck(t.Context(), x.check)
	asked := func(ctx context.Context, code string, calls int) {
		t.Helper()
		got, err := callWith(ctx, p, "echo", `{"n":1}`)
		if code != "" {
			wantError(t, got, err, code)
		} else if err != nil {
			t.Error(err)
		}
		if n := w.asked("tools/call"); n != calls {
			t.Errorf("%d calls were sent, want %d", n, calls)
		}
	}
	asked(ctx, "", 1)
	if _, _, err := p.Offered(t.Context(), "fake", "echo"); err != nil {
		t.Fatal(err)
	}
	w.offer(changedTools) // between the decision and the call
	live(p).tools.changed()
	asked(ctx, "changed", 1)
	asked(t.Context(), "", 2)
	w.offer("")
	live(p).tools.changed()
	asked(ctx, CodeNotListed, 2)
	asked(t.Context(), "", 3)
}
