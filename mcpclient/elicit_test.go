package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"toolgraph/config"
)

type hostKey struct{}

// host is a user who accepts everything, of the host that the context names.
func host(ctx context.Context, server string, params json.RawMessage) (json.RawMessage, error) {
	name, _ := ctx.Value(hostKey{}).(string)
	return fmt.Appendf(nil, `{"action":"accept","content":{"host":%q,"server":%q,"asked":%t}}`, name, server, strings.Contains(string(params), "{")), nil
}

// asking are servers of every kind that may ask the user, and the tool that does.
func asking(t *testing.T) map[string]*config.Upstream {
	t.Helper()
	legacy, modern := newWeb(t, nil), newWeb(t, func(w *web) { w.modern = true })
	all := map[string]*config.Upstream{
		"callback": fake(t), "ask": legacy.upstream("/mcp"), "ask modern": modern.upstream("/mcp"),
	}
	for _, u := range all {
		u.AllowElicit = true
	}
	return all
}

func TestElicitationIsForwarded(t *testing.T) {
	for tool, u := range asking(t) {
		p := pool(t, u, withAdjust(allowPrivate), WithElicitor(host))
		for i := range 3 {
			ctx := context.WithValue(context.Background(), hostKey{}, fmt.Sprint("host ", i))
			got, err := callWith(ctx, p, strings.Fields(tool)[0], `{"method":"elicitation/create"}`)
			if err != nil || !strings.Contains(got, fmt.Sprintf(`"host":"host %d","server":"fake","asked":true`, i)) || !strings.Contains(got, `"action":"accept"`) {
				t.Errorf("%q: got %s, %v", tool, got, err)
			}
		}
	}
}

// Each question goes to the host whose call it belongs to, also among many.
func TestElicitationFindsItsHost(t *testing.T) {
	for tool, u := range asking(t) {
		p := pool(t, u, withAdjust(allowPrivate), WithElicitor(host))
		if tool == "ask" {
			continue // the fake server mixes answers up
		}
		errs := make(chan error, 10)
		for i := range 10 {
			go func() {
				ctx := context.WithValue(context.Background(), hostKey{}, fmt.Sprint("host ", i))
				got, err := callWith(ctx, p, strings.Fields(tool)[0], `{"method":"elicitation/create"}`)
				if err == nil && !strings.Contains(got, fmt.Sprintf(`"host":"host %d"`, i)) {
					err = fmt.Errorf("host %d: got %s", i, got)
				}
				errs <- err
			}()
		}
		for range 10 {
			if err := <-errs; err != nil {
				t.Errorf("%q: %v", tool, err)
			}
		}
	}
}

func TestT10OnlyWhatIsAllowedIsAsked(t *testing.T) {
	var asked atomic.Int64
	count := func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
		asked.Add(1)
		return []byte(`{"action":"accept"}`), nil
	}
	for tool, u := range asking(t) {
		for _, method := range []string{"elicitation/create", "sampling/createMessage", "roots/list"} {
			u.AllowElicit = method != "elicitation/create" // which is then no permission for the others
			p := pool(t, u, withAdjust(allowPrivate), WithElicitor(count))
			got, err := callTool(p, strings.Fields(tool)[0], `{"method":"`+method+`"}`)
			if tool == "ask modern" {
				wantError(t, got, err, CodeInputRequired)
			} else if err != nil || !strings.Contains(got, `-32601`) {
				t.Errorf("%s, %s: got %s, %v", tool, method, got, err)
			}
		}
	}
	if asked.Load() != 0 {
		t.Errorf("the user was asked %d times", asked.Load())
	}
}

func TestElicitationFailures(t *testing.T) {
	refuse := func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
		return nil, errors.New("the host has no elicitation")
	}
	broken := func(context.Context, string, json.RawMessage) (json.RawMessage, error) { return []byte("{"), nil }
	for tool, u := range asking(t) {
		for want, elicitor := range map[string]Elicitor{"the host has no elicitation": refuse, "the answer is not JSON": broken} {
			p := pool(t, u, withAdjust(allowPrivate), WithElicitor(elicitor))
			got, err := callTool(p, strings.Fields(tool)[0], `{"method":"elicitation/create"}`)
			if tool == "ask modern" {
				if e := wantError(t, got, err, CodeInputRequired); !strings.Contains(e.Error(), want) {
					t.Errorf("got %q", e)
				}
			} else if err != nil || !strings.Contains(got, want) || !strings.Contains(got, "-32603") {
				t.Errorf("%q: got %s, %v", tool, got, err)
			}
		}
	}
}

// The time that the user takes is not the call's, whose time begins anew with the answer.
func TestElicitationStopsTheWatch(t *testing.T) {
	const limit = 800 * time.Millisecond
	for tool, u := range asking(t) {
		timers := &heldTimers{}
		slow := func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
			if n := timers.running(); n != 0 {
				t.Errorf("%q: %d timers run while the user is asked", tool, n)
			}
			timers.expire()
			return []byte(`{"action":"decline"}`), nil
		}
		p := pool(t, u, timers.clock(), WithElicitor(slow), withAdjust(allowPrivate), withAdjust(func(s *settings) { s.Timeout = limit }))
		got, err := callTool(p, strings.Fields(tool)[0], `{"method":"elicitation/create"}`)
		if err != nil || !strings.Contains(got, `"action":"decline"`) {
			t.Errorf("%q: got %s, %v", tool, got, err)
		}
		// A modern server's question ends its request, and the next has a timer of its own.
		if want := tool != "ask modern"; want != slices.Equal(timers.resets, []time.Duration{limit}) {
			t.Errorf("%q: the timers began anew with %v", tool, timers.resets)
		}
	}
}

// The end of the call ends the question.
func TestElicitationEndsWithTheCall(t *testing.T) {
	for tool, u := range asking(t) {
		ctx, stop := context.WithCancel(context.Background())
		leaving := func(ctx context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) {
			stop()
			receive(t, ctx.Done(), "the question's end")
			return nil, ctx.Err()
		}
		p := pool(t, u, WithElicitor(leaving), withAdjust(allowPrivate))
		got, err := callWith(ctx, p, strings.Fields(tool)[0], `{"method":"elicitation/create"}`)
		stop()
		wantError(t, got, err, CodeCancelled)
	}
}

func TestAToolThatOnlyEverAsks(t *testing.T) {
	w := newWeb(t, func(w *web) { w.modern = true })
	u := w.upstream("/mcp")
	u.AllowElicit = true
	p := pool(t, u, withAdjust(allowPrivate), WithElicitor(host), skipping(inputPause))
	if e := mustFail(t, p, "ask", `{}`, CodeInputRequired); !strings.Contains(e.Error(), "asked for input 10 times") {
		t.Errorf("got %q", e)
	}
}

// A question of the modern era has a name, which the elicitor can give to its own client.
func TestQuestionsOfTheModernEraHaveNames(t *testing.T) {
	for tool, u := range asking(t) {
		names := make(chan string, 1)
		p := pool(t, u, withAdjust(allowPrivate), WithElicitor(func(ctx context.Context, server string, params json.RawMessage) (json.RawMessage, error) {
			names <- QuestionName(ctx)
			return host(ctx, server, params)
		}))
		if _, err := callTool(p, strings.Fields(tool)[0], `{"method":"elicitation/create"}`); err != nil {
			t.Error(err)
		}
		want := map[bool]string{true: "q 1"}[tool == "ask modern"]
		if name := receive(t, names, "the question"); name != want {
			t.Errorf("%q: the question's name is %q, want %q", tool, name, want)
		}
	}
}
