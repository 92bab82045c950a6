package journal

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// asks adds a question; calls is 0 for that of an ask.
func (f *flow) asks(at execution.Address, node, message, digest string, calls int) {
	q := &execution.Question{Message: message, Digest: digest, Calls: calls}
	kind := config.AskNode
	if calls > 0 {
		kind, q.Server, q.Tool, q.Effect = config.MCPNode, "up", "read", config.DestroyEffect
	}
	f.visit(execution.QuestionAsked, at, node, kind, 0).Question = q
}

// answers adds the answer to the last event.
func (f *flow) answers(action execution.Action, content value.Value) {
	asked := f.events[len(f.events)-1]
	step := *asked.Step
	f.add(execution.Event{
		Kind: execution.Answered, Step: &step, Sync: true,
		Answer: &execution.Answer{Action: action, Content: content, Digest: asked.Question.Digest, Stood: 3 * time.Second},
	})
}

var aForm = value.NewObject([]string{"keepNewest", "name"}, []value.Value{true, "a text of the user that is longer than what is compared with others"})

// asking is a run with all that questions leave: of an ask whose form is filled in, of one that is
// declined, of a call, of the calls of a forEach, and in a frame.
func asking(id string) []execution.Event {
	args := value.NewObject([]string{"n"}, []value.Value{1.0})
	f := newFlow(id, args)
	f.record("0", "entry", config.EntryNode, args)
	f.asks("1", "sure", "Remove 12 files?", "d1", 0)
	f.answers(execution.Accept, aForm)
	f.record("1", "sure", config.AskNode, aForm)
	f.asks("2", "call", "Tool \"tool\" is about to call up.read", "d2", 1)
	f.answers(execution.Accept, nil)
	agreed := f.at.UTC()
	f.call("2", 0)
	f.record("2", "call", config.MCPNode, "done").Confirmed = &execution.Confirmation{At: agreed, Digest: "d2"}
	f.starts("3", "call", config.MCPNode, execution.Parts{Count: 2, Digest: "d"})
	f.asks("3", "call", "2 times", "d3", 2)
	f.answers(execution.Accept, nil)
	agreed = f.at.UTC()
	for _, at := range []execution.Address{"3.0", "3.1"} {
		f.call(at, 0)
		f.record(at, "call", config.MCPNode, 1.0).Confirmed = &execution.Confirmation{At: agreed, Digest: "d3"}
	}
	f.record("3", "call", config.MCPNode, []any{1.0, 1.0}).Parts = 2
	f.record("4/0", "entry", config.EntryNode, args)
	f.asks("4/1", "really", "Really?", "d4", 0)
	f.answers(execution.Decline, nil)
	declined := f.record("4/1", "really", config.AskNode, "no")
	declined.Handled = &execution.Failure{Code: execution.CodeUser, Detail: "declined", Message: "the user declined"}
	f.record("4/2", "exit", config.ExitNode, "no")
	f.record("4", "sub", config.GraphNode, "no")
	f.asks("5", "late", "Are you there?", "d5", 0)
	f.answers(execution.TimedOut, nil)
	f.record("5", "late", config.AskNode, value.Null).Handled = &execution.Failure{Code: execution.CodeUser, Detail: "timeout", Message: "late"}
	f.record("6", "exit", config.ExitNode, value.Null)
	all := f.end(value.Null)
	all[len(all)-1].End.Spilled = 123456
	return all
}

// Questions, answers and confirmations come back as they were.
func TestQuestionsComeBack(t *testing.T) {
	want := asking("ASKING")
	if err := execution.CheckEvents(want); err != nil {
		t.Fatal(err)
	}
	s := inStore(t, want)
	got, err := s.Journal(nil, About{}).Load(t.Context(), "ASKING")
	if err != nil || len(got) != len(want) {
		t.Fatal(len(got), err)
	}
	for i := range want {
		if got, want := asJSON(t, got[i]), asJSON(t, want[i]); got != want {
			t.Errorf("event %d\ngot  %s\nwant %s", i+1, got, want)
		}
	}
	r, err := s.Run(t.Context(), "ASKING")
	if err != nil || r.Question != nil || r.Questions != 5 || r.Spilled != 123456 || r.Status != Finished {
		t.Errorf("%+v %v", r, err)
	}
	if err := s.Verify(t.Context(), r); err != nil {
		t.Error(err)
	}
	asked, err := s.Questions(t.Context(), "ASKING", func(at execution.Address) bool { return at == "1" || at == "5" }, 0)
	if err != nil || len(asked) != 2 {
		t.Fatal(asked, err)
	}
	if a := asked[0]; a.Message != "Remove 12 files?" || a.Node != "sure" || a.Answer.Action != execution.Accept || string(a.Content.JSON) != encoded(t, aForm) || !a.At.After(a.Time) {
		t.Errorf("%+v", a)
	}
	if a := asked[1]; a.Answer.Action != execution.TimedOut || a.Content.JSON != nil {
		t.Errorf("%+v", a)
	}
}

