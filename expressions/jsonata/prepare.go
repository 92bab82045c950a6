package jsonata

import (
	"slices"

	"toolgraph/expressions/value"
)

// preparation is what a part of an expression means for the parts around it.
type preparation struct {
	assigns bool // a variable of the block or function around it
	holds   bool // it makes a function, which holds the variables that it sees
}

// prepare sets the fields of a node, and of all in it, that speed an evaluation up.
func prepare(n *node) preparation {
	p := preparation{assigns: n.kind == nodeAssignment, holds: n.kind == nodeLambda || n.kind == nodeTransform}
	visit := func(part *node) {
		if part != nil {
			inner := prepare(part)
			p.assigns, p.holds = p.assigns || inner.assigns, p.holds || inner.holds
		}
	}
	for _, part := range n.parts {
		visit(part)
	}
	for _, pair := range n.pairs {
		visit(pair[0])
		visit(pair[1])
	}
	for i := range n.terms {
		visit(n.terms[i].by)
	}
	for _, stages := range [][]stage{n.predicates, n.stages} {
		for i := range stages {
			visit(stages[i].filter)
		}
	}
	visit(n.group)
	switch n.kind {
	case nodeBlock:
		n.binds, p.assigns = p.assigns, false
	case nodeLambda:
		n.passing = !prepare(n.fn).holds
		p.assigns = false
	case nodePath:
		n.names = plainNames(n)
		n.head = headOf(n)
	case nodeObject:
		n.keys = constantKeys(n.pairs)
	case nodeOperator:
		n.op = operation(slices.Index(operators[:], n.text))
	case nodeVariable:
		n.builtin = library()[n.text]
	default:
		visit(n.fn)
	}
	n.bare = len(n.predicates) == 0 && n.group == nil
	n.counts = countsParts(n)
	return p
}

// plainNames returns the steps of a path that consists of names only, else nil.
func plainNames(n *node) []string {
	if n.keepArray || n.keepSingleton || n.group != nil || len(n.predicates) > 0 {
		return nil
	}
	names := make([]string, 0, len(n.parts))
	for _, step := range n.parts {
		if !step.isPlainName() {
			return nil
		}
		names = append(names, step.text)
	}
	return names
}

// isPlainName reports whether a step of a path is a name and no more.
func (n *node) isPlainName() bool { return n.isName() && len(n.stages) == 0 }

// isName reports whether a step of a path is a name, perhaps with filters.
func (n *node) isName() bool {
	return n.kind == nodeName && !n.keepArray && !n.tuple && len(n.predicates) == 0 && n.group == nil
}

// headOf is how many of the first steps of a path machine.follow takes: one of any kind that takes
// the input as it is, and the names behind it, all with no other filters than indexes.
func headOf(n *node) int {
	first := n.parts[0]
	if first.kind == nodeSort || first.cons || first.tuple || !first.isIndexed() || first.keepArray {
		return 0
	}
	head := 1
	for head < len(n.parts) && n.parts[head].isName() && n.parts[head].isIndexed() {
		head++
	}
	return head
}

// isIndexed reports whether all filters of a step are numbers as written.
func (n *node) isIndexed() bool {
	for i := range n.stages {
		if _, isNumber := indexOf(n.stages[i].filter); !isNumber {
			return false
		}
	}
	return true
}

// indexOf is the index that a filter is, if it is a number as written.
func indexOf(filter *node) (index float64, ok bool) {
	if filter == nil || filter.kind != nodeLiteral {
		return 0, false
	}
	index, ok = filter.value.(float64)
	return index, ok
}

// constantKeys returns the keys of an object when all of them are written as strings and none twice,
// else nil.
func constantKeys(pairs [][2]*node) []string {
	keys := make([]string, 0, len(pairs))
	seen := value.NewMap()
	for _, pair := range pairs {
		key, ok := pair[0].value.(string)
		if !ok || pair[0].kind != nodeLiteral || len(pair[0].predicates) > 0 || pair[0].group != nil {
			return nil
		}
		keys = append(keys, key)
		seen.Set(key, true)
	}
	if seen.Len() < len(keys) {
		return nil
	}
	return keys
}

// contextPath returns the names of an expression that is only a path over the context, such
// as $.entry.directory, else nil.
func contextPath(n *node) []string {
	if n.kind != nodePath || n.names != nil {
		return n.names
	}
	first := n.parts[0]
	if len(n.parts) == 1 || first.kind != nodeVariable || first.text != "" && first.text != "$" || len(first.predicates)+len(first.stages) > 0 {
		return nil
	}
	rest := *n
	rest.parts = n.parts[1:]
	return plainNames(&rest)
}
