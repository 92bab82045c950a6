package mcpclient

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

// answering is a web server that answers tools/call by f, in a body of this type.
func answering(t testing.TB, kind string, f func(m rpc) string) *web {
	return handling(t, kind, func(out http.ResponseWriter, _ *http.Request, m rpc) { _, _ = io.WriteString(out, f(m)) })
}

// handling is a web server that has tools/call handled by f, in a body of this type.
func handling(t testing.TB, kind string, f func(out http.ResponseWriter, r *http.Request, m rpc)) *web {
	w := newWeb(t, nil)
	inner := w.Config.Handler
	w.Config.Handler = http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(raw))
		if !bytes.Contains(raw, []byte(`"method":"tools/call"`)) {
			inner.ServeHTTP(out, r)
			return
		}
		m := w.read(r)
		out.Header().Set("Content-Type", kind)
		f(out, r, m)
	})
	return w
}

const (
	oneBody = "application/json"
	events  = "text/event-stream"
)

// sent is a message as the body of an answer of this type.
func sent(kind string, messages ...string) string {
	if kind == oneBody {
		return strings.Join(messages, "\n")
	}
	var out strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&out, "event: message\ndata: %s\n\n", m)
	}
	return out.String()
}

// answerTo is a response to a call whose value is its own arguments.
func answerTo(id string, m rpc) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"structuredContent":%s,"content":[]}}`, id, m.Params)
}

// Two calls whose server answers each with the id, and the value, of the other.
func TestV06AnswersOfOtherCalls(t *testing.T) {
	for _, kind := range []string{oneBody, events} {
		for _, form := range []string{"result", "error", "id alone"} {
			t.Run(kind+" "+form, func(t *testing.T) {
				meet := make(chan rpc)
				w := answering(t, kind, func(m rpc) string {
					var other rpc
					select {
					case meet <- m:
						other = <-meet
					case other = <-meet:
						meet <- m
					}
					switch form {
					case "error":
						return sent(kind, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"of the other"}}`, other.ID))
					case "id alone":
						return sent(kind, answerTo(string(other.ID), m))
					}
					return sent(kind, answerTo(string(other.ID), other))
				})
				p := pool(t, w.upstream("/mcp"), withAdjust(allowPrivate))
				var all sync.WaitGroup
				for i := range 2 {
					all.Go(func() {
						got, err := callTool(p, "echo", fmt.Sprintf(`{"caller":%d}`, i))
						if e := wantError(t, got, err, CodeTransport); !strings.Contains(e.Error(), "belongs to another request") || strings.Contains(e.Error(), "of the other") {
							t.Errorf("got %q", e)
						}
					})
				}
				all.Wait()
			})
		}
	}
}

