package plan_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// large are plans of less than 1 KB that would make large things, and the limit that ends each of them.
var large = map[string]struct{ plan, limit string }{
	"a million calls": {
		`{"steps":[{"id":"a","each":"[1..1000000]","call":"s.read","args":{"name":"x"}}]}`, "executionLimits.maxNodeExecutions",
	},
	"items of items": {
		`{"steps":[{"id":"a","each":"[1..900]","steps":[{"id":"b","each":"[1..100000]","call":"s.read","args":{"name":"x"}}]}]}`, "executionLimits.maxNodeExecutions",
	},
	"turns of turns": {
		`{"steps":[{"id":"a","repeat":{"until":"false","times":1000,"delayMs":0},"steps":[{"id":"b","repeat":{"until":"false","times":1000,"delayMs":0},"call":"s.read","args":{"name":"x"},"onError":"skip"}]}]}`,
		"executionLimits.maxNodeExecutions",
	},
	"a long text": {
		`{"steps":[{"id":"f","call":"s.list","args":{"path":"x"}}],"return":"$pad('', f.files[0].size * 500000000, 'x')"}`, "64 MiB",
	},
	"a long result": {
		`{"steps":[{"id":"f","call":"s.list","args":{"path":"x"}},{"id":"t","expr":"$pad('', f.files[0].size * 1000000, 'x')"}],"return":"[1..500].($$.t)"}`, "more than 256 MiB as JSON",
	},
}

// W07: a small plan that makes large things ends with the name of a limit, and does not use much memory before.
func TestW07SmallPlansThatMakeLargeThings(t *testing.T) {
	for name, c := range large {
		t.Run(name, func(t *testing.T) {
			u := &upstream{}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := run(t, file(usual), c.plan, u, &user{})
			runtime.ReadMemStats(&after)
			if err == nil || !strings.Contains(err.Error(), c.limit) {
				t.Errorf("%.300v, want %s", err, c.limit)
			}
			if len(u.calls) > 1000 {
				t.Errorf("%d calls", len(u.calls))
			}
			if made := after.TotalAlloc - before.TotalAlloc; made > 128<<20 {
				t.Errorf("%d MB were allocated", made>>20)
			}
		})
	}
}

// W07: other plans run meanwhile.
func TestW07OthersAreServedMeanwhile(t *testing.T) {
	var all sync.WaitGroup
	for _, c := range large {
		all.Go(func() { _, _ = run(t, file(usual), c.plan, &upstream{}, &user{}) })
	}
	for i := range 20 {
		r, err := run(t, file(usual), fmt.Sprintf(`{"steps":[{"id":"a","call":"s.read","args":{"name":"x"}}],"return":"a.text & '%d'"}`, i), &upstream{}, &user{})
		if err != nil || r.Value != fmt.Sprintf("t%d", i) {
			t.Errorf("%v %v", r, err)
		}
	}
	all.Wait()
}
