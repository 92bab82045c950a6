package flow

import (
	"context"
	"slices"

	"toolgraph/config"
	"toolgraph/expressions/jsonata"
	"toolgraph/graph"
)

// reads are what an expression or a rule depends on.
type reads struct {
	nodes []int // indexes in Graph.Nodes, ascending, each once
	past  []int // the nodes whose history is read: each of their executions counts
	// open is set when it may depend on something else: the time, a random number, the
	// previous node, or a node whose name is computed.
	open bool
}

// with returns an ascending list of nodes with one more.
func with(nodes []int, node int) []int {
	if i, known := slices.BinarySearch(nodes, node); !known {
		return slices.Insert(nodes, i, node)
	}
	return nodes
}

func (r *reads) join(other reads) {
	for _, node := range other.nodes {
		r.nodes = with(r.nodes, node)
	}
	for _, node := range other.past {
		r.past = with(r.past, node)
	}
	r.open = r.open || other.open
}

// changing are the functions whose value differs from call to call.
var changing = []string{"previousNode", "now", "millis", "random", "shuffle"}

// index finds nodes by id.
type index map[string]int

func indexOf(g *graph.Graph) index {
	x := make(index, len(g.Nodes))
	for i, node := range g.Nodes {
		x[node.ID()] = i
	}
	return x
}

func (x index) add(r *reads, refs ...jsonata.Reference) {
	for _, ref := range refs {
		if len(ref.Path) == 0 {
			continue
		}
		i, known := x[ref.Path[0]]
		if !known {
			continue
		}
		r.nodes = with(r.nodes, i)
		if ref.Function != "" {
			r.past = with(r.past, i)
		}
	}
}

// ofExpression returns what a JSONata expression depends on.
func (x index) ofExpression(e *jsonata.Expression) reads {
	var r reads
	x.add(&r, e.References()...)
	tree := e.Tree()
	r.open = tree == nil || isOpen(tree)
	return r
}

// isOpen reports whether a part of an expression depends on more than the paths and ids in it.
func isOpen(t *jsonata.Tree) bool {
	switch t.Kind {
	case jsonata.VariableKind:
		return slices.Contains(changing, t.Text)
	case jsonata.ContextKind, jsonata.WildcardKind, jsonata.DescendantsKind, jsonata.ParentKind:
		return true
	case jsonata.CallKind:
		if callee := t.Parts[0]; callee.Kind == jsonata.VariableKind && jsonata.ReadsNode(callee.Text) {
			if len(t.Parts) < 2 || t.Parts[1].Kind != jsonata.StringKind {
				return true
			}
		}
	}
	parts := t.Parts
	if t.Kind == jsonata.PathKind && len(parts) > 1 && parts[0].Kind == jsonata.ContextKind && parts[1].Kind != jsonata.WildcardKind {
		parts = parts[1:]
	}
	return slices.ContainsFunc(parts, func(p jsonata.Tree) bool { return isOpen(&p) })
}

// ofRule returns what the part of a rule at a path depends on.
func (x index) ofRule(ctx context.Context, rule *graph.Rule, path []any) reads {
	var r reads
	for _, ref := range rule.References() {
		if len(ref.Var) < len(path) || !slices.Equal(ref.Var[:len(path)], path) || ref.Body && ref.Function == "" {
			continue
		}
		x.add(&r, ref.Reference)
	}
	r.open = opensRule(ctx, rule.Data.At(path...))
	return r
}

// opensRule reports whether a var in d depends on more than paths and ids.
func opensRule(ctx context.Context, d *config.Data) bool {
	if d.Kind == config.KindObject && len(d.Keys) == 1 {
		switch d.Keys[0].Value {
		case "missing", "missing_some":
			return true
		case "var":
			path, isText := firstOperand(d.Items[0]).Scalar.(string)
			if !isText || path == "" {
				return true
			}
			if isPlainPath(path) {
				return false
			}
			e, err := jsonata.Compile(ctx, path)
			return err != nil || e.Tree() == nil || isOpen(e.Tree())
		}
	}
	return slices.ContainsFunc(d.Items, func(item *config.Data) bool { return opensRule(ctx, item) })
}

// firstOperand returns the first argument of an operator, which may be without brackets.
func firstOperand(d *config.Data) *config.Data {
	if d.Kind == config.KindArray && len(d.Items) > 0 {
		return d.Items[0]
	}
	return d
}

// isPlainPath reports whether the path of a var has only names and numbers with dots between
// them, so that it need not be parsed as an expression.
func isPlainPath(path string) bool {
	for _, c := range plainPath(path) {
		word := c == '_' || c == '.' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !word {
			return false
		}
	}
	return path != ""
}
