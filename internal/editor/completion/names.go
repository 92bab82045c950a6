package completion

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
)

// keys are the candidates for keys: of the schemas, the operators of rules, and the names that others
// have to repeat.
func (c *cursor) keys(all []schema) []Candidate {
	switch path := c.path(cmp.Or(c.node, c.root)); {
	case c.inRule(path):
		return c.operators()
	case len(path) > 1 && path[len(path)-1] == "properties":
		return nil
	}
	root := language()
	if c.known.Kind == TestFile {
		root = c.known.form()
	}
	out := append(keys(root, all, c.of), c.nameKeys()...)
	for i := range out {
		if c.hasValue() {
			out[i].Insert = strings.TrimSuffix(out[i].Insert, ": ")
		} else if out[i].Label == "args" && out[i].Kind == "property" {
			out[i].Snippet = c.argsSnippet()
		}
	}
	return out
}

// argsSnippet writes the required arguments of the tool that is called; "" when they are unknown.
func (c *cursor) argsSnippet() string {
	raw, _ := c.argumentsOf(c.of)
	s := decoded(raw)
	required, _ := s["required"].([]any)
	if len(required) == 0 || c.of.kind != mapping {
		return ""
	}
	first, between, last := "\n"+strings.Repeat(" ", c.lineColumn()+2), "\n"+strings.Repeat(" ", c.lineColumn()+2), ""
	if c.of.column < 0 {
		first, between, last = " {", ", ", "}"
	}
	var b strings.Builder
	b.WriteString("args:" + first)
	for i, name := range required {
		if i > 0 {
			b.WriteString(between)
		}
		b.WriteString(escaped(scalarText(fmt.Sprint(name))) + ": ${" + strconv.Itoa(i+1) + "}")
	}
	return b.String() + last
}

// argumentsOf returns the schemas of the tool that a node or a test calls.
func (c *cursor) argumentsOf(caller *item) (input, output []byte) {
	if c.known.Kind == TestFile {
		return c.own(c.testedTool())
	}
	return c.schemasOf(caller)
}

// nameKeys are the candidates for keys that are names.
func (c *cursor) nameKeys() []Candidate {
	if c.known.Kind == TestFile {
		return c.testNameKeys()
	}
	if c.known.Kind == LockFile && len(c.path(c.root)) == 1 && c.of.key == "servers" {
		return c.asKeys(c.servers())
	}
	return nil
}

// asKeys makes keys of names, without those that the mapping at the cursor has.
func (c *cursor) asKeys(names []Candidate) []Candidate {
	names = slices.DeleteFunc(names, func(n Candidate) bool { return c.of.get(n.Label) != nil })
	for i := range names {
		names[i].Insert = scalarText(names[i].Label) + ": "
	}
	return names
}

// placeholder is the beginning of a ${VAR}.
var placeholder = wording.Pattern(`\$\{([\w.]*)$`)

// environment finds the variables of the environment that a file names.
var environment = wording.Pattern(`\$\{([A-Za-z_]\w*)[}:]`)

// placeholders are what a ${…} can name: constants of the file, and variables that it names elsewhere.
func (c *cursor) placeholders() []Candidate {
	var out []Candidate
	add := func(name, detail string) {
		if !slices.ContainsFunc(out, func(known Candidate) bool { return known.Label == name }) {
			insert := name
			if !strings.HasPrefix(c.src[c.wordEnd():], "}") {
				insert += "}"
			}
			out = append(out, Candidate{Label: name, Kind: "variable", Detail: detail, Insert: insert})
		}
	}
	if vars := c.root.get("vars"); vars != nil {
		for _, v := range vars.items {
			add("vars."+v.key, "constant of the file")
		}
	}
	for _, found := range environment().FindAllStringSubmatch(c.src, 500) {
		if found[1] != "vars" {
			add(found[1], "variable of the environment")
		}
	}
	return out
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
	switch c.known.Kind {
	case TestFile:
		return c.testNames(last)
	case LockFile:
		return nil
	case GraphFile:
	}
	if c.node == nil {
		switch path := c.path(c.root); {
		case len(path) > 1 && path[0] == "pipeline" && last == "tools":
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
	case c.isStep() && len(path) == 1 && last == "call":
		return c.callable()
	case c.isStep() && len(path) > 0 && path[0] == "after":
		return c.stepsAbove(false)
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
	case c.inRule(path):
		return c.comparedValues()
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
