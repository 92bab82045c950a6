package simulation

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
)

// TestFleet lets two and three processes share one journal: processes are killed at any operation,
// sleep until their leases have expired and go on writing, are drained; their clocks drift;
// requests to the database and their acknowledgements, notifications and mail are lost, late or
// doubled; cancellations and answers arrive at the wrong process.
func TestFleet(t *testing.T) {
	first, n := uint64(1), fromEnv(t, "SIM", 50)
	if os.Getenv("SEED") != "" {
		first, n = fromEnv(t, "SEED", 0), 1
	}
	sum := &fleetTally{}
	failed := 0
	for seed := first; seed < first+n && failed < mostFailed; seed++ {
		f := playFleet(t, seed, rules{})
		sum.add(f)
		if len(f.violations) > 0 || os.Getenv("SEED") != "" {
			f.report(t, seed)
		}
		if len(f.violations) > 0 {
			failed++
		}
	}
	t.Logf("%+v", *sum)
}

// fleetTally is what all seeds came to.
type fleetTally struct {
	schedules, runs, events, steps, processes, tookOver, lost, calls, unknown int
}

func (sum *fleetTally) add(f *fleet) {
	sum.schedules++
	sum.steps += f.steps
	sum.processes += f.started
	sum.tookOver += f.tookOver
	sum.lost += f.lost
	sum.unknown += len(f.repeats)
	for _, all := range f.ledger {
		sum.calls += len(all)
	}
	for _, row := range f.db.runs {
		sum.runs++
		sum.events += len(row.events)
	}
}

// playFleet plays the schedule of a seed.
func playFleet(t *testing.T, seed uint64, r rules) (f *fleet) {
	s := generate(seed)
	s.compile(t)
	synctest.Test(t, func(t *testing.T) {
		f = newFleet(s, seed, r)
		f.reference, f.undisturbed = s.reference(t.Context())
		f.play(t.Context())
	})
	return f
}

func (f *fleet) report(t *testing.T, seed uint64) {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d: SEED=%d go test -count=1 -run 'TestFleet$' ./tests/simulation\n", seed, seed)
	for _, v := range f.violations {
		fmt.Fprintf(&b, "  %s: %s\n", v.kind, v.text)
	}
	fmt.Fprintf(&b, "%s\ntrace:\n%s\n", f.world.s.source, strings.Join(f.trace, "\n"))
	if len(f.violations) > 0 {
		t.Error(b.String())
		return
	}
	t.Log(b.String())
}
