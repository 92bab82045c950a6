package server

import (
	"fmt"

	"toolgraph/config"
)

// catalog is what is served at one time: the tools in file order. Immutable.
type catalog struct {
	tools  []*tool
	byName map[string]*tool
}

// newCatalog compiles the schemas of every tool. The error is config.Diagnostics
// when schemas are at fault.
func newCatalog(tools []Tool) (*catalog, error) {
	c := &catalog{byName: make(map[string]*tool, len(tools))}
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
	if near := config.DidYouMean(name, names); near != "" {
		return nil, "; did you mean " + quoted(near) + "?"
	}
	return nil, ""
}
