package graph

import (
	"fmt"

	"toolgraph/config"
)

// checkCache reports a cache of answers that cannot be given again. Package flow reports those of
// calls whose effect the file does not say.
func (c *compiler) checkCache(m *MCP, n *config.Node) {
	if m.Effect == config.WriteEffect || m.Effect == config.DestroyEffect {
		c.found.Add(n.Cache.Pos, "cache-not-read",
			fmt.Sprintf("node %q has cache, and effect: %s: only answers of calls that change nothing can be given again", m.id, m.Effect),
			"remove cache, or correct the effect")
	}
	if n.Retry != nil && given(n.Retry.Until) {
		c.found.Add(n.Cache.Pos, "cache-with-until",
			fmt.Sprintf("node %q has cache beside retry.until: a poll needs a new answer each time", m.id), "remove cache")
	}
}
