package jsonata

import (
	"strconv"
	"strings"

	"toolgraph/expressions/value"
)

// builder makes nodes of a Tree, as jsonata-js 2.2.2 does after parsing: paths
// become lists of steps, filters belong to their step, and every % knows its parent.
type builder struct {
	slots int
	seeks int // steps that were looked through for the parents of %
	fault *SyntaxError
}

// maxSeeks bounds that work, which many % in one path could make quadratic.
const maxSeeks = 100_000

// buildNode converts the tree to the nodes that are evaluated.
func buildNode(tree *Tree) (*node, *SyntaxError) {
	b := builder{}
	root := b.node(tree)
	if b.fault == nil && (root.kind == nodeParent || len(root.seeking) > 0) {
		b.fail(tree, "% has no parent here; write a path before it")
	}
	if b.fault != nil {
		return nil, b.fault
	}
	prepare(root)
	return root, nil
}

func (b *builder) fail(t *Tree, message string) {
	if b.fault == nil {
		b.fault = syntaxError(t.Offset, "", message, "")
	}
}

// node converts a part.
func (b *builder) node(t *Tree) *node {
	n := &node{at: t.Offset, text: t.Text}
	switch t.Kind {
	case NameKind:
		n.kind = nodeName
		return &node{kind: nodePath, at: t.Offset, parts: []*node{n}}
	case ContextKind:
		n.kind, n.text = nodeVariable, strings.TrimPrefix(t.Text, "$")
	case VariableKind:
		n.kind = nodeVariable
	case StringKind:
		n.value = t.Text
	case NumberKind:
		f, _ := strconv.ParseFloat(t.Text, 64) // the parser has checked the number
		n.value = f
	case LiteralKind:
		n.value = map[string]any{"true": true, "false": false, "null": value.Null}[t.Text]
	case PatternKind:
		n.kind, n.value = nodeRegex, regexOf(t)
	case WildcardKind:
		n.kind = nodeWildcard
	case DescendantsKind:
		n.kind = nodeDescendants
	case ParentKind:
		b.slots++
		n.kind, n.parent = nodeParent, &slot{label: "%" + strconv.Itoa(b.slots), level: 1, owner: n}
	case PlaceholderKind:
		b.fail(t, "found ?, expected an operand")
	case BlockKind:
		b.block(n, t)
	case ArrayKind:
		n.kind, n.parts = nodeArray, b.all(n, t.Parts)
	case ObjectKind:
		n.kind = nodeObject
		n.pairs = b.pairs(n, t.Parts)
	default:
		return b.compound(n, t)
	}
	return n
}

// compound builds the parts that have operands.
func (b *builder) compound(n *node, t *Tree) *node {
	switch t.Kind {
	case PathKind:
		return b.path(t)
	case PredicateKind:
		return b.predicate(t)
	case KeepKind:
		return b.keep(t)
	case FocusKind:
		return b.focus(t)
	case IndexKind:
		return b.index(t)
	case SortKind:
		return b.sort(t)
	case GroupKind:
		return b.group(t)
	case OperatorKind:
		return b.operator(n, t)
	case ConditionalKind:
		n.kind, n.parts = nodeCondition, b.all(n, t.Parts)
	case AssignmentKind:
		n.kind, n.text, n.parts = nodeAssignment, t.Parts[0].Text, b.all(n, t.Parts[1:])
	case FunctionKind:
		b.lambda(n, t)
	case CallKind:
		n.kind, n.fn, n.parts = nodeCall, b.node(&t.Parts[0]), b.all(n, t.Parts[1:])
	case PartialCallKind:
		n.kind, n.fn = nodePartial, b.node(&t.Parts[0])
		for i := range t.Parts[1:] {
			if arg := &t.Parts[1+i]; arg.Kind == PlaceholderKind {
				n.parts = append(n.parts, &node{kind: nodePlaceholder, at: arg.Offset})
				continue
			}
			n.parts = append(n.parts, b.all(n, t.Parts[1+i:2+i])...)
		}
	case TransformKind:
		n.kind = nodeTransform
		for i := range t.Parts {
			n.parts = append(n.parts, b.node(&t.Parts[i]))
		}
	default:
		b.fail(t, "the expression cannot be parsed")
	}
	return n
}

// all builds parts, whose % may refer to a parent outside n.
func (b *builder) all(n *node, parts []Tree) []*node {
	out := make([]*node, len(parts))
	for i := range parts {
		out[i] = b.node(&parts[i])
		n.inherit(out[i])
	}
	return out
}

func (b *builder) pairs(n *node, parts []Tree) [][2]*node {
	flat := b.all(n, parts)
	pairs := make([][2]*node, 0, len(flat)/2)
	for i := 0; i+1 < len(flat); i += 2 {
		pairs = append(pairs, [2]*node{flat[i], flat[i+1]})
	}
	return pairs
}

func (b *builder) block(n *node, t *Tree) {
	n.kind, n.parts = nodeBlock, b.all(n, t.Parts)
	for _, part := range n.parts {
		if part.cons || part.kind == nodePath && part.parts[0].cons {
			n.cons = true
		}
	}
}

func (b *builder) operator(n *node, t *Tree) *node {
	if len(t.Parts) == 1 {
		value := b.node(&t.Parts[0])
		if f, ok := value.value.(float64); ok && value.kind == nodeLiteral && len(value.predicates) == 0 {
			value.value = -f
			return value
		}
		n.kind, n.parts = nodeNegation, []*node{value}
		n.inherit(value)
		return n
	}
	switch t.Text {
	case "~>":
		n.kind, n.at = nodeApply, t.place
		n.parts = []*node{b.node(&t.Parts[0]), b.node(&t.Parts[1])}
		n.keepArray = n.parts[0].keepArray || n.parts[1].keepArray
		return n
	case "??", "?:":
		n.kind = nodeDefault
	default:
		n.kind = nodeOperator
	}
	n.parts = b.all(n, t.Parts)
	n.at = t.place
	return n
}

func (b *builder) lambda(n *node, t *Tree) {
	last := len(t.Parts) - 1
	n.kind = nodeLambda
	for i := range t.Parts[:last] {
		n.params = append(n.params, t.Parts[i].Text)
	}
	if t.Text != "" {
		n.signature, _ = parseSignature(t.Text) // the parser has checked the signature
	}
	n.fn = b.node(&t.Parts[last])
	markTails(n.fn)
}

// markTails marks the calls that are the last thing a function's body does.
func markTails(n *node) {
	switch n.kind {
	case nodeCall:
		n.tail = len(n.predicates) == 0
	case nodeCondition:
		for _, branch := range n.parts[1:] {
			markTails(branch)
		}
	case nodeDefault:
		markTails(n.parts[1])
	case nodeBlock:
		if len(n.parts) > 0 {
			markTails(n.parts[len(n.parts)-1])
		}
	default:
	}
}
