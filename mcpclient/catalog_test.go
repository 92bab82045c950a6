package mcpclient

import (
	"context"
	"strings"
	"testing"

	"toolgraph/execution/call"
	"toolgraph/expressions/value"
)

const strictTools = `{"tools":[{"name":"echo","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object",` +
	`"properties":{"n":{"type":"integer","minimum":1},"mode":{"enum":["fast","slow"]}},"required":["n"],"additionalProperties":false}}]}`

// strict is a server over HTTP whose one tool wants its arguments to be right.
func strict(t testing.TB, change func(*web), opts ...Option) (*web, *Pool) {
	t.Helper()
	w := newWeb(t, func(w *web) {
		w.tools = strictTools
		if change != nil {
			change(w)
		}
	})
	return w, pool(t, w.upstream("/mcp"), append(opts, withAdjust(allowPrivate))...)
}

func TestToolsAreListedOnce(t *testing.T) {
	w, p := strict(t, nil)
	if _, known := p.Known("fake", "echo"); known {
		t.Error("a tool is known before the server was asked")
	}
	for range 3 {
		if _, err := callTool(p, "echo", `{"n":1}`); err != nil {
			t.Fatal(err)
		}
	}
	if n := w.asked("tools/list"); n != 1 {
		t.Errorf("3 calls made %d lists", n)
	}
	tool, known := p.Known("fake", "echo")
	if !known || string(tool.Annotations) != `{"readOnlyHint":true}` {
		t.Errorf("known is %+v, %v", tool, known)
	}
	if _, known := p.Known("fake", "other"); known {
		t.Error("a tool is known that there is not")
	}
	if _, known := p.Known("other", "echo"); known {
		t.Error("a tool of no server is known")
	}
	w.mu.Lock()
	w.session += 100 // as after a restart of the server
	w.mu.Unlock()
	if _, err := callTool(p, "echo", `{"n":1}`); err != nil {
		t.Fatal(err)
	}
	if n := w.asked("tools/list"); n != 2 {
		t.Errorf("%d lists after a restart, want another one", n)
	}
}

func TestListChangedInvalidatesTheList(t *testing.T) {
	w, p := strict(t, func(w *web) {
		w.stream, w.before = true, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	})
	for i := range 3 {
		if _, err := callTool(p, "echo", `{"n":1}`); err != nil {
			t.Fatal(err)
		}
		if n := w.asked("tools/list"); n != i+1 {
			t.Errorf("%d lists at call %d", n, i+1)
		}
	}
}

func TestT02UnknownToolIsNotCalled(t *testing.T) {
	w, p := strict(t, nil, newMovedTime().clock(nil))
	e := mustFail(t, p, "ecko", `{}`, CodeUnknownTool)
	if !strings.Contains(e.Error(), "has no such tool, expected one of its 1") || !strings.Contains(e.Error(), `did you mean "echo"?`) {
		t.Errorf("got %q", e)
	}
	if n := w.asked("tools/call"); n != 0 {
		t.Errorf("the server was called %d times", n)
	}
}

// A server that sends no notification of changes is asked again before a call is refused.
func TestAnOldListRefusesNothing(t *testing.T) {
	passing := newMovedTime()
	w, p := strict(t, nil, passing.clock(nil))
	if _, err := callTool(p, "echo", `{"n":1}`); err != nil {
		t.Fatal(err)
	}
	w.offer(webTools("echo", "later"))
	passing.move(listFresh)
	if _, err := callTool(p, "later", `{}`); err != nil {
		t.Error(err)
	}
	if _, err := callTool(p, "echo", `{"anything":true}`); err != nil {
		t.Error(err)
	}
	if n := w.asked("tools/list"); n != 2 {
		t.Errorf("%d lists", n)
	}
}

func TestArgumentsAreChecked(t *testing.T) {
	w, p := strict(t, nil, newMovedTime().clock(nil)) // all in one moment
	for args, wants := range map[string][]string{
		`{"n":"one"}`:            {"arguments.n: expected", "integer", `"one"`},
		`{}`:                     {"arguments.n: required, but missing"},
		`{"n":0}`:                {"arguments.n: expected", "1", "0"},
		`{"n":1,"mode":"fats"}`:  {"arguments.mode: expected", `did you mean "fast"?`},
		`{"n":1,"moed":"quiet"}`: {"arguments.moed: unknown property", `did you mean "mode"?`},
	} {
		e := mustFail(t, p, "echo", args, CodeInvalidArguments)
		for _, want := range append(wants, `server "fake", tool "echo": not called`) {
			if !strings.Contains(e.Error(), want) {
				t.Errorf("%s: %q is missing in %q", args, want, e)
			}
		}
	}
	_, err := p.CallTool(context.Background(), call.Call{Server: "fake", Tool: "echo"})
	wantError(t, "", err, CodeInvalidArguments)
	if n := w.asked("tools/call"); n != 0 {
		t.Errorf("the server was called %d times", n)
	}
	if n := w.asked("tools/list"); n != 1 {
		t.Errorf("%d lists within a moment", n)
	}
}

