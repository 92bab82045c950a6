package fold_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"toolgraph/execution"
	"toolgraph/execution/fold"
)

// at is a time so many milliseconds after a run began.
func at(ms int) time.Time { return time.UnixMilli(1_000_000 + int64(ms)) }

func started() *fold.History {
	h := fold.NewHistory()
	h.Add(execution.Event{Kind: execution.RunStarted, Time: at(0), Start: &execution.Start{}})
	return h
}

// took adds an execution or a part.
func took(h *fold.History, index int, node, part string, from, to int, change ...func(*execution.Record)) {
	r := execution.Record{Index: index, Part: part, NodeID: node, Start: at(from), End: at(to)}
	for _, f := range change {
		f(&r)
	}
	h.Add(execution.Event{Kind: execution.StepFinished, Record: &r})
}

// Items and turns are counted on their own and add nothing to the time of their node; what is copied, edited or
// skipped has taken no time in this run.
func TestTimes(t *testing.T) {
	h := started()
	took(h, 0, "entry", "", -50, -40) // copied
	for i := range 20 {
		took(h, 1, "all", fmt.Sprint(i), 10*i, 10*i+i+1)
	}
	took(h, 1, "all", "", 0, 200)
	took(h, 2, "both", "one", 200, 210)
	took(h, 2, "both", "", 200, 230, func(r *execution.Record) { r.Error = &execution.Failure{} })
	took(h, 3, "both", "", 230, 240)
	took(h, 3, "both", "", 230, 900, func(r *execution.Record) { r.Edited = true })
	took(h, 4, "never", "", 240, 241, func(r *execution.Record) { r.Skipped = true })
	took(h, 5, "$steps", "texts.0.read", 240, 245)
	took(h, 5, "$steps", "texts.1.read", 240, 247)
	took(h, 5, "$steps", "job@1", 250, 253)
	var got []string
	for _, of := range h.Times() {
		got = append(got, fmt.Sprintf("%s: %d, %d failed, %d parts, %v, p50 %v, p95 %v", of.Node, of.Count, of.Failed, of.Parts, of.Took, of.P50, of.P95))
	}
	want := `all: 1, 0 failed, 20 parts, 200ms, p50 10ms, p95 19ms
both.one: 1, 0 failed, 0 parts, 10ms, p50 10ms, p95 10ms
both: 2, 1 failed, 0 parts, 40ms, p50 10ms, p95 30ms
job: 0, 0 failed, 1 parts, 0s, p50 3ms, p95 3ms
texts.read: 2, 0 failed, 0 parts, 12ms, p50 5ms, p95 7ms`
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}

// The nodes of which one run took longer come first, also those that one run alone came to.
func TestCompareTimes(t *testing.T) {
	a, b := started(), started()
	took(a, 0, "same", "", 0, 10)
	took(a, 1, "slow", "", 10, 20)
	took(a, 2, "gone", "", 20, 25)
	took(b, 0, "same", "", 0, 10)
	took(b, 1, "slow", "", 10, 110)
	took(b, 2, "new", "", 110, 113)
	var got []string
	for _, of := range fold.CompareTimes(a, b) {
		if of.A.Node != of.B.Node {
			t.Errorf("%+v", of)
		}
		got = append(got, fmt.Sprintf("%s %d→%d %v", of.A.Node, of.A.Count, of.B.Count, of.Difference()))
	}
	if text := strings.Join(got, ", "); text != "slow 1→1 90ms, gone 1→0 -5ms, new 0→1 3ms, same 1→1 0s" {
		t.Errorf("got %s", text)
	}
}

// A run is idle where nothing runs, and where all that runs waits for its user; what is around a part that runs does
// not count as work.
func TestIdle(t *testing.T) {
	h := started()
	visit := func(index int, node, part string) *execution.Visit {
		return &execution.Visit{Index: index, NodeID: node, Part: part}
	}
	event := func(kind execution.EventKind, ms int, v *execution.Visit) {
		h.Add(execution.Event{Kind: kind, Time: at(ms), Step: v})
	}
	took(h, 0, "entry", "", 0, 10)
	event(execution.PartsStarted, 10, visit(1, "all", ""))
	took(h, 1, "all", "0", 10, 100)
	took(h, 1, "all", "1", 600, 700) // 500 with no part
	took(h, 1, "all", "", 10, 700)
	event(execution.QuestionAsked, 700, visit(2, "ask", ""))
	event(execution.Answered, 2700, visit(2, "ask", ""))
	took(h, 2, "ask", "", 700, 2710)
	event(execution.CallStarted, 2710, visit(3, "call", ""))
	idle := func(end int) string {
		var got []string
		for _, gap := range h.Idle(at(end), 300*time.Millisecond) {
			got = append(got, fmt.Sprintf("%d–%d", gap[0].Sub(at(0)).Milliseconds(), gap[1].Sub(at(0)).Milliseconds()))
		}
		return strings.Join(got, " ")
	}
	if got := idle(9000); got != "100–600 700–2700" {
		t.Errorf("got %s", got)
	}
	event(execution.QuestionAsked, 3000, visit(3, "call", ""))
	if got := idle(9000); got != "100–600 700–2700 2710–9000" {
		t.Errorf("while a question is open: got %s", got)
	}
}
