package graph

import (
	"fmt"
	"slices"

	"toolgraph/config"
)

// checkCache reports a cache of answers that cannot be given again. Package flow reports those of
// calls whose effect the file does not say.
func (c *compiler) checkCache(m *MCP, n *config.Node) {
	if m.Effect == config.WriteEffect || m.Effect == config.DestroyEffect {
		c.found.Add(n.Cache.Pos, "cache-not-read",
			fmt.Sprintf("node %q has cache, and effect: %s: only answers of calls that change nothing can be given again", m.id, m.Effect),
			"remove cache, or correct the effect").Fixed(config.RemoveNamed(n.Cache.Pos, "cache"))
	}
	if u := c.server(n.Server.Value); u != nil && u.AllowElicit {
		c.found.Warn(n.Cache.Pos, "cache-unused",
			fmt.Sprintf("no answer of server %q is given again: it may ask the user (allow: [elicitation]), and an answer may be that of one user", u.Name.Value),
			"remove cache, or elicitation from allow of the server").Fixed(config.RemoveNamed(n.Cache.Pos, "cache"))
	}
	if n.Retry != nil && given(n.Retry.Until) {
		c.found.Add(n.Cache.Pos, "cache-with-until",
			fmt.Sprintf("node %q has cache beside retry.until: a poll needs a new answer each time", m.id), "remove cache").Fixed(config.RemoveNamed(n.Cache.Pos, "cache"))
	}
}

// server returns a server of the file, nil for an unknown one.
func (c *compiler) server(name string) *config.Upstream {
	i := slices.IndexFunc(c.file.Servers, func(u *config.Upstream) bool { return u.Name.Value == name })
	if i < 0 {
		return nil
	}
	return c.file.Servers[i]
}