// Answers that are not, or not only, the response to the request.
func TestV06AnswersThatAreNone(t *testing.T) {
	type answer struct {
		name string
		form func(m rpc) []string
		code string // "" when the call succeeds
		want string
	}
	id := func(m rpc) string { return string(m.ID) }
	fixed := func(messages ...string) func(rpc) []string { return func(rpc) []string { return messages } }
	for _, c := range []answer{
		{"text id", func(m rpc) []string { return []string{answerTo(`"`+id(m)+`"`, m)} }, CodeTransport, "belongs to another request"},
		{"text id of an error", func(m rpc) []string {
			return []string{`{"jsonrpc":"2.0","id":"` + id(m) + `","error":{"code":1,"message":"no"}}`}
		}, CodeTransport, "belongs to another request"},
		{"number that is no integer", func(m rpc) []string { return []string{answerTo(id(m)+".5", m)} }, CodeTransport, "belongs to another request"},
		{"object id", func(m rpc) []string { return []string{answerTo(`{}`, m)} }, CodeTransport, ""},
		{"no id", fixed(`{"jsonrpc":"2.0","result":{"content":[]}}`), CodeTransport, "has no id"},
		{"null id", func(m rpc) []string { return []string{answerTo("null", m)} }, CodeTransport, "has no id"},
		{"an Id in capitals", func(m rpc) []string {
			return []string{`{"jsonrpc":"2.0","ID":` + id(m) + `,"result":{"content":[]}}`}
		}, CodeTransport, "has no id"},
		{"two ids", func(m rpc) []string {
			return []string{`{"jsonrpc":"2.0","id":` + id(m) + `,"ID":7,"result":{"content":[]}}`}
		}, CodeTransport, "belongs to another request"},
		{"an error without an id", fixed(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"cannot read it"}}`), CodeRPCError, "cannot read it"},
		{"an error that is none", func(m rpc) []string { return []string{`{"jsonrpc":"2.0","id":` + id(m) + `,"error":"boom"}`} }, CodeRPCError, "boom"},
		{"an error of another kind", func(m rpc) []string { return []string{`{"jsonrpc":"2.0","id":` + id(m) + `,"error":[1]}`} }, CodeTransport, ""},
		{"batch", func(m rpc) []string { return []string{"[" + answerTo(id(m), m) + "]"} }, CodeTransport, "is a batch"},
		{"the other first", func(m rpc) []string { return []string{answerTo("7", m), answerTo(id(m), m)} }, CodeTransport, ""},
		{"right", func(m rpc) []string { return []string{answerTo(id(m), m)} }, "", ""},
		{"right in another notation", func(m rpc) []string { return []string{answerTo(id(m)+".0", m)} }, "", ""},
	} {
		for _, kind := range []string{oneBody, events} {
			t.Run(c.name+" "+kind, func(t *testing.T) {
				w := answering(t, kind, func(m rpc) string { return sent(kind, c.form(m)...) })
				p := pool(t, w.upstream("/mcp"), withAdjust(allowPrivate))
				got, err := callTool(p, "echo", `{"a":1}`)
				if c.code == "" {
					if err != nil || !strings.Contains(got, `"arguments":{"a":1}`) {
						t.Errorf("got %s, %v", got, err)
					}
				} else if e := wantError(t, got, err, c.code); !strings.Contains(e.Error(), c.want) {
					t.Errorf("%q is missing in %q", c.want, e)
				}
			})
		}
	}
}

// A stream is read up to the answer; what follows it goes nowhere and holds nothing up.
func TestV06AnswersAfterTheAnswer(t *testing.T) {
	w := answering(t, events, func(m rpc) string {
		id := string(m.ID)
		other := `{"jsonrpc":"2.0","id":` + id + `,"result":{"structuredContent":{"second":true},"content":[]}}`
		return sent(events, `{"jsonrpc":"2.0","method":"notifications/progress","params":{}}`, "no JSON", "{}", "null", answerTo(id, m), other, other, other)
	})
	p := pool(t, w.upstream("/mcp"), withAdjust(allowPrivate))
	before := goleak.IgnoreCurrent()
	for range 3 {
		if got, err := callTool(p, "echo", `{"a":1}`); err != nil || strings.Contains(got, "second") {
			t.Errorf("got %s, %v", got, err)
		}
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	w.Close()
	if err := goleak.Find(before); err != nil {
		t.Error(err)
	}
}

// A stream that ends without an answer, or waits for ever after a foreign one.
func TestV06StreamsWithoutAnAnswer(t *testing.T) {
	w := answering(t, events, func(rpc) string { return sent(events, `{"jsonrpc":"2.0","method":"notifications/progress"}`) })
	p := pool(t, w.upstream("/mcp"), withAdjust(allowPrivate))
	if e := mustFail(t, p, "echo", `{}`, CodeTransport); !strings.Contains(e.Error(), "without an answer") {
		t.Errorf("got %q", e)
	}
	released := make(chan struct{})
	waits := handling(t, events, func(out http.ResponseWriter, r *http.Request, m rpc) {
		_, _ = io.WriteString(out, sent(events, answerTo("7", m)))
		out.(http.Flusher).Flush()
		<-r.Context().Done() // only the client can end it
		close(released)
	})
	p = pool(t, waits.upstream("/mcp"), withAdjust(allowPrivate))
	mustFail(t, p, "echo", `{}`, CodeTransport)
	receive(t, released, "the end of the stream")
}

// Over sse all answers come down one stream: one to no request is ignored, and the call
// for which it was meant still waits for its own.
func TestV06AnswersOverSSE(t *testing.T) {
	w := newWeb(t, nil)
	p := pool(t, w.upstream("/sse"), withAdjust(allowPrivate))
	if _, err := callTool(p, "echo", `{}`); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	ended := make(chan error, 1)
	go func() {
		got, err := callWith(ctx, p, "hang", `{}`)
		if err == nil {
			err = fmt.Errorf("got %s", got)
		}
		ended <- err
	}()
	waitFor(t, "the call", func() bool { return w.asked("tools/call") == 2 })
	for _, id := range []string{`7`, `"1000003"`, `null`, `[]`} {
		w.events <- sent(events, `{"jsonrpc":"2.0","id":`+id+`,"result":{"structuredContent":{"foreign":true},"content":[]}}`)
	}
	if got, err := callTool(p, "echo", `{"a":1}`); err != nil || !strings.Contains(got, `"a":1`) { // all of them have been read
		t.Errorf("got %s, %v", got, err)
	}
	stop()
	wantError(t, "", receive(t, ended, "the end of the call"), CodeCancelled)
}
