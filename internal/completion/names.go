package completion

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/jsonlogic"
)

// keys are the candidates for keys: of the schemas, the operators of rules, and the names that others
// have to repeat.
func (c *cursor) keys(all []schema) []Candidate {
	switch path := c.path(cmp.Or(c.node, c.root)); {
	case c.inRule(path):
		var out []Candidate
		for _, op := range jsonlogic.Operators() {
			insert := op + ": "
			if !plainText(op) {
				insert = `"` + op + `": `
			}
			out = append(out, Candidate{Label: op, Kind: "function", Detail: "operator of rules", Doc: docOfOperator(op), Insert: insert})
		}
		return out
	case len(path) > 1 && path[len(path)-1] == "properties":
		return nil
	}
	return keys(all, c.of)
}

// inRule reports whether a path of a node leads into a rule.
func (c *cursor) inRule(path []string) bool {
	return c.node != nil && len(path) > 2 && path[0] == "conditions" && path[2] == "rule"
}

// names are the candidates for values that are names of the file, of its servers or of their tools.
func (c *cursor) names() []Candidate {
	last := c.of.key
	if c.of.parent != nil && c.of.parent.kind == sequence {
		last = c.of.parent.key
	}
	if c.node == nil {
		switch path := c.path(c.root); {
		case len(path) == 2 && path[0] == "pipeline" && last == "tools":
			return c.ownTools()
		case last == "calls" && len(path) > 1:
			return c.calls()
		case last == "required" && c.of.parent != nil:
			return c.properties()
		}
		return nil
	}
	path := c.path(c.node)
	switch {
	case len(path) == 1 && last == "server":
		return c.servers()
	case len(path) == 1 && last == "tool" && c.node.word("type") == string(config.GraphNode):
		return c.ownTools()
	case len(path) == 1 && last == "tool":
		return c.serverTools(c.node.word("server"))
	case last == "next" && (len(path) == 1 || path[0] == "onError" || path[0] == "conditions" && len(path) == 3):
		return c.nodes(func(kind string) bool { return kind != string(config.EntryNode) })
	case last == "required" && path[0] == "schema":
		return c.properties()
	}
	return nil
}

// nodes are those of the tool, as the text has them.
func (c *cursor) nodes(wanted func(kind string) bool) []Candidate {
	out := []Candidate{}
	list := c.tool.get("nodes")
	if list == nil {
		return out
	}
	for _, n := range list.items {
		id, kind := n.word("id"), n.word("type")
		if id == "" || !wanted(kind) {
			continue
		}
		what := kind
		if tool := n.word("tool"); tool != "" {
			what += " " + strings.TrimPrefix(n.word("server")+"."+tool, ".")
		}
		candidate := Candidate{Label: id, Kind: "node", Detail: what}
		if n == c.node {
			candidate.Rank = -1
		}
		out = append(out, candidate)
	}
	return out
}

func (c *cursor) servers() []Candidate {
	out := []Candidate{}
	add := func(name, detail string) {
		if name != "" && !slices.ContainsFunc(out, func(known Candidate) bool { return known.Label == name }) {
			out = append(out, Candidate{Label: name, Kind: "server", Detail: detail})
		}
	}
	if of := c.root.get("mcpServers"); of != nil {
		for _, s := range of.items {
			add(s.key, cmp.Or(s.word("type"), "stdio"))
		}
	}
	if c.known.File != nil {
		for _, s := range c.known.File.Servers {
			add(s.Name.Value, string(s.Transport))
		}
	}
	return out
}

func (c *cursor) tools(server string) []Tool {
	if c.known.Tools == nil || server == "" {
		return nil
	}
	return c.known.Tools(server)
}

func (c *cursor) serverTools(server string) []Candidate {
	out := []Candidate{}
	for _, t := range c.tools(server) {
		out = append(out, Candidate{Label: t.Name, Kind: "tool", Detail: server, Doc: t.Description})
	}
	return out
}

// ownTools are the tools of the file and of its imports.
func (c *cursor) ownTools() []Candidate {
	found := map[string]Candidate{}
	if of := c.root.get("tools"); of != nil {
		for _, t := range of.items {
			if name := t.word("name"); name != "" {
				found[name] = Candidate{Label: name, Kind: "tool", Doc: t.word("description")}
			}
		}
	}
	if c.known.File != nil {
		for _, t := range c.known.File.Tools {
			if t.File != c.known.File {
				found[t.Name.Value] = Candidate{Label: t.Name.Value, Kind: "tool", Detail: "of an import", Doc: t.Description.Value}
			}
		}
	}
	out := []Candidate{}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		out = append(out, found[name])
	}
	return out
}

// calls are what allow and pipeline list: server.tool.
func (c *cursor) calls() []Candidate {
	out := []Candidate{}
	for _, s := range c.servers() {
		out = append(out, Candidate{Label: s.Label + ".*", Kind: "server", Insert: `"` + s.Label + `.*"`})
		for _, t := range c.tools(s.Label) {
			out = append(out, Candidate{Label: s.Label + "." + t.Name, Kind: "tool", Doc: t.Description})
		}
	}
	return out
}

// properties are the names that the schema around the cursor declares.
func (c *cursor) properties() []Candidate {
	out := []Candidate{}
	if declared := c.of.parent.parent.get("properties"); declared != nil {
		for _, p := range declared.items {
			out = append(out, Candidate{Label: p.key, Kind: "field", Detail: p.word("type")})
		}
	}
	return out
}

// input is the schema of the arguments of the tool that the node calls; nil when it is unknown.
func (c *cursor) input() schema {
	var raw []byte
	switch name := c.node.word("tool"); c.node.word("type") {
	case string(config.MCPNode):
		for _, t := range c.tools(c.node.word("server")) {
			if t.Name == name {
				raw = t.Input
			}
		}
	case string(config.GraphNode):
		if c.known.File == nil {
			return nil
		}
		for _, t := range c.known.File.Tools {
			if t.Name.Value == name && t.InputSchema != nil {
				raw = t.InputSchema.JSON()
			}
		}
	}
	return decoded(raw)
}
