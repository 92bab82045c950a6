package execution

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"

	"toolgraph/expressions/value"

	"pgregory.net/rapid"
)

// The context kept step by step equals the one rebuilt from the records, for every
// index.
func TestContextEqualsRebuilt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newState(0)
		n := rapid.IntRange(0, 60).Draw(t, "n")
		for i := range n {
			rec := Record{Index: i, NodeID: rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "id"), Start: time.Now()}
			if rapid.Float64Range(0, 1).Draw(t, "fails") < 0.1 {
				rec.Error = &Failure{Code: CodeTool}
			} else {
				rec.Output = anyOutput(t)
				rec.Bytes = 1
			}
			if s.Count(rec.NodeID) > 0 && rapid.Float64Range(0, 1).Draw(t, "is an edit") < 0.3 {
				rec.Edited, rec.Error, rec.Output, rec.Bytes = true, nil, anyOutput(t), 1
			}
			seen := s.Executions(rec.NodeID)
			had := slices.Clone(seen)
			if err := s.apply(&rec); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(seen, had) {
				t.Fatal("a list that was handed out has changed")
			}
			same(t, s)
		}
	})
}

// anyOutput is an output: nothing, null or a number.
func anyOutput(t *rapid.T) any {
	return rapid.OneOf(rapid.Just[any](nil), rapid.Just(value.Null), rapid.Map(rapid.Int16(), func(i int16) any { return float64(i) })).Draw(t, "out")
}

// values are the records that are pointed to.
func values(pointers []*Record) []Record {
	records := make([]Record, len(pointers))
	for i, r := range pointers {
		records[i] = *r
	}
	return records
}

// same compares the state with a rebuild from its records, and with one from the records
// as a journal keeps them.
func same(t *rapid.T, s *state) {
	t.Helper()
	if got := Context(values(s.records)); !reflect.DeepEqual(got, s.context) {
		t.Fatalf("rebuilt %v, kept %v", got, s.context)
	}
	rebuilt := newState(0)
	for _, r := range s.records {
		if err := rebuilt.apply(r); err != nil {
			t.Fatal(err)
		}
	}
	if read := Context(throughJSON(t, values(s.records))); !reflect.DeepEqual(read, s.context) {
		t.Fatalf("from the journal %v, live %v", read, s.context)
	}
	samePrevious(t, s)
	sameOutputs(t, s)
	for _, id := range []string{"a", "b", "c", "d"} {
		if rebuilt.Count(id) != s.Count(id) {
			t.Fatalf("%s: rebuilt count %d, kept %d", id, rebuilt.Count(id), s.Count(id))
		}
		for i := -s.Count(id) - 1; i <= s.Count(id); i++ {
			got, ok := s.Execution(id, i)
			want, wantOK := rebuilt.Execution(id, i)
			if ok != wantOK || !reflect.DeepEqual(got, want) {
				t.Fatalf("%s[%d]: kept %v %v, rebuilt %v %v", id, i, got, ok, want, wantOK)
			}
		}
	}
}

// throughJSON are the records as they come out of a journal.
func throughJSON(t *rapid.T, records []Record) []Record {
	t.Helper()
	src, err := json.Marshal(records)
	if err != nil {
		t.Fatal(err)
	}
	var read []Record
	if err := json.Unmarshal(src, &read); err != nil {
		t.Fatal(err)
	}
	return read
}

// sameOutputs compares the context and what is known of each node with the outputs that
// its executions have after all edits, found without the state.
func sameOutputs(t *rapid.T, s *state) {
	t.Helper()
	all := map[string][]any{}
	for _, r := range s.records {
		switch list := all[r.NodeID]; {
		case r.Edited:
			list[len(list)-1] = r.Output
		case r.Error == nil:
			all[r.NodeID] = append(list, r.Output)
		}
	}
	for _, id := range []string{"a", "b", "c", "d"} {
		var values []any
		for _, v := range all[id] {
			if v != nil {
				values = append(values, v)
			}
		}
		if got := s.Executions(id); s.Count(id) != len(all[id]) || !slices.Equal(got, values) {
			t.Fatalf("%s: %d executions with the outputs %v, want %d with %v", id, s.Count(id), got, len(all[id]), values)
		}
		value, has := s.context[id]
		if n := len(all[id]); has != (n > 0 && all[id][n-1] != nil) || has && value != all[id][n-1] {
			t.Fatalf("%s is %v (%v) in the context, its outputs are %v", id, value, has, all[id])
		}
	}
}

// samePrevious compares Previous with the outputs that executions have after all edits,
// found by replaying the records one by one.
func samePrevious(t *rapid.T, s *state) {
	t.Helper()
	var outputs []any        // of each execution
	last := map[string]int{} // the last execution of a node
	for _, r := range s.records {
		switch {
		case r.Edited:
			outputs[last[r.NodeID]] = r.Output
		default:
			if r.Error == nil {
				last[r.NodeID] = len(outputs)
			}
			outputs = append(outputs, r.Output)
		}
	}
	for n := 0; n <= len(outputs)+1; n++ {
		got, ok := s.Previous(n)
		if want := n >= 1 && n <= len(outputs); ok != want || ok && !reflect.DeepEqual(got, outputs[len(outputs)-n]) {
			t.Fatalf("previous(%d) is %v, %v of %v", n, got, ok, outputs)
		}
	}
}

func TestRecordsAreInOrder(t *testing.T) {
	s := newState(0)
	if err := s.apply(&Record{Index: 1}); err == nil {
		t.Error("a record was skipped")
	}
	if err := s.apply(&Record{NodeID: "a", Edited: true}); err == nil {
		t.Error("a node was edited that has not run")
	}
}
