package names

import (
	"strings"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
)

// other reads a file that belongs to a graph file.
func (r *reader) other(f *file) {
	path, read := strings.TrimSuffix(f.path, config.TestEnding)+".yaml", r.testFile
	switch {
	case strings.HasSuffix(f.path, config.CassetteEnding):
		path, read = strings.TrimSuffix(f.path, config.CassetteEnding)+".yaml", r.cassette
	case strings.HasSuffix(f.path, config.LockEnding):
		path, read = strings.TrimSuffix(f.path, config.LockEnding)+".yaml", r.lock
	case word(f.root, "graph") != "":
		path = besides(f.path, word(f.root, "graph"))
	}
	if f.graph = r.graphs[path]; f.graph == nil && strings.HasSuffix(path, ".yaml") {
		f.graph = r.graphs[strings.TrimSuffix(path, ".yaml")+".yml"]
	}
	if f.graph != nil {
		read(f)
	}
}

func (r *reader) testFile(f *file) {
	g := f.graph
	r.mocks(g, nil, f.root.Get("mocks"))
	for _, test := range items(f.root.Get("tests")) {
		name := text(test, "tool")
		parts, t := r.toolNamed(g, name.Value, 0)
		r.addAll(name, parts)
		r.testCase(g, t, test)
		for _, one := range items(test.Get("cases")) {
			r.testCase(g, t, one)
		}
	}
}

// mocks reads the mocks of a test of a tool, or with nil those of all tests of a file.
func (r *reader) mocks(g *graphFile, t *tool, mocks *config.Data) {
	each(mocks, func(name config.Text, _ *config.Data) {
		parts := r.nodeNamed(g, t, name.Value)
		if t == nil {
			for _, of := range sortedKeys(g.tools) { // each of them may be meant
				parts = append(parts, r.nodeNamed(g, g.tools[of], name.Value)...)
			}
		}
		if len(parts) == 0 {
			parts = r.serverToolNamed(g, name.Value, 0)
		}
		r.addAll(name, parts)
	})
}

// testCase reads a test, or a case of one.
func (r *reader) testCase(g *graphFile, t *tool, d *config.Data) {
	r.mocks(g, t, d.Get("mocks"))
	each(d.Get("vars"), func(name config.Text, _ *config.Data) { r.whole(name, Name{Kind: Var, File: g.path}, false) })
	node := func(name config.Text) { r.addAll(name, r.nodeNamed(g, t, name.Value)) }
	expect := d.Get("expect")
	for _, key := range []string{"path", "nothing"} {
		for _, id := range items(expect.Get(key)) {
			node(id.Text)
		}
	}
	each(expect.Get("executions"), func(name config.Text, _ *config.Data) { node(name) })
	each(expect.Get("nodes"), func(name config.Text, value *config.Data) {
		node(name)
		if t != nil && t.isSwitch(name.Value) && t.goesTo(name.Value, value.Text.Value) {
			r.whole(value.Text, t.node(value.Text.Value).Name, false)
		}
		if t != nil && t.nodes[name.Value].Get("branches") != nil {
			each(value, func(branch config.Text, _ *config.Data) { r.whole(branch, t.branch(name.Value, "").Name, false) })
		}
	})
	for _, key := range []string{"contains", "value", "partial"} {
		r.messages(g, t, expect.Get(key))
	}
	for _, call := range items(expect.Get("calls")) {
		node(text(call, "node"))
		server := text(call, "server")
		r.addAll(server, r.serverNamed(g, server.Value, 0))
		if server.Value != "" {
			of, name := r.serverOf(g, server.Value)
			r.whole(text(call, "tool"), Name{Kind: ServerTool, File: of.path, In: name}, false)
		}
	}
}

// The names in messages of errors, as the tests of a tool expect them.
var (
	serverInMessage = wording.Pattern(`server "([^"]+)"(?:, tool "([^"]+)")?`)
	nodeInMessage   = wording.Pattern(`(?:branch "([^"]+)" of )?(?:node|step) "([^"]+)"(?: of tool "([^"]+)")?`)
)

// messages reads the names in the messages of errors that a test of a tool expects.
func (r *reader) messages(g *graphFile, t *tool, d *config.Data) {
	if d == nil {
		return
	}
	for _, item := range d.Items {
		r.messages(g, t, item)
	}
	message := d.Text.Value
	part := func(parts []segment, at int) { r.addAll(d.Text, moved(parts, at)) }
	for _, m := range serverInMessage().FindAllStringSubmatchIndex(message, -1) {
		server := message[m[2]:m[3]]
		if of, name := r.serverOf(g, server); of.servers[name] != nil {
			part(r.serverNamed(g, server, 0), m[2])
			if m[4] >= 0 {
				n := Name{Kind: ServerTool, File: of.path, In: name, Name: message[m[4]:m[5]]}
				part([]segment{{n, 0, len(n.Name)}}, m[4])
			}
		}
	}
	for _, m := range nodeInMessage().FindAllStringSubmatchIndex(message, -1) {
		of := t
		if m[6] >= 0 {
			var parts []segment
			if parts, of = r.toolNamed(g, message[m[6]:m[7]], 0); of != nil {
				part(parts, m[6])
			}
		}
		id := message[m[4]:m[5]]
		if of != nil {
			part(of.stepNamed(id), m[4])
		}
		if of == nil || of.nodes[id] == nil {
			continue
		}
		part([]segment{of.node(id)}, m[4])
		if m[2] >= 0 && of.nodes[id].Get("branches").Get(message[m[2]:m[3]]) != nil {
			n := of.branch(id, message[m[2]:m[3]]).Name
			part([]segment{{n, 0, len(n.Name)}}, m[2])
		}
	}
}

// lock reads a lock: there the tools of servers are defined.
func (r *reader) lock(f *file) {
	g := f.graph
	each(f.root.Get("servers"), func(server config.Text, locked *config.Data) {
		r.addAll(server, r.serverNamed(g, server.Value, 0))
		of, name := r.serverOf(g, server.Value)
		each(locked.Get("tools"), func(tool config.Text, _ *config.Data) {
			isProgram := of.servers[name].Get("tools").Get(tool.Value) != nil
			r.whole(tool, Name{Kind: ServerTool, File: of.path, In: name}, !isProgram)
		})
	})
	can := f.root.Get("capabilities")
	each(can.Get("tools"), func(name config.Text, tool *config.Data) {
		parts, _ := r.toolNamed(g, name.Value, 0)
		r.addAll(name, parts)
		each(tool.Get("calls"), func(call config.Text, _ *config.Data) { r.addAll(call, r.serverToolNamed(g, call.Value, 0)) })
	})
	each(can.Get("variables"), func(server config.Text, _ *config.Data) { r.addAll(server, r.serverNamed(g, server.Value, 0)) })
}
