package journal

import (
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// besides are three parts that ask at the same time; the second one is answered, and the third one ends otherwise.
func besides(id string) []execution.Event {
	f := newFlow(id, value.Null)
	f.record("0", "entry", config.EntryNode, value.Null)
	f.starts("1", "each", config.GraphNode, execution.Parts{Count: 3, Digest: "d"})
	for _, at := range []execution.Address{"1.0/1", "1.1/1", "1.2/1"} {
		f.asks(at, "sure", "Is it "+string(at)+"?", "d"+string(at), 0)
		f.events[len(f.events)-1].Question.Beside = true
	}
	asked := f.events[len(f.events)-2]
	step := *asked.Step
	f.add(execution.Event{
		Kind: execution.Answered, Step: &step, Sync: true, Answer: &execution.Answer{Action: execution.Accept, Digest: asked.Question.Digest},
	})
	f.record("1.2", "each", config.GraphNode, nil)
	return f.events
}

// addresses are those of the open questions of a run.
func addresses(r Run) string {
	var all []string
	for _, q := range r.Open() {
		all = append(all, string(q.Address))
	}
	return strings.Join(all, " ")
}

// Several questions of a run are open at once, also after the end of its process; each is closed by its answer or by the
// end of its part. The run that is resumed asks again beside those that are still open, or alone.
func TestQuestionsBeside(t *testing.T) {
	all := besides("BESIDE")
	for n, want := range map[int]string{4: "1.0/1", 6: "1.0/1 1.1/1 1.2/1", 7: "1.0/1 1.2/1", 8: "1.0/1"} {
		dir := t.TempDir()
		s, err := openPlace(t, dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		for _, e := range all[:n] {
			if err := s.Journal(nil, About{}).Append(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
		r, err := s.Run(t.Context(), "BESIDE")
		if err != nil || addresses(r) != want || r.Status != Waiting || s.Verify(t.Context(), r) != nil {
			t.Errorf("after %d events: %s, %s, %v, want %s", n, addresses(r), r.Status, err, want)
		}
	}
	var known facts
	for i := range all[:6] {
		known.follow(&all[i])
	}
	again := all[3] // the first question
	known.follow(&again)
	if got := addresses(Run{Question: known.Question, Beside: known.Beside}); got != "1.0/1 1.1/1 1.2/1" {
		t.Errorf("asked again: %s", got)
	}
	alone := *again.Question
	alone.Beside, again.Question = false, &alone
	known.follow(&again)
	if got := addresses(Run{Question: known.Question, Beside: known.Beside}); got != "1.0/1" {
		t.Errorf("asked again alone: %s", got)
	}
}

// An earlier version reads the row of a run with several questions, and sees the first.
func TestFirstOfSeveralQuestions(t *testing.T) {
	s := inStore(t, besides("BESIDE")[:6])
	kill(t, s)
	other, err := Open(filepath.Dir(s.Path()), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	r, err := other.Run(t.Context(), "BESIDE")
	if err != nil || r.Status != Interrupted || addresses(r) != "1.0/1 1.1/1 1.2/1" {
		t.Errorf("%s, %s, %v", r.Status, addresses(r), err)
	}
	if text := r.facts().text(); !strings.HasPrefix(text, `{"question":{"address":"1.0/1",`) {
		t.Errorf("%s", text)
	}
}
