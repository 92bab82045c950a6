package tests

import (
	"fmt"
	"testing"
	"time"
)

// The figures of the wire that docs/performance.md promises, each with room for a
// machine that is busy with other things.

// A trivial call and a ping are answered at once, however many slow calls are ahead.
func TestFigureTrivialCallBehindMany(t *testing.T) {
	s := start(t, each("", "sleep")+`- name: trivial
  description: calls nobody
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: exit}
  - {id: exit, type: exit}
`)
	s.call("sleep", `{"ms":0}`)
	s.call("trivial", `{}`)
	var slow []<-chan reply
	for range 500 {
		_, answer := s.sendCall("sleep", `{"ms":1000}`)
		slow = append(slow, answer)
	}
	// The best of five: what holds up one would hold up all, and a busy machine does not.
	call, ping := time.Hour, time.Hour
	for range 5 {
		begun := time.Now()
		s.call("trivial", `{}`)
		call = min(call, time.Since(begun))
		begun = time.Now()
		s.request("ping", `{}`)
		ping = min(ping, time.Since(begun))
	}
	t.Logf("behind 500 calls of 1 s each a trivial call took %v, a ping %v", call, ping)
	if call > 200*time.Millisecond || ping > 80*time.Millisecond {
		t.Errorf("a trivial call took %v, a ping %v, expected less than 50 ms and 20 ms, or four times that here", call, ping)
	}
	for _, answer := range slow {
		if r := s.result(s.await(answer)); r.IsError {
			t.Fatalf("a slow call failed: %s", r.text(t))
		}
	}
}

// Calls go on side by side, down to the server.
func TestFigureManyCallsAtOnce(t *testing.T) {
	s := start(t, each("", "sleep"))
	s.call("sleep", `{"ms":0}`)
	best := time.Hour
	for try := 0; try < 3 && best > 1200*time.Millisecond; try++ {
		var answers []<-chan reply
		begun := time.Now()
		for range 200 {
			_, answer := s.sendCall("sleep", `{"ms":300}`)
			answers = append(answers, answer)
		}
		for _, answer := range answers {
			if r := s.result(s.await(answer)); r.IsError {
				t.Fatalf("a call failed: %s", r.text(t))
			}
		}
		best = min(best, time.Since(begun))
	}
	t.Logf("200 calls of 300 ms took %v", best)
	if best > 1200*time.Millisecond {
		t.Errorf("200 calls of 300 ms took %v", best)
	}
}

// A cancellation takes effect however early it comes: what has reached the server is
// cancelled there, what has not never does, and no answer comes.
func TestFigureEarlyCancels(t *testing.T) {
	t.Parallel()
	s := start(t, each("", "sleep", "count", "canceled"))
	probe := func(tool string) int {
		n := 0
		if _, err := fmt.Sscan(s.call(tool, `{}`).text(t), &n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	probe("count")
	const each = 20
	for name, wait := range map[string]time.Duration{"in one write": 0, "1 ms later": time.Millisecond, "50 ms later": 50 * time.Millisecond} {
		calls, cancels := probe("count"), probe("canceled")
		probes := 1 // the last of the two above
		for i := range each {
			id := 100_000 + i
			call := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"sleep","arguments":{"ms":20000}}}`, id)
			cancel := fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id)
			answer := s.expect(id)
			if wait == 0 {
				s.write(call + "\n" + cancel)
			} else {
				s.write(call)
				time.Sleep(wait)
				s.write(cancel)
			}
			defer func() {
				select {
				case r := <-answer:
					t.Errorf("a cancelled call was answered: %s", r.Result)
				default:
				}
			}()
		}
		reached, cancelled := 0, 0
		eventually(t, "what has reached the server is cancelled there", func() bool {
			cancelled = probe("canceled") - cancels
			reached = probe("count") - calls - probes - 2
			probes += 2
			return reached == cancelled
		})
		t.Logf("%s: %d of %d calls reached the server, and %d were cancelled there", name, reached, each, cancelled)
		if wait > 10*time.Millisecond && reached != each {
			t.Errorf("%s: only %d of %d calls reached the server", name, reached, each)
		}
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

// Every node is told, in order, and none after the answer.
func TestFigureProgressInOrder(t *testing.T) {
	s := start(t, looping)
	begun := time.Now()
	_, answer := s.send("tools/call", `{"name":"loop","arguments":{},"_meta":{"progressToken":"p"}}`)
	r := s.await(answer)
	took := time.Since(begun)
	if result := s.result(r); result.IsError || result.text(t) != `"exit"` {
		t.Errorf("the result is %s", result.text(t))
	}
	s.request("ping", `{}`)
	s.mu.Lock()
	notes := s.notes
	s.mu.Unlock()
	t.Logf("%d notifications in %v", len(notes), took)
	if len(notes) != 10_000 || r.before != len(notes) {
		t.Fatalf("%d notifications came, %d of them before the answer, want 10,000", len(notes), r.before)
	}
	for i, note := range notes {
		if p := progressOf(s, note); p.Progress != float64(i+1) || p.Token != "p" {
			t.Fatalf("notification %d is %+v", i, p)
		}
	}
}
