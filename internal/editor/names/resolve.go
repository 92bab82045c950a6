package names

import (
	"maps"
	"slices"
	"strings"
)

func sortedKeys[V any](of map[string]V) []string { return slices.Sorted(maps.Keys(of)) }

// deepest bounds how many imports a name leads through.
const deepest = 8

// importOf splits a name at the import that it begins with.
func (x *Index) importOf(g *graphFile, name string) (head segment, in *graphFile, path, rest string, ok bool) {
	prefix, rest, found := strings.Cut(name, ".")
	path, ok = g.imports[prefix]
	if !found || !ok {
		return segment{}, nil, "", "", false
	}
	return segment{Name{Kind: Import, File: g.path, Name: prefix}, 0, len(prefix)}, x.graphs[path], path, rest, true
}

// toolNamed returns the parts of the name of a tool, as a graph node has it, and the tool when it is
// known.
func (x *Index) toolNamed(g *graphFile, name string, depth int) ([]segment, *tool) {
	if t := g.tools[name]; t != nil {
		return []segment{{Name{Kind: Tool, File: g.path, Name: name}, 0, len(name)}}, t
	}
	head, in, path, rest, ok := x.importOf(g, name)
	switch {
	case name == "":
		return nil, nil
	case !ok || depth == deepest:
		return []segment{{Name{Kind: Tool, File: g.path, Name: name}, 0, len(name)}}, nil
	case in == nil:
		tail := segment{Name{Kind: Tool, File: path, Name: rest}, head.to + 1, len(name)}
		return []segment{head, tail}, nil
	}
	parts, t := x.toolNamed(in, rest, depth+1)
	return append([]segment{head}, moved(parts, head.to+1)...), t
}

// serverNamed returns the parts of the name of a server.
func (x *Index) serverNamed(g *graphFile, name string, depth int) []segment {
	if g.servers[name] == nil && depth < deepest {
		if head, in, _, rest, ok := x.importOf(g, name); ok && in != nil {
			return append([]segment{head}, moved(x.serverNamed(in, rest, depth+1), head.to+1)...)
		}
	}
	if name == "" {
		return nil
	}
	return []segment{{Name{Kind: Server, File: g.path, Name: name}, 0, len(name)}}
}

// serverToolNamed returns the parts of server.tool; none when no server of that name is known. A tool
// with a * at its end is none.
func (x *Index) serverToolNamed(g *graphFile, name string, depth int) []segment {
	server := ""
	for known := range g.servers {
		if strings.HasPrefix(name, known+".") && len(known) > len(server) {
			server = known
		}
	}
	if server == "" {
		if head, in, _, rest, ok := x.importOf(g, name); ok && in != nil && depth < deepest {
			if parts := x.serverToolNamed(in, rest, depth+1); parts != nil {
				return append([]segment{head}, moved(parts, head.to+1)...)
			}
		}
		return nil
	}
	parts := []segment{{Name{Kind: Server, File: g.path, Name: server}, 0, len(server)}}
	if called := name[len(server)+1:]; called != "" && !strings.HasSuffix(called, "*") {
		parts = append(parts, segment{Name{Kind: ServerTool, File: g.path, In: server, Name: called}, len(server) + 1, len(name)})
	}
	return parts
}

// serverOf returns the graph file that defines a server, and its name there.
func (x *Index) serverOf(g *graphFile, name string) (*graphFile, string) {
	parts := x.serverNamed(g, name, 0)
	if len(parts) == 0 {
		return g, name
	}
	last := parts[len(parts)-1]
	if of := x.graphs[last.File]; of != nil {
		return of, last.Name.Name
	}
	return g, name
}

// nodeNamed returns the parts of the name of a node, as the tests of a tool have it: read, a branch
// facts.weather, a step of a block rows.text, or a node of another tool todos_of_file:read. It returns none when there is no such
// node.
func (x *Index) nodeNamed(g *graphFile, t *tool, name string) []segment {
	if t != nil {
		if parts := t.stepNamed(name); parts != nil {
			return parts
		}
		if t.nodes[name] != nil {
			return []segment{t.node(name)}
		}
		if id, branch, cut := strings.Cut(name, "."); cut && t.nodes[id].Get("branches").Get(branch) != nil {
			return []segment{t.node(id), t.branch(id, branch)}
		}
	}
	of, rest, cut := strings.Cut(name, ":")
	if !cut || strings.Contains(rest, ":") {
		return nil
	}
	parts, other := x.toolNamed(g, of, 0)
	inner := x.nodeNamed(g, other, rest)
	if other == nil || inner == nil {
		return nil
	}
	return append(parts, moved(inner, len(of)+1)...)
}

func (t *tool) node(id string) segment {
	return segment{Name{Kind: Node, File: t.of.path, Tool: t.name, Name: id}, 0, len(id)}
}

func (t *tool) branch(node, name string) segment {
	return segment{Name{Kind: Branch, File: t.of.path, Tool: t.name, In: node, Name: name}, len(node) + 1, len(node) + 1 + len(name)}
}