// What the user has filled in is stored once: the output of the ask refers to it.
func TestAnswersAreStoredOnce(t *testing.T) {
	long := value.NewObject([]string{"text"}, []value.Value{strings.Repeat("x", 10_000)})
	f := newFlow("ONCE", value.Null)
	f.record("0", "entry", config.EntryNode, value.Null)
	f.asks("1/0", "sure", "?", "d1", 0) // in a frame, whose steps follow each other
	f.answers(execution.Accept, long)
	f.record("1/0", "sure", config.AskNode, long)
	if n := written(t, f.events); n > 12_000 {
		t.Errorf("%d bytes", n)
	}
	tr := track{view: &view{store: &Store{opts: Options{MaxValue: 1 << 20}}}} // as a resumed run begins
	for _, e := range f.events[2:] {
		if err := tr.add(e, 0); err != nil {
			t.Fatal(err)
		}
	}
	if _, open := tr.recent["1/0"]; open {
		t.Error("the answer stays in memory after the ask has ended")
	}
}

// kill lets go of the lease of a store as the end of its process does, when all events so far are
// in the database.
func kill(t *testing.T, s *Store) {
	t.Helper()
	if _, err := s.Run(t.Context(), "last"); err != nil {
		t.Fatal(err)
	}
	Die(s)
}

// A run is cut after each event: what it has comes back, its open question is known while its
// process lives and after it, and it can be continued to the same events.
func TestCutBetweenQuestions(t *testing.T) {
	want := asking("ASKING")
	for n := 1; n < len(want); n++ {
		s := inStore(t, want[:n])
		var open facts
		for i := range want[:n] {
			open.follow(&want[i])
		}
		status := Running
		if open.Question != nil {
			status = Waiting
		}
		for _, filter := range []Status{Running, Waiting} {
			found, err := s.List(t.Context(), Filter{Status: filter})
			if err != nil || (len(found) == 1) != (filter == status) || len(found) == 1 && found[0].Status != status {
				t.Errorf("after %d events, %s: %+v %v", n, filter, found, err)
			}
		}
		kill(t, s)
		other, err := Open(filepath.Dir(s.Path()), Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := other.Run(t.Context(), "ASKING")
		if err != nil || r.Status != Interrupted || (r.Question != nil) != (open.Question != nil) {
			t.Fatalf("after %d events: %+v %v", n, r, err)
		}
		if q := r.Question; q != nil && (q.Digest != want[n-1].Question.Digest || q.Message == "" || q.Address != want[n-1].At()) {
			t.Errorf("after %d events: %+v", n, q)
		}
		if err := other.Verify(t.Context(), r); err != nil {
			t.Errorf("after %d events: %v", n, err)
		}
		j := other.Journal(nil, About{})
		got, err := j.Load(t.Context(), "ASKING")
		if err != nil || asJSON(t, got) != asJSON(t, want[:n]) {
			t.Errorf("after %d events: %d come back, %v", n, len(got), err)
		}
		if err := other.Claim(t.Context(), "ASKING"); err != nil {
			t.Fatal(err)
		}
		if open.Question != nil { // it is asked again
			if err := j.Append(t.Context(), want[n-1]); err != nil {
				t.Fatal(err)
			}
		}
		for _, e := range want[n:] {
			if err := j.Append(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
		got, err = other.Load(t.Context(), "ASKING")
		if err != nil || asJSON(t, got[n:][len(got)-len(want):]) != asJSON(t, want[n:]) || execution.CheckEvents(got) != nil {
			t.Errorf("after %d events: %d in the end, %v, %v", n, len(got), err, execution.CheckEvents(got))
		}
		if r, err = other.Run(t.Context(), "ASKING"); err != nil || r.Status != Finished || r.Question != nil || other.Verify(t.Context(), r) != nil {
			t.Errorf("after %d events: %+v %v", n, r, err)
		}
		if err := errors.Join(other.Close(), s.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// A question whose step ends in another way, by a limit or with a part beside it, is not open any more.
func TestQuestionsEndWithTheirStep(t *testing.T) {
	for _, ends := range []execution.Address{"1.0/2", "1.0", "1", "2", ""} {
		f := newFlow("ENDS", value.Null)
		f.record("0", "entry", config.EntryNode, value.Null)
		f.starts("1", "each", config.GraphNode, execution.Parts{Count: 2, Digest: "d"})
		f.asks("1.0/2", "sure", "?", "d1", 0)
		f.record("1.1", "each", config.GraphNode, nil) // another part, which does not wait
		known := facts{}
		for i := range f.events {
			known.follow(&f.events[i])
		}
		if known.Question == nil || known.Question.Node != "inner:sure" {
			t.Fatalf("%+v", known)
		}
		last := f.end(value.Null)
		if ends != "" {
			f.record(ends, "sure", config.AskNode, nil)
			last = f.events
		}
		known.follow(&last[len(last)-1])
		if known.Question != nil {
			t.Errorf("after %s: %+v", ends, known.Question)
		}
	}
}