func TestSchemasThatCannotBeUsedRefuseNothing(t *testing.T) {
	for name, schema := range map[string]string{
		"no schema at all": `7`, "a type unknown": `{"type":"objekt"}`, "a reference outside": `{"$ref":"http://x.test/s"}`,
		"a pattern of another engine": `{"type":"object","properties":{"n":{"type":"string","pattern":"^(?=x)"}}}`,
	} {
		w, p := strict(t, nil)
		w.offer(`{"tools":[{"name":"echo","title":5,"inputSchema":` + schema + `}]}`)
		if _, err := callTool(p, "echo", `{"n":"one"}`); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	w, p := strict(t, nil)
	w.offer(`{"tools":[{"name":"echo"}]}`)
	if _, err := callTool(p, "echo", `{"n":"one"}`); err != nil {
		t.Error(err)
	}
}

// A server that cannot list its tools can still be called.
func TestServersWithoutAListAreCalled(t *testing.T) {
	w, p := strict(t, nil)
	w.offer(`"no list"`)
	for range 2 {
		if _, err := callTool(p, "echo", `{"n":"one"}`); err != nil {
			t.Fatal(err)
		}
	}
	if n := w.asked("tools/list"); n != 1 {
		t.Errorf("%d lists", n)
	}
}

func TestArgumentsAreMirroredIntoHeaders(t *testing.T) {
	w, p := strict(t, func(w *web) { w.modern = true })
	w.offer(`{"tools":[{"name":"echo","inputSchema":{"type":"object","properties":{` +
		`"region":{"type":"string","x-mcp-header":"Region"},"n":{"type":"integer","x-mcp-header":"Count"}}}},` +
		`{"name":"bad","inputSchema":{"type":"object","properties":{"a":{"type":"array","x-mcp-header":"No Token"}}}}]}`)
	if _, err := callTool(p, "echo", `{"region":"zürich\r\nX-Evil: 1","n":7}`); err != nil {
		t.Fatal(err)
	}
	w.mu.Lock()
	sent := w.headers[len(w.headers)-1]
	w.mu.Unlock()
	if sent.Get("Mcp-Param-Count") != "7" || !strings.HasPrefix(sent.Get("Mcp-Param-Region"), "=?base64?") || sent.Get("X-Evil") != "" {
		t.Errorf("sent %v", sent)
	}
	if e := mustFail(t, p, "bad", `{}`, CodeBadResult); !strings.Contains(e.Error(), "headers that the protocol forbids") {
		t.Errorf("got %q", e)
	}
}

func BenchmarkVet(b *testing.B) {
	w, p := strict(b, nil)
	_ = w
	if _, err := callTool(p, "echo", `{"n":1}`); err != nil {
		b.Fatal(err)
	}
	u := p.servers["fake"]
	args, err := value.Decode([]byte(`{"n":3,"mode":"slow"}`))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, fail := u.vet(context.Background(), u.current, "echo", args); fail != nil {
			b.Fatal(fail)
		}
	}
}

func TestListChangedIsSubscribedTo(t *testing.T) {
	w, p := strict(t, func(w *web) { w.modern, w.listen = true, true })
	w.offer(webTools("echo"))
	if _, err := callTool(p, "echo", `{}`); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the subscription", func() bool { return w.asked("subscriptions/listen") == 1 })
	w.offer(strictTools)
	w.events <- "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n"
	tools := &p.servers["fake"].current.tools
	waitFor(t, "the notification", func() bool { return tools.now.Load() == nil })
	mustFail(t, p, "echo", `{"n":"one"}`, CodeInvalidArguments)
	if lists, subscriptions := w.asked("tools/list"), w.asked("subscriptions/listen"); lists != 2 || subscriptions != 1 {
		t.Errorf("%d lists and %d subscriptions", lists, subscriptions)
	}
}

// A server that ends subscriptions at once is not asked for another.
func TestSubscriptionsThatEndAtOnce(t *testing.T) {
	w, p := strict(t, func(w *web) { w.modern, w.listen = true, true })
	w.events <- "end"
	for range 3 {
		if _, err := callTool(p, "echo", `{"n":1}`); err != nil {
			t.Fatal(err)
		}
	}
	if lists, subscriptions := w.asked("tools/list"), w.asked("subscriptions/listen"); lists != 1 || subscriptions > 1 {
		t.Errorf("%d lists and %d subscriptions", lists, subscriptions)
	}
}

// A tool that a server adds in the moment after its start is waited for, and no longer.
func TestToolsThatComeLater(t *testing.T) {
	var w *web
	var pauses int
	w, p := strict(t, func(w *web) { w.modern, w.listen = true, true }, newMovedTime().clock(func() {
		if pauses++; pauses == 3 {
			w.offer(webTools("echo", "hang", "later"))
		}
	}, startsUpPause))
	if _, err := callTool(p, "later", `{}`); err != nil || pauses != 3 {
		t.Errorf("%v after %d pauses, want 3", err, pauses)
	}
	mustFail(t, p, "never", `{}`, CodeUnknownTool)
	if want := int(startsUp / startsUpPause); pauses != want {
		t.Errorf("%d pauses, want %d", pauses, want)
	}
}
