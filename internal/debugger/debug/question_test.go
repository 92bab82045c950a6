package debug_test

import (
	"context"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/debugger/debug"
)

// tidy asks, and makes a call for each of two items that is to be confirmed.
const tidy = `version: "1.0"
server: {name: test, version: 1.0.0}
mcpServers: {up: {command: up}}
tools:
- name: tidy
  description: tidies
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: sure}
  - {id: sure, type: ask, message: {expr: '"Remove " & $.entry.n & " files?"'}, schema: {type: object, properties: {keep: {type: boolean}}}, next: remove}
  - {id: remove, type: mcp, server: up, tool: inc, confirm: true, forEach: {items: '[1, 2]'}, args: {n: {expr: $item}}, next: exit}
  - {id: exit, type: exit}
`

// asker is a user whose questions the test answers.
type asker struct {
	asked   chan execution.Question
	answers chan execution.Answer
}

func (a asker) Ask(ctx context.Context, q execution.Question) (execution.Answer, error) {
	a.asked <- q
	select {
	case answer := <-a.answers:
		return answer, nil
	case <-ctx.Done():
		return execution.Answer{}, ctx.Err()
	}
}

func startTidy(t *testing.T, o debug.StartOptions) (*debug.Session, asker) {
	t.Helper()
	file, err := config.Parse("graph.yaml", []byte(tidy), config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	graphs, found, _ := graph.Build(t.Context(), file)
	if found.Err() != nil {
		t.Fatal(found)
	}
	user := asker{make(chan execution.Question, 8), make(chan execution.Answer)}
	o.Run = append(o.Run, execution.WithUser(user))
	c := debug.New()
	t.Cleanup(c.Close)
	s, err := c.Start(t.Context(), graphs[0], count(3), execution.New(inc), o)
	if err != nil {
		t.Fatal(err)
	}
	return s, user
}

// waiting waits until the run asks, and returns its state then.
func waiting(t *testing.T, s *debug.Session) debug.State {
	t.Helper()
	for {
		state, changed := s.StateAndChange()
		switch {
		case state.Status == debug.Waiting:
			return state
		case state.Status.Ended() || state.Status == debug.Paused:
			t.Fatalf("the run is %s at %+v: %s", state.Status, state.Next, state.Message)
		}
		<-changed
	}
}

func keeps(keep bool) value.Value {
	return value.NewObject([]string{"keep"}, []value.Value{keep})
}

// A run that asks is waiting, with its question, until it is answered; a pause then holds it after
// the answer.
func TestWaitsForAnAnswer(t *testing.T) {
	s, user := startTidy(t, debug.StartOptions{})
	state := waiting(t, s)
	if state.Current == nil || state.Current.NodeID != "sure" || state.Question == nil || state.Question.Message != "Remove 3 files?" || state.Status.Ended() {
		t.Errorf("got %+v at %+v", state.Question, state.Current)
	}
	if err := s.Step(""); err == nil || !strings.Contains(err.Error(), "waits for an answer") {
		t.Errorf("a step: %v", err)
	}
	if err := s.Pause(); err != nil || !s.State().Pausing || s.State().Status != debug.Waiting {
		t.Errorf("a pause: %v, %+v", err, s.State())
	}
	user.answers <- execution.Answer{Action: execution.Accept, Content: keeps(true)}
	state = at(t, s, "remove", debug.OnPause)
	if state.Question != nil || len(user.asked) != 1 {
		t.Errorf("the question %+v is open still, %d asked", state.Question, len(user.asked))
	}
	if v, err := s.Evaluate(t.Context(), "$.sure.keep", ""); err != nil || v != true {
		t.Errorf("the answer is %v (%v)", v, err)
	}
	if err := s.Resume(""); err != nil {
		t.Fatal(err)
	}
	if state = waiting(t, s); state.Question.Calls != 2 || state.Question.Tool != "inc" || state.Current.NodeID != "remove" {
		t.Errorf("got %+v at %+v", state.Question, state.Current)
	}
	user.answers <- execution.Answer{Action: execution.Accept}
	ended(t, s, debug.Finished, "[2,3]")
	if state = s.State(); state.Question != nil {
		t.Errorf("the question %+v is open still", state.Question)
	}
	record, _ := s.History().Record("2.1")
	if record.Confirmed == nil {
		t.Errorf("the call is not confirmed: %+v", record)
	}
}

// A breakpoint holds before an ask, and before a call that is confirmed: nothing was asked then.
func TestBreakpointsHoldBeforeQuestions(t *testing.T) {
	s, user := startTidy(t, debug.StartOptions{Breakpoints: []debug.Breakpoint{{Node: "sure"}, {Node: "remove"}, {Node: "remove[]", Condition: "$index = 1"}}})
	at(t, s, "sure", debug.AtBreakpoint)
	if len(user.asked) != 0 {
		t.Error("the user is asked before the breakpoint")
	}
	if err := s.Next(""); err != nil {
		t.Fatal(err)
	}
	waiting(t, s)
	user.answers <- execution.Answer{Action: execution.Accept, Content: keeps(false)}
	at(t, s, "remove", debug.AtBreakpoint)
	if len(user.asked) != 1 {
		t.Errorf("%d questions before the call", len(user.asked))
	}
	if err := s.Resume(""); err != nil {
		t.Fatal(err)
	}
	waiting(t, s)
	user.answers <- execution.Answer{Action: execution.Accept}
	if state := at(t, s, "remove", debug.AtBreakpoint); state.Next.Part != "1" {
		t.Errorf("the run is paused at %+v", state.Next)
	}
	if err := s.Resume(""); err != nil {
		t.Fatal(err)
	}
	ended(t, s, debug.Finished, "[2,3]")
	if len(user.asked) != 2 {
		t.Errorf("%d questions", len(user.asked))
	}
}

// Stop ends a run that waits.
func TestStopWhileWaiting(t *testing.T) {
	s, _ := startTidy(t, debug.StartOptions{})
	waiting(t, s)
	s.Stop()
	if state := ended(t, s, debug.Stopped, ""); state.Question != nil || state.Current != nil {
		t.Errorf("got %+v", state)
	}
}
