package graph

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"toolgraph/config"
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

// Build asks at each expression and rule whether it is still wanted, and gives the
// reason when it is not.
func TestV20BuildAsksItsContext(t *testing.T) {
	const nodes = 40
	list := []*config.Node{entryNode("e", "t0")}
	for i := range nodes {
		sw, next := fmt.Sprintf("s%d", i), fmt.Sprintf("t%d", i+1)
		if i == nodes-1 {
			next = "x"
		}
		list = append(list, transformNode(fmt.Sprintf("t%d", i), "e.a + 1", sw),
			switchNode(sw, next, when(over(">", "e.a", 1), next)))
	}
	f := newFile(append(list, exitNode("x"))...)
	whole := watch(t, 1<<30)
	if _, found, err := Build(whole, f); err != nil || found.Err() != nil {
		t.Fatal(err, found)
	}
	if whole.asked < 2*nodes {
		t.Errorf("it asked %d times for %d expressions and rules", whole.asked, 2*nodes)
	}
	for _, most := range []int{0, 1, 50, whole.asked / 2, whole.asked - 1} {
		ctx := watch(t, most)
		if graphs, found, err := Build(ctx, f); !errors.Is(err, errEnded) || graphs != nil || found != nil {
			t.Errorf("ended at question %d it gave %d graphs, %v, %v", most, len(graphs), found, err)
		}
		if ctx.asked > most+20 {
			t.Errorf("ended at question %d it asked until %d", most, ctx.asked)
		}
	}
}
