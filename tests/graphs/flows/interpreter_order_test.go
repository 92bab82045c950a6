package flows

import (
	"maps"
	"regexp"
	"slices"

	"toolgraph/config"
)

// block is the order of the steps of a tool or a block, as the language describes it.
type block struct {
	ids   []string
	needs []map[int]bool // for each step those that end before it begins, also because of others
}

func (in *interpreter) setPaths(n *config.Node, prefix string) {
	for _, s := range n.Steps {
		in.paths[s] = prefix + s.ID.Value
		in.setPaths(s, in.paths[s]+".")
	}
}

// blockOf returns the order of the steps of a block.
func (in *interpreter) blockOf(n *config.Node) *block {
	if b := in.orders[n]; b != nil {
		return b
	}
	b := &block{}
	for i, s := range n.Steps {
		needs := map[int]bool{}
		for j, above := range n.Steps[:i] {
			if in.changes(s) || in.changes(above) || readsStep(s, above.ID.Value) {
				needs[j] = true
				maps.Copy(needs, b.needs[j])
			}
		}
		b.ids, b.needs = append(b.ids, s.ID.Value), append(b.needs, needs)
	}
	in.orders[n] = b
	return b
}

// changes reports whether a step may change something, or asks the user.
func (in *interpreter) changes(n *config.Node) bool {
	return n.Type == config.AskNode || in.writes(n, map[string]bool{})
}

// writes reports whether a node, or what it calls, changes something.
func (in *interpreter) writes(n *config.Node, seen map[string]bool) bool {
	switch n.Type {
	case config.MCPNode:
		if n.Effect != "" {
			return n.Effect != config.ReadEffect
		}
		return !onlyReads(n.Tool.Value)
	case config.GraphNode:
		if seen[n.Tool.Value] {
			return false
		}
		seen[n.Tool.Value] = true
		return slices.ContainsFunc(in.tool(n.Tool.Value).Nodes, func(n *config.Node) bool { return in.writes(n, seen) })
	}
	return slices.ContainsFunc(slices.Concat(n.Branches, n.Steps), func(n *config.Node) bool { return in.writes(n, seen) })
}

var wholeContext = regexp.MustCompile(`\$\$(\)|$)`)

// readsStep reports whether a step reads another one above it by its name, which nothing else has, or the whole context,
// or begins after it.
func readsStep(n *config.Node, id string) bool {
	name := regexp.MustCompile(`\b` + id + `\b`)
	if slices.ContainsFunc(n.Step.After, func(t config.Text) bool { return t.Value == id }) {
		return true
	}
	return slices.ContainsFunc(texts(n), func(s string) bool { return name.MatchString(s) || wholeContext.MatchString(s) })
}

// texts are the expressions of a step and of those in it.
func texts(n *config.Node) []string {
	all := []string{n.Expr.Value, n.Return.Value}
	var add func(d *config.Data)
	add = func(d *config.Data) {
		if d == nil {
			return
		}
		all = append(all, d.Expr.Value)
		for _, item := range d.Items {
			add(item)
		}
	}
	add(n.Args)
	add(n.Message)
	if n.OnError != nil {
		add(n.OnError.Value)
	}
	if s := n.Step; s != nil {
		all = append(all, s.If.Value, s.Each.Value, s.Key.Value, s.Until.Value)
		if s.Repeat != nil {
			all = append(all, s.Repeat.Until.Value)
		}
	}
	for _, inner := range n.Steps {
		all = append(all, texts(inner)...)
	}
	return all
}
