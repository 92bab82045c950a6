package names

import (
	"strings"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
)

// reader adds the occurrences of files to an index.
type reader struct {
	*Index
	scopes int        // of variables of expressions, over all files
	scope  *stepScope // of the step whose expressions are read; nil in nodes
}

// add adds a part of a text.
func (r *reader) add(t config.Text, s segment, how form, definition bool) {
	from, to := s.from, s.to
	if how != inText {
		from, to = unquoted(t.Value, from, to)
	}
	start, end, ok := t.Range(from, to)
	if !ok {
		return
	}
	r.all = append(r.all, Occurrence{
		Name: s.Name, Path: t.Pos.File, From: start, To: end, Definition: definition,
		text: t, from: s.from, to: s.to, form: how,
	})
}

// addAll adds the parts of a text that refers to something.
func (r *reader) addAll(t config.Text, parts []segment) {
	for _, part := range parts {
		r.add(t, part, inText, false)
	}
}

// whole adds a text that is a name.
func (r *reader) whole(t config.Text, n Name, definition bool) {
	if t.Value != "" {
		n.Name = t.Value
		r.add(t, segment{n, 0, len(t.Value)}, inText, definition)
	}
}

func (r *reader) graphFile(g *graphFile) {
	each(g.root.Get("imports"), func(name config.Text, _ *config.Data) { r.whole(name, Name{Kind: Import, File: g.path}, true) })
	each(g.root.Get("vars"), func(name config.Text, _ *config.Data) { r.whole(name, Name{Kind: Var, File: g.path}, true) })
	for _, key := range []string{"mcpServers", "servers"} {
		each(g.root.Get(key), func(name config.Text, server *config.Data) {
			r.whole(name, Name{Kind: Server, File: g.path}, true)
			r.constants(g, server)
			each(server.Get("tools"), func(program config.Text, _ *config.Data) {
				r.whole(program, Name{Kind: ServerTool, File: g.path, In: name.Value}, true)
			})
		})
	}
	r.allow(g, g.root.Get("allow"))
	for _, t := range items(g.root.Get("pipeline").Get("tools")) {
		parts, _ := r.toolNamed(g, t.Text.Value, 0)
		r.addAll(t.Text, parts)
	}
	r.calls(g, g.root.Get("pipeline").Get("calls"))
	for _, n := range items(g.root.Get("nodes")) {
		r.node(g, g.shared, n)
	}
	seen := map[string]bool{}
	for _, d := range items(g.root.Get("tools")) {
		name := text(d, "name")
		r.whole(name, Name{Kind: Tool, File: g.path}, true)
		r.allow(g, d.Get("allow"))
		t := g.tools[name.Value]
		if t == nil || seen[name.Value] { // of two tools with one name, the nodes of the first are known
			continue
		}
		seen[name.Value] = true
		for _, key := range []string{"entryNode", "exitNode"} {
			r.whole(text(d, key), Name{Kind: Node, File: g.path, Tool: t.name}, false)
		}
		r.suggestions(t, d.Get("inputSchema").Get("properties"))
		for _, n := range items(d.Get("nodes")) {
			r.node(g, t, n)
		}
		if d.Get("steps") != nil {
			r.steps(g, t, d, "", nil)
		}
	}
}

// suggestions reads what is suggested for the arguments of a prompt, where no node can be read.
func (r *reader) suggestions(t *tool, properties *config.Data) {
	r.scope = &stepScope{}
	defer func() { r.scope = nil }()
	each(properties, func(_ config.Text, property *config.Data) { r.expression(t, text(property.Get("suggest"), "expr")) })
}

func (r *reader) allow(g *graphFile, allow *config.Data) { r.calls(g, allow.Get("calls")) }

// calls reads a list of server.tool.
func (r *reader) calls(g *graphFile, list *config.Data) {
	for _, entry := range items(list) {
		r.addAll(entry.Text, r.serverToolNamed(g, entry.Text.Value, 0))
	}
}

var varInText = wording.Pattern(`\$?\$\{vars\.([A-Za-z_][A-Za-z0-9_]*)`)

// constants reads each ${vars.NAME} in the texts of a part of the file.
func (r *reader) constants(g *graphFile, d *config.Data) {
	for _, at := range varInText().FindAllStringSubmatchIndex(d.Text.Value, -1) {
		if !strings.HasPrefix(d.Text.Value[at[0]:], "$$") {
			r.add(d.Text, segment{Name{Kind: Var, File: g.path, Name: d.Text.Value[at[2]:at[3]]}, at[2], at[3]}, inText, false)
		}
	}
	for _, item := range d.Items {
		r.constants(g, item)
	}
}

// node reads a node of a tool.
func (r *reader) node(g *graphFile, t *tool, n *config.Data) {
	self := Name{Kind: Node, File: g.path, Tool: t.name}
	id := text(n, "id")
	r.whole(id, self, true)
	r.whole(text(n, "next"), self, false)
	for _, c := range items(n.Get("conditions")) {
		r.whole(text(c, "next"), self, false)
		r.whole(text(c, "target"), self, false)
		r.rule(t, c.Get("rule"))
	}
	r.call(g, t, n)
	each(n.Get("branches"), func(name config.Text, branch *config.Data) {
		r.whole(name, Name{Kind: Branch, File: g.path, Tool: t.name, In: id.Value}, true)
		r.call(g, t, branch)
	})
}

// call reads what nodes and branches have.
func (r *reader) call(g *graphFile, t *tool, n *config.Data) {
	switch called := text(n, "tool"); word(n, "type") {
	case "mcp", "mcp_tool":
		server := text(n, "server")
		r.addAll(server, r.serverNamed(g, server.Value, 0))
		of, name := r.serverOf(g, server.Value)
		if server.Value != "" {
			r.whole(called, Name{Kind: ServerTool, File: of.path, In: name}, false)
		}
	case "graph", "entry", "exit":
		parts, _ := r.toolNamed(g, called.Value, 0)
		r.addAll(called, parts)
	}
	onError, retry := n.Get("onError"), n.Get("retry")
	r.whole(text(onError, "next"), Name{Kind: Node, File: g.path, Tool: t.name}, false)
	for _, d := range []*config.Data{n.Get("transform").Get("expr"), n.Get("forEach").Get("items"), retry.Get("when"), retry.Get("until")} {
		if d != nil {
			r.expression(t, d.Text)
		}
	}
	for _, d := range []*config.Data{n.Get("args"), onError.Get("value"), n.Get("message")} {
		r.arguments(t, d, 0)
	}
}

// arguments reads each {expr: …} in args and the like.
func (r *reader) arguments(t *tool, d *config.Data, depth int) {
	if d == nil {
		return
	}
	if expr := d.Get("expr"); expr != nil {
		if len(d.Keys) == 1 {
			r.expression(t, expr.Text)
		}
		return
	}
	for _, item := range d.Items {
		if t.of.older && depth == 0 && strings.HasPrefix(item.Text.Value, "$") {
			r.expression(t, item.Text)
			continue
		}
		r.arguments(t, item, depth+1)
	}
}
