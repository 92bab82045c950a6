package simulation

import (
	"os"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"

	"toolgraph/execution"
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
	first, n := uint64(1), fromEnv(t, "SIM", 300)
	if os.Getenv("SEED") != "" {
		first, n = fromEnv(t, "SEED", 0), 1
	}
	sum := &tally{kinds: map[disturbance]int{}}
	failed := 0
	for seed := first; seed < first+n && failed < mostFailed; seed++ {
		if !sum.play(t, seed) {
			failed++
		}
	}
	t.Logf("%+v", *sum)
}

// mostFailed is how many seeds are reported.
var mostFailed = 25

// tally is what all seeds came to.
type tally struct {
	runs, values, lives, operations, asked int
	kinds                                  map[disturbance]int
}

// play runs a seed, and reports whether all invariants held.
func (sum *tally) play(t *testing.T, seed uint64) (ok bool) {
	s := generate(seed)
	s.compile(t)
	st := s.twice(t, seed)
	if len(st.violations) > 0 || os.Getenv("SEED") != "" {
		st.report(t, s, seed)
	}
	if len(st.violations) == 0 {
		limited, ended := s.reachLimit(t, seed)
		if len(ended.violations) > 0 || os.Getenv("SEED") != "" {
			ended.report(t, limited, seed)
		}
		st.violations = ended.violations
	}
	sum.runs++
	sum.lives += st.lives
	sum.operations += st.steps
	sum.asked += st.asked
	if st.value != "" {
		sum.values++
	}
	return len(st.violations) == 0
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

// twice runs the scenario two times with the seed, which must have the same events, and compares
// them with the reference.
func (s *scenario) twice(t *testing.T, seed uint64) *story {
	var stories [2]*story
	synctest.Test(t, func(t *testing.T) {
		ref, undisturbed := s.reference(t.Context())
		if len(ref.violations) > 0 {
			stories[0] = &story{trace: ref.trace, violations: ref.violations, err: undisturbed.err}
			return
		}
		for i := range stories {
			w := newWorld(s, seed)
			stories[i] = s.disturb(t.Context(), w, w.kinds(), undisturbed.steps, w.atRandom)
			w.compare(ref, undisturbed, stories[i])
		}
	})
	if stories[1] != nil && !slices.Equal(stories[0].events, stories[1].events) {
		stories[0].violations = append(stories[0].violations, "the same seed has other events")
		stories[0].trace = append(append(stories[0].trace, "SECOND TIME"), stories[1].trace...)
	}
	return stories[0]
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
	st.violations, st.trace = w.violations, w.trace
}

var _ execution.Journal = (*process)(nil)
