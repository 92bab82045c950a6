package server

import (
	"fmt"
	"sync/atomic"

	"toolgraph/config"
	"toolgraph/internal/wording"
)

// catalog is what is served at one time: the tools in file order. Immutable but for
// its users.
type catalog struct {
	tools   []*tool
	byName  map[string]*tool
	secrets *config.Secrets // may be nil

	users atomic.Int64  // the calls in flight, and 1 while it is served
	ended chan struct{} // closed when users comes to 0, for ever
}

// newCatalog compiles the schemas of every tool. The error is config.Diagnostics
// when schemas are at fault.
func newCatalog(tools []Tool, secrets *config.Secrets) (*catalog, error) {
	c := &catalog{byName: make(map[string]*tool, len(tools)), secrets: secrets, ended: make(chan struct{})}
	c.users.Store(1)
	var found config.Diagnostics
	for _, offered := range tools {
		if offered.Run == nil {
			return nil, fmt.Errorf("tool %q has no way to run", offered.Def.Name.Value)
		}
		t := newTool(offered, &found)
		if c.byName[t.name] != nil {
			return nil, fmt.Errorf("two tools are named %q", t.name)
		}
		c.tools, c.byName[t.name] = append(c.tools, t), t
	}
	found.Sort()
	if err := found.Err(); err != nil {
		return nil, err
	}
	return c, nil
}

// acquire keeps the catalog in use, unless it has ended.
func (c *catalog) acquire() bool {
	for {
		n := c.users.Load()
		if n == 0 {
			return false
		}
		if c.users.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

func (c *catalog) release() {
	if c.users.Add(-1) == 0 {
		close(c.ended)
	}
}

// appendList appends the value of "tools".
func (c *catalog) appendList(dst []byte, hints func(server, tool string) (Hints, bool)) []byte {
	dst = append(dst, '[')
	for i, t := range c.tools {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = t.appendListed(dst, hints)
	}
	return append(dst, ']')
}

// find is the tool of this name; the hint tells which may have been meant.
func (c *catalog) find(name string) (t *tool, hint string) {
	if t = c.byName[name]; t != nil {
		return t, ""
	}
	names := make([]string, len(c.tools))
	for i, t := range c.tools {
		names[i] = t.name
	}
	if near := wording.Nearest(name, names); near != "" {
		return nil, "; did you mean " + wording.Quote(near) + "?"
	}
	return nil, ""
}
