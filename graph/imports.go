package graph

import (
	"fmt"
	"slices"
	"strings"

	"toolgraph/config"
)

// names are the names of the servers and tools of a file and its imports.
type names struct{ servers, tools map[string]bool }

func namesOf(f *config.File) *names {
	n := &names{servers: make(map[string]bool, len(f.Servers)), tools: make(map[string]bool, len(f.Tools))}
	for _, s := range f.Servers {
		n.servers[s.Name.Value] = true
	}
	for _, t := range f.Tools {
		n.tools[t.Name.Value] = true
	}
	return n
}

// sourceOf returns the file that defines a tool: f or one of its imports.
func sourceOf(f *config.File, t *config.Tool) *config.File {
	if t.File == nil { // the file was not read but made
		return f
	}
	return t.File
}

// sourcesOf returns a file and all its imports that could be read.
func sourcesOf(f *config.File) []*config.File {
	all := []*config.File{f}
	for _, imp := range f.Imports {
		if imp.File != nil {
			all = append(all, sourcesOf(imp.File)...)
		}
	}
	return all
}

// distrustedOf returns the imports of a file whose word about the effects of their calls does not
// count: those that are reached through a file with trustImports: false.
func distrustedOf(f *config.File) map[*config.File]bool {
	all := map[*config.File]bool{}
	var add func(f *config.File)
	add = func(f *config.File) {
		for _, imp := range f.Imports {
			if imp.File != nil {
				all[imp.File] = all[f] || f.Allow != nil && f.Allow.DistrustImports
				add(imp.File)
			}
		}
	}
	add(f)
	return all
}

// allowsOf returns what holds for the tools of a file and of each of its imports: allow of the file
// itself, then of the imports that lead to it.
func allowsOf(f *config.File) map[*config.File][]*Allow {
	all := map[*config.File][]*Allow{}
	var add func(f *config.File, around []*Allow)
	add = func(f *config.File, around []*Allow) {
		all[f] = slices.Concat(around, allowOf(f.Allow))
		for _, imp := range f.Imports {
			if imp.File != nil {
				add(imp.File, all[f])
			}
		}
	}
	add(f, nil)
	return all
}

// checkTools checks how many tools a file and each of its imports have, and all of them together.
func checkTools(f *config.File, caps Caps, found *config.Diagnostics) {
	own := map[*config.File][]*config.Tool{}
	for _, t := range f.Tools {
		own[sourceOf(f, t)] = append(own[sourceOf(f, t)], t)
	}
	for _, source := range sourcesOf(f) {
		tools := own[source]
		checkCap(found, "too-many-tools", "the file", "tools", "split it into several graph files",
			len(tools), caps.Tools, func(i int) config.Pos { return tools[i].Pos })
	}
	if len(own) > 1 {
		checkCap(found, "too-many-tools", "the graph file with its imports", "tools", "import fewer files",
			len(f.Tools), highestCaps.Tools, func(i int) config.Pos { return f.Tools[i].Pos })
	}
}

// local returns the name of a server or tool as the file that defines the compiled tool writes it.
func (c *compiler) local(name string) string { return strings.TrimPrefix(name, c.source.Prefix) }

// importOf returns the import to which a name belongs; nil for a name of the file itself.
func (c *compiler) importOf(name string) *config.Import {
	for _, imp := range c.source.Imports {
		if strings.HasPrefix(c.local(name), imp.Name.Value+".") {
			return imp
		}
	}
	return nil
}

// ownServers returns the names of the servers that nodes of the tool may call.
func (c *compiler) ownServers() []string {
	var own []string
	for _, s := range c.source.Servers {
		if c.importOf(s.Name.Value) == nil {
			own = append(own, c.local(s.Name.Value))
		}
	}
	return own
}

// callable returns the tools of the file itself that a node can call, without its own.
func (c *compiler) callable() (names []string) {
	for _, t := range c.source.Tools {
		if t.Name.Value != "" && t.Name.Value != c.tool.Name.Value {
			names = append(names, c.local(t.Name.Value))
		}
	}
	return names
}

// unknownTool reports a called tool that neither the file nor an import has.
func (c *compiler) unknownTool(id string, called config.Text) {
	name, imp := c.local(called.Value), c.importOf(called.Value)
	if imp != nil && imp.File == nil {
		return // the import could not be read, and that is reported
	}
	var known []string
	prefix := c.source.Prefix
	if imp != nil {
		prefix += imp.Name.Value + "."
	}
	for _, t := range c.file.Tools {
		if of, found := strings.CutPrefix(t.Name.Value, prefix); found {
			known = append(known, of)
		}
	}
	if imp == nil {
		hint, near := suggest(name, known, "the tools are ")
		c.found.Add(called.Pos, "unknown-graph", fmt.Sprintf("node %q calls tool %q, which is not in this file", id, name), hint).
			Over(called).Fixed(replaceIn(called, 0, name, near))
		return
	}
	name = strings.TrimPrefix(name, imp.Name.Value+".")
	hint, near := suggest(name, known, "its tools are ")
	c.found.Add(called.Pos, "unknown-graph", fmt.Sprintf("node %q calls tool %q, which import %q (%s) does not have", id, name, imp.Name.Value, imp.Path.Value), hint).
		Over(called).Fixed(replaceIn(called, len(called.Value)-len(name), name, near))
}
