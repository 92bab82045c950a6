package simulation

import (
	"maps"
	"slices"
	"testing"
)

// mutations are the rules that each invariant needs: without one, schedules violate it.
var mutations = map[string]struct {
	without rules
	breaks  kind
	within  uint64 // seeds
}{
	"owner and status":              {rules{noFence: true}, fenceKind, 200},
	"owner, status and number":      {rules{noFence: true, noNumber: true}, orderKind, 200},
	"number of the first event":     {rules{noNumber: true}, orderKind, 200},
	"number, one end":               {rules{noFence: true, noNumber: true}, finishKind, 2000},
	"claim again":                   {rules{claimOnce: true}, endKind, 200},
	"runs claimed unknowingly":      {rules{noOrphans: true}, endKind, 5000},
	"load after the claim":          {rules{claimLate: true}, orderKind, 2000},
	"answer after the commit":       {rules{answerEarly: true}, outcomeKind, 2000},
	"call after the commit":         {rules{sendEarly: true}, sentKind, 200},
	"send again":                    {rules{sendOnce: true}, outcomeKind, 2000},
	"digest of the question":        {rules{anyQuestion: true}, answerKind, 2000},
	"look without notifications":    {rules{noPolling: true}, endKind, 200},
	"the clock of the database":     {rules{ownClock: true}, leaseKind, 200},
	"a new name after a lost lease": {rules{sameName: true}, orderKind, 5000},
}

// Each rule of the shared journal is needed: without it, an invariant breaks.
func TestFleetNeedsItsRules(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(mutations)) {
		m := mutations[name]
		t.Run(name, func(t *testing.T) {
			kinds := map[kind]int{}
			for seed := range m.within {
				f := playFleet(t, seed+1, m.without)
				for _, v := range f.violations {
					kinds[v.kind]++
				}
				if slices.ContainsFunc(f.violations, func(v violation) bool { return v.kind == m.breaks }) {
					t.Logf("without it, %s breaks in schedule %d", m.breaks, seed+1)
					return
				}
			}
			t.Errorf("without it, %s does not break in %d schedules %v", m.breaks, m.within, kinds)
		})
	}
}
