package graph

import (
	"fmt"

	"toolgraph/config"
)

// Caps bound the size of a graph file's parts. Zero means the default; what is
// above the highest allowed value counts as that value.
type Caps struct {
	Tools               int // in a file: default 200, at most 1,000
	NodesPerTool        int // default 500, at most 5,000
	ConditionsPerSwitch int // default 100, at most 1,000
}

// DefaultCaps are the caps of a Build that is given none.
var DefaultCaps = Caps{Tools: 200, NodesPerTool: 500, ConditionsPerSwitch: 100}

var highestCaps = Caps{Tools: 1000, NodesPerTool: 5000, ConditionsPerSwitch: 1000}

func (c Caps) effective() Caps {
	return Caps{
		Tools:               effectiveCap(c.Tools, DefaultCaps.Tools, highestCaps.Tools),
		NodesPerTool:        effectiveCap(c.NodesPerTool, DefaultCaps.NodesPerTool, highestCaps.NodesPerTool),
		ConditionsPerSwitch: effectiveCap(c.ConditionsPerSwitch, DefaultCaps.ConditionsPerSwitch, highestCaps.ConditionsPerSwitch),
	}
}

func effectiveCap(wanted, normal, highest int) int {
	if wanted <= 0 {
		return normal
	}
	return min(wanted, highest)
}

// checkCap reports more than limit things, or 80 % of it as a warning. pos is the
// place of the i-th thing.
func checkCap(found *config.Diagnostics, code, owner, things, remedy string, n, limit int, pos func(i int) config.Pos) {
	switch {
	case n > limit:
		found.Add(pos(limit), code, fmt.Sprintf("%s has %d %s, at most %d are allowed", owner, n, things, limit), remedy)
	case n > limit*4/5:
		found.Warn(pos(n-1), code, fmt.Sprintf("%s has %d %s, close to the limit of %d", owner, n, things, limit), remedy)
	}
}
