package journal

import (
	"errors"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// The result of a run is found at its end, by the complete id alone: a value of its own, one with a
// row of its own, and one that is made of parts; a part that is too large is a gap of the whole.
func TestResult(t *testing.T) {
	list := func(items ...string) []execution.Event {
		return each("RUN1", len(items), 2, func(i int) value.Value { return items[i] })
	}
	plain := newFlow("RUN1", value.Null)
	for i := range 3000 { // several chunks
		plain.record(execution.AddressOf("", i, ""), "call", config.MCPNode, float64(i))
	}
	large := strings.Repeat("x", 1<<20)
	for _, c := range []struct {
		events []execution.Event
		want   string
		gap    Reason
	}{
		{plain.end("value"), `"value"`, ""},
		{newFlow("RUN1", value.Null).end(large[:300_000]), `"` + large[:300_000] + `"`, ""},
		{newFlow("RUN1", value.Null).end("a hunter2-hunter2"), `"a [redacted]"`, Redacted},
		{newFlow("RUN1", value.Null).end(large), `{"toolgraph/notKept":{"reason":"too-large","bytes":1048578,"limit":1048576}}`, TooLarge},
		{list("a", "b"), `["a","b"]`, ""},
		{list("a", large), `["a",{"toolgraph/notKept":{"reason":"too-large","bytes":1048578,"limit":1048576}}]`, TooLarge},
		{flown("RUN1"), "", ""},
	} {
		s := inStore(t, c.events, "hunter2-hunter2")
		got, err := s.Result(t.Context(), "RUN1")
		if c.want == "" {
			c.want = encoded(t, c.events[len(c.events)-1].End.Value)
		}
		if err != nil || string(got.JSON) != c.want || (got.Gap == nil) != (c.gap == "") || got.Gap != nil && got.Gap.Reason != c.gap {
			t.Errorf("got %.200s %+v %v, want %.200s", got.JSON, got.Gap, err, c.want)
		}
		for _, id := range []string{"", "RUN", "last", "run1", "RUN1 ", "%"} {
			_, resultErr := s.Result(t.Context(), id)
			if _, err := s.Exact(t.Context(), id); !errors.Is(err, ErrNotFound) || !errors.Is(resultErr, ErrNotFound) {
				t.Errorf("%q: %v, %v", id, err, resultErr)
			}
		}
		if run, err := s.Exact(t.Context(), "RUN1"); err != nil || run.ID != "RUN1" {
			t.Errorf("%+v, %v", run, err)
		}
	}
}

// A run that failed, or has not ended, has no result.
func TestNoResult(t *testing.T) {
	open := newFlow("RUN1", value.Null)
	open.record("0", "entry", config.EntryNode, value.Null)
	failed := newFlow("RUN1", value.Null)
	failed.add(execution.Event{Kind: execution.RunFinished, End: &execution.End{Failure: failure}})
	for _, events := range [][]execution.Event{open.events, failed.events} {
		if got, err := inStore(t, events).Result(t.Context(), "RUN1"); !errors.Is(err, ErrNotFound) {
			t.Errorf("got %+v, %v", got, err)
		}
	}
}
