package convert

import (
	"fmt"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/jsonata"
)

// readExpressions changes the names in all expressions, in the order in which the nodes run. Without an order it only reports
// what steps do not have.
func (c *converter) readExpressions(chain []*config.Node) {
	above := map[string]bool{}
	for _, n := range c.tool.Nodes {
		if n.Type == config.EntryNode || chain == nil {
			above[n.ID.Value] = true
		}
	}
	if chain == nil {
		chain = c.tool.Nodes
	}
	for _, n := range chain {
		for _, node := range append([]*config.Node{n}, n.Branches...) {
			if r := node.Retry; r != nil && r.Until.IsSet() && r.Backoff != 1 {
				c.refuse(r.Until.Pos, fmt.Sprintf("retry of node %q polls with backoff, and turns of a step have one delay", node.ID.Value), "remove backoff, or keep the tool a graph")
			}
			for _, text := range expressionsOf(node) {
				c.readExpression(text, above)
			}
		}
		above[n.ID.Value] = true
	}
}

// expressionsOf returns the expressions of a node.
func expressionsOf(n *config.Node) []config.Text {
	texts := []config.Text{n.Expr}
	if n.ForEach != nil {
		texts = append(texts, n.ForEach.Items)
	}
	if n.Retry != nil {
		texts = append(texts, n.Retry.When, n.Retry.Until)
	}
	values := []*config.Data{n.Args, n.Message}
	if n.OnError != nil {
		values = append(values, n.OnError.Value)
	}
	for len(values) > 0 {
		if d := values[0]; d != nil {
			texts = append(texts, d.Expr)
			values = append(values, d.Items...)
		}
		values = values[1:]
	}
	return slices.DeleteFunc(texts, func(t config.Text) bool { return t.Value == "" })
}

// readExpression changes the names of an expression that runs when some nodes have ended.
func (c *converter) readExpression(text config.Text, above map[string]bool) {
	e, err := jsonata.Compile(c.ctx, text.Value)
	if err != nil { // the file has been checked
		c.refuse(text.Pos, err.Error(), "")
		return
	}
	w := walker{converter: c, text: text, roots: map[int]int{}, ends: map[int]int{}}
	w.walk(e.Tree())
	if e.ContextUse().Whole {
		c.refuse(text.Pos, "the expression reads the context as a whole, which has other keys in steps", "read the outputs by their names, or keep the tool a graph")
	}
	var parts []config.Replacement
	for _, ref := range e.References() {
		if ref.Function != "" || len(ref.Path) == 0 {
			continue
		}
		id, from := ref.Path[0], ref.Offset
		if !above[id] {
			c.refuse(text.At(from), fmt.Sprintf("node %q does not run before this one, so the path has no value, and steps read steps above them only", id), "remove it")
			continue
		}
		if root, ok := w.roots[from]; ok {
			from = root
		}
		if with := c.names[id]; with != "" && text.Value[from:w.ends[ref.Offset]] != with {
			parts = append(parts, config.Replacement{From: from, To: w.ends[ref.Offset], Text: with})
		}
	}
	if len(parts) > 0 {
		slices.SortFunc(parts, func(a, b config.Replacement) int { return a.From - b.From })
		c.replace(text, parts...)
	}
}

// walker finds names in the tree of an expression, and what steps do not have.
type walker struct {
	*converter
	text  config.Text
	roots map[int]int // of a name behind "$.": where the $ is
	ends  map[int]int // of a name: the byte behind it
}

func (w *walker) walk(t *jsonata.Tree) {
	switch {
	case t.Kind == jsonata.VariableKind && jsonata.IsHistoryFunction(t.Text):
		w.refuse(w.text.At(t.Offset), fmt.Sprintf("$%s reads the history of a run, which steps do not have", t.Text), "read an output by the id of its node, or keep the tool a graph")
	case t.Kind == jsonata.NameKind:
		w.ends[t.Offset] = t.End
	case t.Kind == jsonata.ParentKind:
		w.refuse(w.text.At(t.Offset), "% can read the context, which has other keys in steps", "write the path from its beginning")
	case t.Kind == jsonata.PathKind && t.Parts[0].Kind == jsonata.ContextKind && t.Parts[0].Text == "$":
		root, name := &t.Parts[0], &t.Parts[1]
		for name.Kind != jsonata.NameKind && len(name.Parts) > 0 {
			name = &name.Parts[0]
		}
		if between := w.text.Value[root.End:max(root.End, name.Offset)]; strings.TrimSpace(between) == "." {
			w.roots[name.Offset] = root.Offset
		}
	}
	for i := range t.Parts {
		part := &t.Parts[i]
		if t.Kind == jsonata.PathKind && part.Kind == jsonata.ParentKind && i+1 < len(t.Parts) && t.Parts[i+1].Kind == jsonata.NameKind && w.names[t.Parts[i+1].Text] == "" {
			continue // a field of something else
		}
		w.walk(part)
	}
}
