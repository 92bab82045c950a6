package lock

import (
	"slices"
	"strings"
	"testing"

	"toolgraph/expressions/value"
)

func TestLearn(t *testing.T) {
	free := pin(t, `{"name":"free"}`)
	declared := pin(t, listing)
	never := pin(t, `{"name":"never"}`)
	answers := []Answer{}
	for _, src := range []string{`{"name":"a","size":1}`, `{"name":"b"}`} {
		v, err := value.Decode([]byte(src))
		if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, Answer{"files", "free", v}, Answer{"files", "list", v}, Answer{"web", "free", v})
	}
	before := Of("g", free, declared, never)
	after := before.Learn(slices.Values(answers))
	got, _ := after.Entry("files", "free")
	if got.Learned != 2 || got.Hash != free.Hash || !strings.Contains(string(got.Output), `"name":{"type":"string"}`) || !strings.Contains(string(got.Output), `"required":["name"]`) {
		t.Errorf("learned %+v %s", got, got.Output)
	}
	if was, _ := before.Entry("files", "free"); was.Output != nil {
		t.Error("the lock before has changed")
	}
	for _, name := range []string{"list", "never"} {
		was, _ := before.Entry("files", name)
		is, _ := after.Entry("files", name)
		if is.Learned != 0 || string(is.Output) != string(was.Output) {
			t.Errorf("%s: %+v", name, is)
		}
	}
	changes := before.Compare(after)
	if len(changes) != 1 || changes[0].Kind != Learned {
		t.Errorf("got %+v", changes)
	}
	src := string(after.Encode())
	if !strings.Contains(src, "learned: true") || !strings.Contains(src, "answers: 2") {
		t.Errorf("got\n%s", src)
	}
	if known, _ := after.Tool("files", "free"); !known.Learned {
		t.Errorf("got %+v", known)
	}
	// What was learned is kept while the tool is the same, and no longer.
	if e, _ := before.Recall(after).Entry("files", "free"); e.Learned != 2 {
		t.Errorf("recalled %+v", e)
	}
	other := Of("g", pin(t, `{"name":"free","title":"x"}`))
	if e, _ := other.Recall(after).Entry("files", "free"); e.Learned != 0 {
		t.Errorf("recalled for another tool: %+v", e)
	}
	if e, _ := before.Recall(nil).Entry("files", "free"); e.Learned != 0 {
		t.Errorf("recalled from nothing: %+v", e)
	}
}

// A tool that has answered with nothing gets no outputSchema: none allows that.
func TestLearnNothing(t *testing.T) {
	before := Of("g", pin(t, `{"name":"free"}`))
	learned := before.Learn(slices.Values([]Answer{{"files", "free", 1.0}}))
	if e, _ := learned.Entry("files", "free"); e.Learned != 1 {
		t.Errorf("learned %+v", e)
	}
	after := learned.Learn(slices.Values([]Answer{{"files", "free", 1.0}, {"files", "free", nil}}))
	if e, _ := after.Entry("files", "free"); e.Learned != 0 || e.Output != nil {
		t.Errorf("learned %+v", e)
	}
}
