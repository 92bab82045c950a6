package expressions

import (
	"math"
	"slices"
	"strconv"

	"github.com/blues/jsonata-go/jparse"
)

// Tree is a part of an expression, for people: what kind of part it is, the name or
// literal that it stands for, and the parts that it is made of.
type Tree struct {
	Kind   string // path, name, variable, call, function, operator …
	Text   string // the name, literal or operator; empty when the kind tells all
	Offset int    // byte offset in the source, -1 when unknown
	Parts  []Tree
}

// Tree is the expression's parse tree, or nil when there is none: the engine knows
// a few forms that the parser for the tree does not.
func (e *JSONata) Tree() *Tree {
	root, _, err := parseTree(e.tokens)
	if err != nil {
		return nil
	}
	t := drawer{e.tokens}.draw(root)
	return &t
}

// drawer makes a Tree of the parser's nodes, whose names are stand-ins for tokens.
type drawer struct{ tokens []token }

func (d drawer) leaf(kind, standIn string) Tree {
	if i, ok := tokenOf(standIn); ok && i < len(d.tokens) {
		return Tree{Kind: kind, Text: d.tokens[i].value, Offset: d.tokens[i].start}
	}
	return Tree{Kind: kind, Text: standIn, Offset: -1}
}

func (d drawer) of(kind, text string, nodes ...jparse.Node) Tree {
	t := Tree{Kind: kind, Text: text, Offset: -1}
	for _, node := range nodes {
		if node == nil {
			continue
		}
		part := d.draw(node)
		if t.Offset < 0 {
			t.Offset = part.Offset
		}
		t.Parts = append(t.Parts, part)
	}
	return t
}

func (d drawer) pairs(kind string, pairs [][2]jparse.Node, before ...jparse.Node) Tree {
	nodes := before
	for _, pair := range pairs {
		nodes = append(nodes, pair[0], pair[1])
	}
	return d.of(kind, "", nodes...)
}

func (d drawer) draw(node jparse.Node) Tree {
	switch n := node.(type) {
	case *jparse.NameNode:
		return d.leaf("name", n.Value)
	case *jparse.StringNode:
		return d.leaf("string", n.Value)
	case *jparse.VariableNode:
		if n.Name == "" || n.Name == "$" {
			return Tree{Kind: "context", Text: "$" + n.Name, Offset: -1}
		}
		return d.leaf("variable", n.Name)
	case *jparse.PathNode:
		if len(n.Steps) == 1 && !n.KeepArrays {
			return d.draw(n.Steps[0])
		}
		return d.of("path", "", n.Steps...)
	case *jparse.PredicateNode:
		return d.of("predicate", "", append([]jparse.Node{n.Expr}, n.Filters...)...)
	case *jparse.GroupNode:
		return d.pairs("group", n.Pairs, n.Expr)
	case *jparse.ObjectNode:
		return d.pairs("object", n.Pairs)
	case *jparse.ArrayNode:
		return d.of("array", "", n.Items...)
	case *jparse.BlockNode:
		return d.of("block", "", n.Exprs...)
	case *jparse.FunctionCallNode:
		return d.of("call", "", append([]jparse.Node{n.Func}, n.Args...)...)
	case *jparse.PartialNode:
		return d.of("partial call", "", append([]jparse.Node{n.Func}, n.Args...)...)
	case *jparse.LambdaNode:
		return d.lambda(n)
	case *jparse.TypedLambdaNode:
		return d.lambda(n.LambdaNode)
	case *jparse.AssignmentNode:
		t := d.of("assignment", "", n.Value)
		t.Parts = append([]Tree{d.leaf("variable", n.Name)}, t.Parts...)
		return t
	}
	return d.operator(node)
}

// written is the operator before the operand at offset: ?? and ?: stand as or in
// the tree.
func (d drawer) written(offset int, operator string) string {
	i := slices.IndexFunc(d.tokens, func(t token) bool { return t.start == offset })
	for i--; i >= 0 && d.tokens[i].prefix; i-- {
	}
	if i >= 0 && (d.tokens[i].is("??") || d.tokens[i].is("?:")) {
		return d.tokens[i].text
	}
	return operator
}

func (d drawer) lambda(n *jparse.LambdaNode) Tree {
	t := d.of("function", "", n.Body)
	for i, name := range n.ParamNames {
		t.Parts = append(t.Parts[:i:i], append([]Tree{d.leaf("parameter", name)}, t.Parts[i:]...)...)
	}
	return t
}

func (d drawer) operator(node jparse.Node) Tree {
	switch n := node.(type) {
	case *jparse.NumericOperatorNode:
		return d.of("operator", n.Type.String(), n.LHS, n.RHS)
	case *jparse.ComparisonOperatorNode:
		return d.of("operator", n.Type.String(), n.LHS, n.RHS)
	case *jparse.BooleanOperatorNode:
		t := d.of("operator", n.Type.String(), n.LHS, n.RHS)
		t.Text = d.written(t.Parts[1].Offset, t.Text)
		return t
	case *jparse.StringConcatenationNode:
		return d.of("operator", "&", n.LHS, n.RHS)
	case *jparse.FunctionApplicationNode:
		return d.of("operator", "~>", n.LHS, n.RHS)
	case *jparse.RangeNode:
		return d.of("operator", "..", n.LHS, n.RHS)
	case *jparse.NegationNode:
		return d.of("operator", "-", n.RHS)
	case *jparse.ConditionalNode:
		return d.of("conditional", "", n.If, n.Then, n.Else)
	case *jparse.ObjectTransformationNode:
		return d.of("transform", "", n.Pattern, n.Updates, n.Deletes)
	case *jparse.SortNode:
		t := d.of("sort", "", n.Expr)
		for _, term := range n.Terms {
			t.Parts = append(t.Parts, d.draw(term.Expr))
		}
		return t
	case *jparse.WildcardNode:
		return Tree{Kind: "wildcard", Text: "*", Offset: -1}
	case *jparse.DescendentNode:
		return Tree{Kind: "descendants", Text: "**", Offset: -1}
	case *jparse.RegexNode:
		return d.leaf("pattern", n.Value.String())
	case *jparse.NumberNode:
		t := d.leaf("number", "n"+strconv.Itoa(int(math.Abs(n.Value))))
		if n.Value < 0 {
			t.Text = "-" + t.Text
		}
		return t
	case *jparse.PlaceholderNode:
		return Tree{Kind: "placeholder", Text: "?", Offset: -1}
	case *jparse.NullNode:
		return Tree{Kind: "literal", Text: "null", Offset: -1}
	case *jparse.BooleanNode:
		return Tree{Kind: "literal", Text: n.String(), Offset: -1}
	}
	return Tree{Kind: "literal", Offset: -1}
}
