package server

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// V21: runs that wait for their user leave their places to others, and an answer gets its
// run a place at once, although all are taken by then. The runs that wait are bounded too.
func TestV21AnswersFindAPlace(t *testing.T) {
	const most = 2
	for _, at := range []struct {
		name, handshake, ask string
		answer               func(h *host, id int, question string)
	}{
		{"modern", "", `,` + askingMeta, func(h *host, id int, question string) {
			h.send(askCall(id+100, "ask", answering(stateOf(h.t, question), accepted)))
		}},
		{"legacy", `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"t","version":"1"}}}`, "", func(h *host, id int, _ string) {
			h.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"toolgraph-%d","result":%s}`, id, accepted))
		}},
	} {
		t.Run(at.name, func(t *testing.T) {
			b := newBench(t, func(o *Options) { o.MaxRuns = most })
			h := connect(t, b.server)
			if at.handshake != "" {
				h.send(at.handshake)
				h.next()
			}
			call := func(id int, tool string) {
				h.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{}%s}}`, id, tool, at.ask))
			}
			var questions []string
			for id := range most {
				call(id+1, "ask")
				questions = append(questions, h.next())
			}
			if n := b.server.waiting.Load(); n != most {
				t.Fatalf("%d runs wait", n)
			}
			call(20, "ask") // a place is free, but too many wait already
			if got := h.next(); !strings.Contains(got, `"id":20,`) || !strings.Contains(got, "busy: 2 runs wait for an answer of the user") {
				t.Errorf("got %s", got)
			}
			for id := range most { // all places are taken
				call(30+id, "hold")
			}
			b.waitStarted(t, most)
			call(40, "any")
			if got := h.next(); !strings.Contains(got, "busy: 2 runs are in flight") {
				t.Errorf("got %s", got)
			}
			for i, question := range questions {
				at.answer(h, i+1, question)
				if got := h.next(); !strings.Contains(got, `\"action\":\"accept\"`) || strings.Contains(got, "isError") {
					t.Errorf("answer %d: %s", i+1, got)
				}
			}
			close(b.release)
			for range most {
				h.next()
			}
			call(50, "any") // and all places are free again
			if got := h.next(); strings.Contains(got, "isError") {
				t.Errorf("got %s", got)
			}
			if err := h.close(); err != nil {
				t.Error(err)
			}
			if runs, waiting := b.server.runs.Load(), b.server.waiting.Load(); runs != 0 || waiting != 0 {
				t.Errorf("%d runs and %d that wait are left", runs, waiting)
			}
		})
	}
}

// A run that waits for more than one answer has one place to give up.
func TestV21OneRunManyQuestions(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Tools = append(o.Tools, toolOf(t, "asktwice", "", "")) })
	h := connect(t, b.server)
	h.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"t","version":"1"}}}`)
	h.next()
	h.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"asktwice","arguments":{}}}`)
	h.next()
	h.next()
	if runs, waiting := b.server.runs.Load(), b.server.waiting.Load(); runs != 0 || waiting != 1 {
		t.Errorf("%d runs go on and %d wait", runs, waiting)
	}
	h.send(`{"jsonrpc":"2.0","id":"toolgraph-1","result":` + accepted + `}`)
	h.send(`{"jsonrpc":"2.0","id":"toolgraph-2","result":` + accepted + `}`)
	h.next()
	if err := h.close(); err != nil {
		t.Error(err)
	}
	if runs, waiting := b.server.runs.Load(), b.server.waiting.Load(); runs != 0 || waiting != 0 {
		t.Errorf("%d runs and %d that wait are left", runs, waiting)
	}
}

// noneLeft waits until no run is left, whether it goes on or waits.
func (b *bench) noneLeft(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(patience); b.server.runs.Load()+b.server.waiting.Load() != 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("runs are left")
		}
	}
}
