package fold_test

import (
	"slices"
	"testing"

	"toolgraph/execution"
	"toolgraph/execution/fold"
)

func recordAt(frame execution.Address, index int, part, node string) execution.Event {
	return execution.Event{Kind: execution.StepFinished, Record: &execution.Record{Frame: frame, Index: index, Part: part, NodeID: node, Output: float64(index)}}
}

// The events of parts that ran at the same time are put in their frames, whatever their order.
func TestHistoryOfEvents(t *testing.T) {
	h := fold.NewHistory()
	h.Add(recordAt("", 0, "", "entry"))
	h.Add(execution.Event{Kind: execution.PartsStarted, Step: &execution.Visit{Index: 1, NodeID: "all"}, Parts: &execution.Parts{Count: 3}})
	for _, e := range []execution.Event{
		recordAt("1.2", 0, "", "in"), recordAt("1.0", 0, "", "in"), recordAt("1.2", 1, "", "out"), recordAt("", 1, "2", "all"), recordAt("1.0", 1, "", "out"),
	} {
		h.Add(e)
	}
	if got := h.Parts("1"); got.Count != 3 || got.Ended != 1 {
		t.Errorf("%+v", got)
	}
	if open := h.Open(""); open == nil || open.NodeID != "all" {
		t.Errorf("open: %+v", open)
	}
	if len(h.Records("")) != 1 || len(h.Records("1.0")) != 2 || h.Has("1.1") || h.Len() != 6 {
		t.Errorf("%d, %d, %v, %d", len(h.Records("")), len(h.Records("1.0")), h.Has("1.1"), h.Len())
	}
	var order []execution.Address
	for _, r := range h.Sorted() {
		order = append(order, r.At())
	}
	if want := []execution.Address{"0", "1.0/0", "1.0/1", "1.2/0", "1.2/1", "1.2"}; !slices.Equal(order, want) {
		t.Errorf("%v", order)
	}
	copied := fold.NewHistory()
	for range 2 { // the second time, there is nothing new
		copied.Follow(h, func(r execution.Record) execution.Record {
			r.Output = "changed"
			return r
		})
	}
	if r, ok := copied.Record("1.2/1"); !ok || r.Output != "changed" || copied.Len() != h.Len() || copied.Parts("1").Count != 3 {
		t.Errorf("%+v %d", r, copied.Len())
	}
}

// What is missing or wrong in recorded events costs nothing but what it would have said.
func TestHistoryOfBadEvents(t *testing.T) {
	h := fold.NewHistory()
	h.Add(execution.Event{Kind: execution.PartsStarted, Step: &execution.Visit{Index: 4, NodeID: "x"}, Parts: &execution.Parts{Count: 1 << 40}})
	h.Add(recordAt("7.9/3", 2, "", "lost"))
	h.Add(recordAt("", 9, "one", "late"))
	h.Add(execution.Event{Kind: execution.RunFinished, End: &execution.End{}})
	for _, at := range []execution.Address{"", "7.9/3", "4", "9.one", "9.two", "9.one.two", "//", "-1", "x"} {
		h.Record(at)
		h.Records(at)
		h.Open(at)
		h.Has(at)
		_, _ = h.Before(at)
		_, _ = h.Scope(t.Context(), nil, at)
	}
	if got := h.Parts("9"); got.Count != 1 || got.Name(0) != "0" {
		t.Errorf("%+v", got)
	}
}
