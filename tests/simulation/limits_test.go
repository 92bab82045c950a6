package simulation

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// usage is what a run has used up of what is limited.
type usage struct {
	executions, calls, bytes, depth int
}

// used returns what a journal has of a run; calls are not counted.
func used(events []execution.Event) usage {
	u := usage{depth: 1}
	for i := range events {
		e := &events[i]
		u.depth = max(u.depth, e.At().Depth())
		if e.Kind == execution.StepFinished {
			u.executions++
			u.bytes += sizeOf(e.Record)
		}
	}
	return u
}

// sizeOf is what a record counts for maxHistoryBytes: values that are made of other ones add
// nothing.
func sizeOf(r *execution.Record) int {
	switch {
	case r.Error != nil, r.Output == nil, r.Parts > 0, r.NodeType == config.ExitNode, r.NodeType == config.EntryNode && r.Frame == "",
		r.NodeType == config.GraphNode && r.Handled == nil:
		return 0
	}
	return value.Size(r.Output)
}

// used returns what the run has used up, as far as its journal knows. An answer of a call that an
// operator gave is no call.
func (w *world) used() usage {
	u := used(w.events)
	u.calls = -w.lostCalls
	for _, entries := range w.ledger {
		u.calls += len(entries)
	}
	return u
}

// checkUsage checks that no limit is exceeded, at any moment.
func (w *world) checkUsage() {
	s, u := w.s, w.used()
	for _, c := range []struct {
		what      string
		used, max int
	}{{"executions", u.executions, s.maxExecutions}, {"calls", u.calls, s.maxCalls}, {"bytes", u.bytes, s.maxBytes}, {"frames", u.depth, s.maxDepth}} {
		if c.max > 0 && c.used > c.max {
			w.violate("the run has %d %s, and the limit is %d", c.used, c.what, c.max)
		}
	}
}

// limited returns the scenario with a limit that an undisturbed run may reach, and whether it
// must reach it.
func (s *scenario) limited(t *testing.T, w *world, whole usage) (*scenario, bool) {
	out := *s
	most, must := 0, false
	below := func(n int) int {
		most = 1 + w.rng.IntN(n)
		must = most < n
		return most
	}
	kinds := []string{"maxNodeExecutions", "maxHistoryBytes", "maxExecutionTimeMs", "maxCalls", "maxDepth"}
	key := kinds[w.rng.IntN(len(kinds))]
	switch key {
	case "maxNodeExecutions":
		out.maxExecutions = below(whole.executions)
	case "maxHistoryBytes":
		out.maxBytes = below(max(1, whole.bytes))
	case "maxCalls":
		out.maxCalls = below(max(1, whole.calls))
	case "maxDepth":
		out.maxDepth = below(whole.depth)
	case "maxExecutionTimeMs":
		most = int(tick.Milliseconds())*w.rng.IntN(8) + 100
		out.maxTime = time.Duration(most) * time.Millisecond
	}
	limits := fmt.Sprintf("maxExecutionTimeMs: %d, ", 86_400_000)
	if out.maxTime > 0 {
		limits = ""
	}
	out.source = strings.Replace(s.source, "executionLimits: {maxExecutionTimeMs: 86400000}", fmt.Sprintf("executionLimits: {%s%s: %d}", limits, key, most), 1)
	out.compile(t)
	return &out, must
}

// reachLimit runs the scenario with a limit; ref is the undisturbed run without it.
func (s *scenario) reachLimit(t *testing.T, seed uint64, ref *world, undisturbed *life) *story {
	w := newWorld(s, seed)
	kinds := w.kinds()
	limited, must := s.limited(t, w, ref.used())
	w.s = limited
	st := limited.disturb(t.Context(), w, kinds, undisturbed.steps, w.atRandom)
	var failed *execution.StepError
	reached := errors.As(st.err, &failed) && failed.Code() == execution.CodeLimit
	switch {
	case w.cancelled, undisturbed.err != nil, raced(records(ref.events)), raced(records(w.events)):
	case must && !reached:
		w.violated("the run ended with %s, %v, want the limit", st.value, st.err)
	case st.err != nil && !reached, st.err != nil && limited.maxTime == 0 && !must && len(kinds) == 0 && !troubled(records(ref.events)):
		w.violated("the run failed with %v", st.err)
	}
	w.checkEqual(records(ref.events), false)
	st.violations, st.trace = w.violations, w.trace
	return st
}

// troubled reports whether something failed: then fewer calls were made than there were items.
func troubled(all map[execution.Address]*execution.Record) bool {
	for _, r := range all {
		if r.Error != nil || r.Handled != nil {
			return true
		}
	}
	return false
}
