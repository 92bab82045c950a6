package journal

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/cost"
)

func historyOf(t *testing.T, s *Store, id string) *History {
	t.Helper()
	h, err := s.History(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func all(n int) []int {
	places := make([]int, n)
	for i := range places {
		places[i] = i
	}
	return places
}

// Steps come in the order of their addresses, with the outputs that they have in the events,
// whole and truncated at any byte.
func TestHistory(t *testing.T) {
	events := flown("FLOW")
	outputs := map[execution.Address]value.Value{}
	var want []string
	for _, e := range events {
		if e.Record != nil {
			want = append(want, string(e.At()))
			outputs[e.At()] = e.Record.Output
		}
	}
	slices.SortFunc(want, func(a, b string) int { return execution.Address(a).Compare(execution.Address(b)) })
	s := inStore(t, events)
	h := historyOf(t, s, "FLOW")
	var got []string
	for i := range h.Len() {
		got = append(got, string(h.At(i)))
	}
	if !slices.Equal(got, want) {
		t.Fatalf("got  %v\nwant %v", got, want)
	}
	for most := range 250 {
		steps, err := h.Steps(t.Context(), all(h.Len()), most)
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range steps {
			output, at := outputs[step.Record.At()], step.Record.At()
			if output == nil {
				if !step.Output.Nothing || step.Output.JSON != nil {
					t.Fatalf("step %s: %+v", at, step.Output)
				}
				continue
			}
			whole := encoded(t, output)
			want := whole[:min(len(whole), most)]
			if most == 0 {
				want = whole
			}
			if string(step.Output.JSON) != want || step.Output.Bytes != len(whole) || step.Output.Truncated != (len(want) < len(whole)) {
				t.Fatalf("step %s, %d bytes: %s %+v, want %s of %d", at, most, step.Output.JSON, step.Output, want, len(whole))
			}
		}
	}
	one, err := h.Steps(t.Context(), []int{h.First("3")}, 3)
	if err != nil || one[0].Record.At() != "3.news/0" {
		t.Errorf("%+v %v", one, err)
	}
	for at, want := range map[execution.Address]Below{
		"": {Steps: 20}, "0": {}, "1": {Steps: 9, Parts: 3, Handled: 1}, "1.0": {Steps: 2}, "1.0/1": {}, "3": {Steps: 4, Parts: 3}, "4": {Steps: 1}, "9": {},
	} {
		if got := h.Below(at); got != want {
			t.Errorf("below %q are %+v, want %+v", at, got, want)
		}
	}
}

// A page of parts is cheap, however many values the other parts have: no value is decoded or kept
// that is not shown.
func TestPageOfManyParts(t *testing.T) {
	if testing.Short() {
		t.Skip("bytes are counted, and the race detector's runs, which are short, allocate more")
	}
	s := inStore(t, each("MANY", 10_000, 64, func(i int) value.Value {
		return value.NewObject([]string{"text"}, []value.Value{fmt.Sprintf("%0200d", i)})
	}))
	h := historyOf(t, s, "MANY")
	if h.Len() != 40_003 {
		t.Fatal(h.Len())
	}
	first, ok := h.Find("1.200")
	if !ok {
		t.Fatal("no part 200")
	}
	var page []int
	for i := range 200 {
		place, ok := h.Find(execution.AddressOf("", 1, fmt.Sprint(200+i)))
		if !ok {
			t.Fatal("no part", 200+i)
		}
		page = append(page, place)
	}
	if page[0] != first {
		t.Fatal(page[0], first)
	}
	bytes := bytesOf(func() {
		steps, err := h.Steps(t.Context(), page, 20)
		if err != nil || len(steps) != 200 || !strings.HasPrefix(string(steps[7].Output.JSON), `{"text":"0000`) || steps[7].Record.Part != "207" {
			t.Fatalf("%d steps, %v", len(steps), err)
		}
	})
	t.Logf("a page of 200 parts of 10,000 allocates %d KiB", bytes>>10)
	if bytes > 2<<20 {
		t.Errorf("a page of 200 parts allocates %d bytes", bytes)
	}
	list, _ := h.Find("1")
	bytes = bytesOf(func() {
		steps, err := h.Steps(t.Context(), []int{list}, 100)
		if err != nil || len(steps[0].Output.JSON) != 100 || steps[0].Output.Bytes != 10_000*(200+len(`{"text":""},`))+1 {
			t.Fatalf("%+v %v", steps, err)
		}
	})
	t.Logf("the first 100 bytes of the list allocate %d KiB", bytes>>10)
	if bytes > 2<<20 {
		t.Errorf("the beginning of the list allocates %d bytes", bytes)
	}
	steps, err := h.Steps(t.Context(), []int{list}, 0)
	if err != nil || steps[0].Output.Truncated || len(steps[0].Output.JSON) != steps[0].Output.Bytes {
		t.Errorf("%d of %d bytes, %v", len(steps[0].Output.JSON), steps[0].Output.Bytes, err)
	}
}

func bytesOf(f func()) uint64 { return cost.Of(f).Bytes }

// An exported run with parts comes back as it was; one whose list is not that of its parts is
// refused, and so are names that cannot be shown.
func TestImportOfParts(t *testing.T) {
	s := inStore(t, flown("FLOW"))
	exported, err := s.Load(t.Context(), "FLOW")
	if err != nil {
		t.Fatal(err)
	}
	run, err := s.Run(t.Context(), "FLOW")
	if err != nil {
		t.Fatal(err)
	}
	other := inStore(t, nil)
	if err := other.Import(t.Context(), run, exported); err != nil {
		t.Fatal(err)
	}
	imported, err := other.Load(t.Context(), "FLOW")
	if err != nil || asJSON(t, imported) != asJSON(t, exported) {
		t.Errorf("%v\ngot  %s\nwant %s", err, asJSON(t, imported), asJSON(t, exported))
	}
	for want, spoil := range map[string]func(r *execution.Record){
		"the output of step 1 is not made of its 3 parts": func(r *execution.Record) {
			if r.Parts > 0 && r.Index == 1 {
				r.Output = []any{1.0}
			}
		},
		"has control or hidden characters": func(r *execution.Record) {
			if r.Handled != nil {
				r.Handled.Callers[0].Tool = "a\u202eb"
			}
		},
		"the number of steps before it in frame 3.news": func(r *execution.Record) {
			if r.Frame == "3.news" {
				r.Index = 1
			}
		},
	} {
		events, err := s.Load(t.Context(), "FLOW")
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if e.Record != nil {
				spoil(e.Record)
			}
		}
		err = inStore(t, nil).Import(t.Context(), run, events)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
