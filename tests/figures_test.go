package tests

import (
	"fmt"
	"testing"
)

// What docs/performance.md has in figures is held here by the order of things, which no
// machine changes.

// A trivial call and a ping are answered at once, however many slow calls are ahead.
func TestFigureTrivialCallBehindMany(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	s := start(t, g.holding(""))
	slow := holdAll(s, 500)
	for range 5 {
		s.call("trivial", `{}`)
		s.request("ping", `{}`)
	}
	if n := answered(slow); n != 0 {
		t.Errorf("%d slow calls were answered before the gate was open", n)
	}
	g.open()
	for i, answer := range slow {
		ownResult(s, answer, i)
	}
}

// Calls go on side by side, down to the server.
func TestFigureManyCallsAtOnce(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	s := start(t, g.holding(""))
	calls := holdAll(s, 200)
	g.wait("in ", len(calls))
	g.open()
	for i, answer := range calls {
		ownResult(s, answer, i)
	}
}

// A cancellation takes effect however early it comes: what has reached the server is
// cancelled there, what has not never does, and no answer comes.
func TestFigureEarlyCancels(t *testing.T) {
	t.Parallel()
	const each = 20
	for name, send := range map[string]func(s *session, g *gate, id int, call, cancel string){
		"in one write": func(s *session, _ *gate, _ int, call, cancel string) { s.write(call + "\n" + cancel) },
		"in the next write": func(s *session, _ *gate, _ int, call, cancel string) {
			s.write(call)
			s.write(cancel)
		},
		"when the server has it": func(s *session, g *gate, id int, call, cancel string) {
			s.write(call)
			g.wait(fmt.Sprintf("in %d", id), 1)
			s.write(cancel)
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGate(t)
			s := start(t, g.holding(""))
			var answers []<-chan reply
			for i := range each {
				id := 100_000 + i
				answers = append(answers, s.expect(id))
				send(s, g, id,
					fmt.Sprintf(`{"jsonrpc":"2.0","id":%[1]d,"method":"tools/call","params":{"name":"hold","arguments":{"id":%[1]d}}}`, id),
					fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id))
			}
			s.request("ping", `{}`)
			reached := 0
			eventually(t, "what has reached the server is cancelled there", func() bool {
				reached = len(g.lines("in "))
				return reached == len(g.lines("out "))
			})
			if name == "when the server has it" && reached != each {
				t.Errorf("only %d of %d calls reached the server", reached, each)
			}
			g.open() // so that a run that was not cancelled ends, and is answered
			if code := s.end(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			if n := answered(answers); n != 0 {
				t.Errorf("%d cancelled calls were answered", n)
			}
			if in, out := len(g.lines("in ")), len(g.lines("out ")); in != out {
				t.Errorf("%d calls reached the server and %d of them ended", in, out)
			}
		})
	}
}

const looping = `version: "1.0"
server: {name: test, version: 1.0.0}
executionLimits: {maxNodeExecutions: 20000}
tools:
- name: loop
  description: goes round until a node has run 4,999 times
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: a}
  - {id: a, type: transform, transform: {expr: '$executionCount("a") + 1'}, next: s}
  - {id: s, type: switch, conditions: [{rule: {"<": [{var: a}, 4999]}, next: a}], next: exit}
  - {id: exit, type: exit}
`

// Every node is reported, in order, and none after the answer.
func TestFigureProgressInOrder(t *testing.T) {
	t.Parallel()
	s := start(t, looping)
	_, answer := s.send("tools/call", `{"name":"loop","arguments":{},"_meta":{"progressToken":"p"}}`)
	r := s.await(answer)
	if result := s.result(r); result.IsError || result.text(t) != `"exit"` {
		t.Errorf("the result is %s", result.text(t))
	}
	s.request("ping", `{}`)
	s.mu.Lock()
	notes := s.notes
	s.mu.Unlock()
	if len(notes) != 10_000 || r.before != len(notes) {
		t.Fatalf("%d notifications came, %d of them before the answer, want 10,000", len(notes), r.before)
	}
	for i, note := range notes {
		if p := progressOf(s, note); p.Progress != float64(i+1) || p.Token != "p" {
			t.Fatalf("notification %d is %+v", i, p)
		}
	}
}
