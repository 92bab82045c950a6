package mcpgraph

import (
	"fmt"
	"slices"
	"strings"
)

// file is a graph file: the tools of several samples, each in some readings.
type file struct {
	old    bool // for 0.1.23, where a condition has target instead of next
	limit  int
	server string // the program of the fake server
}

// tool is a sample as one tool of a file.
type tool struct {
	name  string
	of    *sample
	rules []string // by which it is written in another way
}

// write returns the file as JSON, which is YAML.
func (f file) write(tools []tool) string {
	texts := make([]string, len(tools))
	for i, t := range tools {
		texts[i] = f.tool(t)
	}
	return fmt.Sprintf(`{"version":"1.0","server":{"name":"random","version":"1.0.0"},
"executionLimits":{"maxNodeExecutions":%d},
"mcpServers":{"up":{"command":%s,"args":[]}},
"tools":[
%s
]}
`, f.limit, quote(f.server), strings.Join(texts, ",\n"))
}

func (f file) tool(t tool) string {
	var ids, nodes []string
	for _, n := range t.of.nodes {
		ids = append(ids, "$executionCount("+quote(n.id)+")")
	}
	r := reading{rules: t.rules, all: "$sum([" + strings.Join(ids, ", ") + "])"}
	for _, n := range t.of.nodes {
		nodes = append(nodes, f.node(n, r))
	}
	return fmt.Sprintf(`{"name":%s,"description":"random","inputSchema":%s,"outputSchema":{"type":"object"},"nodes":[
 %s]}`, quote(t.name), t.of.inputSchema(), strings.Join(nodes, ",\n "))
}

func (f file) node(n *node, r reading) string {
	rest := ""
	switch n.kind {
	case "transform":
		rest = `,"transform":{"expr":` + quote(n.body.text(r)) + `}`
	case "mcp":
		rest = `,"server":"up","tool":` + quote(n.tool) + `,"args":` + n.body.text(r)
	case "switch":
		rest = `,"conditions":[` + strings.Join(f.conditions(n, r), ",") + `]`
	}
	if n.next != "" && (n.kind != "switch" || !f.old) {
		rest += `,"next":` + quote(n.next)
	}
	return fmt.Sprintf(`{"id":%s,"type":%q%s}`, quote(n.id), n.kind, rest)
}

func (f file) conditions(n *node, r reading) []string {
	next := "next"
	if f.old {
		next = "target"
	}
	var all []string
	for _, c := range n.conditions {
		rule := ""
		switch {
		case c.rule != nil && slices.Contains(r.rules, listsHold):
			rule = `"rule":{"!!":[` + c.rule.text(r) + `]},`
		case c.rule != nil:
			rule = `"rule":` + c.rule.text(r) + `,`
		case slices.Contains(r.rules, conditionNoRule):
			rule = `"rule":true,`
		}
		all = append(all, fmt.Sprintf(`{%s"%s":%s}`, rule, next, quote(c.next)))
	}
	if f.old {
		all = append(all, fmt.Sprintf(`{"target":%s}`, quote(n.next)))
	}
	return all
}

// arguments are those of a call of the tool.
func (t tool) arguments() string {
	if slices.Contains(t.rules, defaults) {
		return strings.TrimSuffix(t.of.arguments, "}") + `,"page":7}`
	}
	return t.of.arguments
}
