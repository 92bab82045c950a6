//go:build unix

package fleet

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// planned is a file in which clients send plans, and the user is not asked about them.
var planned = strings.Replace(strings.Replace(graphFile, `url: "%s/mcp"}`, `url: "%s/mcp", trusted: true}`, 1),
	"tools:\n", "plan: {calls: [\"up.*\"], confirm: []}\ntools:\n", 1)

// paid is the line of the second step of the plan below, once its outcome is recorded.
var paid = regexp.MustCompile(`1\.paid .* 1\n`)

// A plan whose process is killed in the middle is finished by another one, which has its steps from the history: the payment
// before is not made again, the call that only reads is.
func TestPlanIsFinishedByAnotherProcess(t *testing.T) {
	t.Parallel()
	for name, place := range places {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFleetOf(t, planned, place(t), 2)
			all := f.all()
			const slow = 77
			open := f.up.gate(slow)
			message := call("run_plan", `{"steps":[
				{"id":"looks","each":"[1..5]","as":"n","call":"up.look","args":{"id":{"expr":"$n"}}},
				{"id":"paid","call":"up.pay","args":{"id":{"expr":"$sum(looks)"}}},
				{"id":"wait","call":"up.look","args":{"id":77}},
				{"id":"last","call":"up.pay","args":{"id":{"expr":"wait + paid"}}}
			],"return":"[looks, paid, wait, last]"}`, `"toolgraph/key":"plan"`, "")
			gone := make(chan struct{})
			go func() {
				defer close(gone)
				_, _, _ = all[0].post(message, http.Header{}) // its process is killed
			}()
			f.wait("the plan waits for its third step", func() bool { return f.up.lookedAt(slow) == 1 })
			f.wait("the payment is recorded", func() bool { // a call that only reads does not wait for it
				out, err := f.toolgraph("runs", "show", "last")
				return err == nil && paid.MatchString(out)
			})
			all[0].kill(t)
			<-gone
			open()
			_, body, err := all[1].post(message, http.Header{})
			if got := textOf(t, body); err != nil || got != "[1,2,3,4,5,1,77,1]" {
				t.Errorf("%v: %s", err, got)
			}
			if f.up.count(15) != 1 || f.up.count(78) != 1 {
				t.Errorf("paid %d and %d times", f.up.count(15), f.up.count(78))
			}
			for id := 1; id <= 5; id++ {
				if n := f.up.lookedAt(id); n != 1 {
					t.Errorf("looked at %d %d times", id, n)
				}
			}
		})
	}
}
