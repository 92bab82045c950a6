package capabilities

import (
	"toolgraph/config"
	"toolgraph/graph"
)

// frames are the graphs that a run of a graph can enter, and in which of them calls with an effect
// are made: the allow of every frame around a call holds for it.
type frames struct {
	graphs  []*graph.Graph // itself first
	reached map[verdict]map[*graph.Graph]bool
}

// verdict is what reach has been asked.
type verdict struct {
	effect      config.Effect
	unconfirmed bool
}

func framesOf(g *graph.Graph) *frames {
	return &frames{graphs: g.Reached(), reached: map[verdict]map[*graph.Graph]bool{}}
}

// reach returns the graphs that a run can enter by frames that all permit calls with the effect,
// and, when unconfirmed is set, in none of which the user has to agree to them.
func (f *frames) reach(effect config.Effect, unconfirmed bool) map[*graph.Graph]bool {
	asked := verdict{effect, unconfirmed}
	if known := f.reached[asked]; known != nil {
		return known
	}
	passes := func(g *graph.Graph) bool {
		for _, a := range g.Allow {
			if !a.PermitsEffect(effect) || unconfirmed && a.Confirms(effect) {
				return false
			}
		}
		return true
	}
	reached := map[*graph.Graph]bool{}
	f.reached[asked] = reached
	queue := f.graphs[:1:1]
	for len(queue) > 0 {
		g := queue[0]
		if queue = queue[1:]; reached[g] || !passes(g) {
			continue
		}
		reached[g] = true
		for _, n := range g.CallNodes() {
			if sub, isGraph := n.(*graph.SubGraph); isGraph && sub.Graph != nil {
				queue = append(queue, sub.Graph)
			}
		}
	}
	return reached
}
