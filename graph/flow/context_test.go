package flow_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"toolgraph/graph/flow"
)

// watched is a context that counts how often it is asked whether it has ended, and has
// after so many times.
type watched struct {
	context.Context
	end   context.CancelCauseFunc
	asked int
	most  int
}

var errEnded = errors.New("it has ended")

func watch(t *testing.T, most int) *watched {
	ctx, end := context.WithCancelCause(t.Context())
	return &watched{Context: ctx, end: end, most: most}
}

func (w *watched) Err() error {
	if w.asked++; w.asked > w.most {
		w.end(errEnded)
	}
	return w.Context.Err()
}

// Following a graph asks at each node, in each round, whether it is still wanted, and
// gives the reason when it is not.
func TestV20FollowingAsksItsContext(t *testing.T) {
	const nodes = 40
	var b strings.Builder
	b.WriteString("server: {name: g, version: 1.0.0}\ntools:\n- name: t\n  nodes:\n  - {id: entry, type: entry, next: t0}\n")
	for i := range nodes {
		fmt.Fprintf(&b, "  - {id: t%d, type: transform, transform: {expr: '$.entry.a + %d'}, next: s%d}\n", i, i, i)
		next := fmt.Sprintf("t%d", i+1)
		if i == nodes-1 {
			next = "done"
		}
		fmt.Fprintf(&b, "  - {id: s%d, type: switch, conditions: [{rule: {'>': [{var: t%d}, 3]}, next: %s}], next: t%d}\n", i, i, next, i/2)
	}
	b.WriteString("  - {id: done, type: transform, transform: {expr: '1'}, next: exit}\n  - {id: exit, type: exit}\n")
	g := build(t, "g.yaml", []byte(b.String()))[0]
	for name, follow := range map[string]func(context.Context) error{
		"check": func(ctx context.Context) error { _, err := flow.Check(ctx, g, nil); return err },
		"of":    func(ctx context.Context) error { _, err := flow.Of(ctx, g, nil); return err },
	} {
		t.Run(name, func(t *testing.T) {
			whole := watch(t, 1<<30)
			if err := follow(whole); err != nil {
				t.Fatal(err)
			}
			if whole.asked < 4*nodes {
				t.Errorf("it asked %d times for %d nodes", whole.asked, 2*nodes)
			}
			for _, most := range []int{0, 1, whole.asked / 4, whole.asked / 2, whole.asked - 1} {
				ctx := watch(t, most)
				if err := follow(ctx); !errors.Is(err, errEnded) {
					t.Errorf("ended at question %d it gave %v", most, err)
				}
				if ctx.asked > most+20 {
					t.Errorf("ended at question %d it asked until %d", most, ctx.asked)
				}
			}
		})
	}
}
