package simulation

import (
	"maps"
	"os"
	"slices"
	"testing"
)

// broken are the rules of the shared journal, each with the invariant that breaks without it: found is
// the schedule that shows it when all are tried from the first on.
var broken = map[string]struct {
	without rules
	breaks  kind
	found   uint64
}{
	"the owner and the status are compared":                  {rules{noFence: true}, fenceKind, 28},
	"the number of the first event is compared":              {rules{noNumber: true}, orderKind, 3},
	"number, owner and status are compared":                  {rules{noFence: true, noNumber: true}, finishKind, 1},
	"a claim can be sent again":                              {rules{claimOnce: true}, endKind, 8},
	"runs that were claimed without knowing it are found":    {rules{noOrphans: true}, endKind, 41},
	"a run that has ended is claimed by an operator alone":   {rules{claimEnded: true}, finishKind, 8},
	"a run is loaded after it is claimed":                    {rules{claimLate: true}, orderKind, 310},
	"a client gets its answer after the commit":              {rules{answerEarly: true}, outcomeKind, 102},
	"a call is sent after the commit":                        {rules{sendEarly: true}, sentKind, 8},
	"an answer of a user is sent until it counts":            {rules{sendOnce: true}, outcomeKind, 122},
	"an answer is to a question":                             {rules{anyQuestion: true}, answerKind, 74},
	"a process looks at the runs also without notifications": {rules{noPolling: true}, endKind, 2},
	"leases expire by the clock of the database":             {rules{ownClock: true}, leaseKind, 2},
}

// Each rule is needed: without it, an invariant breaks. SIM=10000 looks for it from the first schedule
// on; otherwise it begins right before the one that is known.
func TestFleetNeedsItsRules(t *testing.T) {
	const most = 3000
	for _, name := range slices.Sorted(maps.Keys(broken)) {
		b := broken[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first := b.found
			if os.Getenv("SIM") != "" {
				first = 1
			}
			for seed := first; seed < first+most; seed++ {
				f := playFleet(t, seed, b.without)
				if slices.ContainsFunc(f.violations, func(v violation) bool { return v.kind == b.breaks }) {
					t.Logf("without the rule, %s breaks in schedule %d", b.breaks, seed)
					return
				}
			}
			t.Errorf("without the rule, %s does not break in %d schedules", b.breaks, most)
		})
	}
}
