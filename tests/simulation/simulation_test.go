package simulation

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"toolgraph/config"
	"toolgraph/execution"
	address "toolgraph/execution/call"
)

func fromEnv(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s=%s: %v", name, text, err)
	}
	return n
}

// TestSimulation runs random graphs through random schedules and disturbances.
func TestSimulation(t *testing.T) {
	first, n := uint64(1), fromEnv(t, "SIM", 100)
	if os.Getenv("SEED") != "" {
		first, n = fromEnv(t, "SEED", 0), 1
	}
	sum := &tally{}
	failed := 0
	for seed := first; seed < first+n && failed < mostFailed; seed++ {
		if !sum.play(t, seed) {
			failed++
		}
	}
	t.Logf("%+v", *sum)
}

// mostFailed is how many seeds are reported.
const mostFailed = 5

// tally is what all seeds came to.
type tally struct {
	runs, values, lives, operations, asked int
	compared, steps, blocks                int // with the undisturbed run as a whole; of tools of steps; with blocks
	skipped, taken, turns, items           int // steps that were not run, failures that an onError took, turns, items
}

// add counts a run and what its journal has.
func (sum *tally) add(st *story) {
	sum.runs++
	sum.lives += st.lives
	sum.operations += st.steps
	sum.asked += st.asked
	if st.value != "" {
		sum.values++
	}
	if st.compared {
		sum.compared++
	}
	steps, blocks := 0, 0
	for _, r := range st.records {
		if r.NodeID != config.StepsID {
			continue
		}
		steps = 1
		switch last := r.At().Name(); {
		case r.Skipped:
			sum.skipped++
		case r.Handled != nil:
			sum.taken++
		case strings.HasSuffix(r.Part, "@"+last):
			sum.turns++
		case address.IsItem(last):
			sum.items++
		}
		if r.NodeType == config.StepsNode && r.Part != "" {
			blocks = 1
		}
	}
	sum.steps += steps
	sum.blocks += blocks
}

// play runs a seed, and reports whether all invariants held.
func (sum *tally) play(t *testing.T, seed uint64) (ok bool) {
	s := generate(seed)
	s.compile(t)
	ok = true
	for i, st := range s.play(t, seed) {
		if len(st.violations) > 0 || os.Getenv("SEED") != "" {
			st.report(t, seed)
		}
		ok = ok && len(st.violations) == 0
		if i > 0 {
			continue
		}
		sum.add(st)
	}
	return ok
}

// kinds are the disturbances of a seed; most are crashes.
func (w *world) kinds() []disturbance {
	all := make([]disturbance, w.rng.IntN(5))
	for i := range all {
		all[i] = crash
		if w.rng.IntN(3) == 0 {
			all[i] = []disturbance{suspending, stopping, filling, cancelling}[w.rng.IntN(4)]
		}
	}
	return all
}

// play runs the scenario two times with the seed, which must have the same events, and compares
// them with the undisturbed run; then once more with a limit.
func (s *scenario) play(t *testing.T, seed uint64) (stories []*story) {
	synctest.Test(t, func(t *testing.T) {
		ref, undisturbed := s.reference(t.Context())
		if len(ref.violations) > 0 {
			stories = append(stories, &story{s: s, trace: ref.trace, violations: ref.violations, err: undisturbed.err})
			return
		}
		var twice [2]*story
		for i := range twice {
			w := newWorld(s, seed)
			twice[i] = s.disturb(t.Context(), w, w.kinds(), undisturbed.steps, w.atRandom)
			w.compare(ref, undisturbed, twice[i])
		}
		if !twice[0].raced {
			twice[0].checkSame(twice[1])
		}
		if undisturbed.err == nil {
			ref.fork(t, seed, undisturbed)
		}
		stories = append(stories, twice[0], s.reachLimit(t, seed, ref, undisturbed))
	})
	return stories
}

// checkSame checks that two runs of one seed have the same events.
func (st *story) checkSame(other *story) {
	for i := range max(len(st.events), len(other.events)) {
		a, b := append(st.events, "none")[min(i, len(st.events))], append(other.events, "none")[min(i, len(other.events))]
		if a != b {
			st.violations = append(st.violations, fmt.Sprintf("event %d of the same seed is %s, the second time %s", i, a, b))
			st.trace = append(append(st.trace, "THE SECOND TIME"), other.trace...)
			return
		}
	}
}

// compare compares a run with the undisturbed one.
func (w *world) compare(ref *world, undisturbed *life, st *story) {
	whole := undisturbed.err == nil && !w.cancelled && !raced(records(ref.events)) && !raced(records(w.events))
	if whole && st.err != nil {
		w.violated("the run failed with %v, undisturbed it has a value", st.err)
	}
	if whole && st.err == nil && st.value != text(undisturbed.result.Value) {
		w.violated("the run has the value %s, undisturbed %s", st.value, text(undisturbed.result.Value))
	}
	if undisturbed.err != nil && st.err == nil && !raced(records(ref.events)) {
		w.violated("the run has the value %s, undisturbed it failed with %v", st.value, undisturbed.err)
	}
	w.checkEqual(records(ref.events), whole && st.err == nil)
	st.compared, st.records = whole, records(w.events)
	st.violations, st.trace = w.violations, w.trace
}

var _ execution.Journal = (*process)(nil)
