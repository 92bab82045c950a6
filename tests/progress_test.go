package tests

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// progressOf are the notifications of a token so far. It checks that they grow.
func (s *session) progressOf(token string) (progress []float64, messages []string) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, note := range s.notes {
		var p struct {
			ProgressToken any
			Progress      float64
			Message       string
		}
		if err := json.Unmarshal(note.Params, &p); err != nil || note.Method != "notifications/progress" || p.ProgressToken != token {
			s.t.Errorf("got %s %s", note.Method, note.Params)
			continue
		}
		if n := len(progress); n > 0 && p.Progress <= progress[n-1] {
			s.t.Errorf("the progress %v comes after %v", p.Progress, progress[n-1])
		}
		progress, messages = append(progress, p.Progress), append(messages, p.Message)
	}
	return progress, messages
}

// A host hears of an upstream server's progress while the call is in flight, so that one
// that gives up a silent call does not give up this one: over stdio, and through a second
// process over HTTP, in either era.
func TestProgressOfASlowUpstream(t *testing.T) {
	for _, protocol := range []string{"stdio", "legacy", "modern"} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			g := newGate(t)
			graph := each(", args: ["+g.args()+"]", "report")
			if protocol != "stdio" {
				_, addr := startHTTP(t, graph, nil)
				graph = strings.Replace(each("", "report"), "{command: $FAKE}",
					fmt.Sprintf("{type: streamableHttp, url: 'http://%s/mcp', allowPrivate: true, protocol: %s}", addr, protocol), 1)
			}
			s := start(t, graph)
			answer := s.expect(7)
			s.write(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"report","arguments":{"n":3,"message":"a page"},"_meta":{"progressToken":"p"}}}`)
			g.wait("reported", 1)
			enough, message := 1.75, "call: a page" // entry, and three of four parts of the call
			if protocol != "stdio" {
				enough, message = 1.001, strings.Repeat("call: ", 2)+"a page" // how many steps the inner run has is unknown
			}
			eventually(t, "the last report has come", func() bool {
				progress, messages := s.progressOf("p")
				n := len(progress)
				return n > 0 && progress[n-1] >= enough && progress[n-1] < 2 && messages[n-1] == message
			})
			if n := answered([]<-chan reply{answer}); n != 0 {
				t.Error("the call has been answered before its upstream server has")
			}
			g.open()
			if r := s.result(s.await(answer)); r.IsError || r.text(t) != `"done"` {
				t.Errorf("got %+v", r)
			}
			progress, messages := s.progressOf("p")
			if n := len(progress); progress[n-2] != 2 || progress[n-1] != 3 || messages[n-1] != "exit" {
				t.Errorf("the steps are not at the end: %v %q", progress, messages)
			}
		})
	}
}

// The parts of a step are progress of the step, and the last is always reported.
func TestProgressOfForEach(t *testing.T) {
	t.Parallel()
	s := start(t, `version: "1.0"
server: {name: test, version: 1.0.0}
mcpServers: {up: {command: $FAKE}}
tools:
  - name: all
    nodes:
      - {id: entry, type: entry, next: add}
      - {id: add, type: graph, tool: one, forEach: {items: '[1..20]', maxParallel: 4}, args: {n: {expr: $item}}, next: exit}
      - {id: exit, type: exit}
  - name: one
    hidden: true
    nodes:
      - {id: in, type: entry, next: inc}
      - {id: inc, type: mcp, server: up, tool: inc, args: {n: {expr: $.in.n}}, next: out}
      - {id: out, type: exit}
`)
	answer := s.expect(7)
	s.write(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"all","arguments":{},"_meta":{"progressToken":"p"}}}`)
	if r := s.result(s.await(answer)); r.IsError {
		t.Fatalf("got %+v", r)
	}
	progress, messages := s.progressOf("p")
	n := len(messages)
	if n < 4 || messages[0] != "entry" || messages[n-3] != "add 20/20" || messages[n-2] != "add" || messages[n-1] != "exit" || progress[n-2] != 2 {
		t.Errorf("got %v %q", progress, messages)
	}
}
