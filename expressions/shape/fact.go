package shape

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"
)

// fact is what is known of the value of a part of an expression.
type fact struct {
	shape     Shape
	root      bool     // the value is the context
	written   bool     // the value is a constant: it is written in the expression and reads nothing
	fn        *lambda  // the function that the value certainly is, or nil
	reads     []read   // the reads that must succeed for the value to exist
	whenTrue  []string // nodes that have run if the value is true
	whenFalse []string // nodes that have run if the value is not true
	counts    string   // the node whose executions the value counts
	whole     Shape    // of the array whose item the value is; else Any
	origin    string   // the name of the value in messages, where it has no path
	at        []string // the path of the value in the context, where a schema declares it
	parts     []part   // of an object that the expression makes
	sizeOf    *tree    // the list, which may be empty, whose items the value counts
	matches   int      // of a match, or a list of matches: the groups of its regular expression, and 1
	groups    int      // of the groups of a match: as many, and 1
	from      *tree    // of a variable: the part that gave it its value
	values    *tree    // or whose operands are values and no conditions
	constant  any      // of a constant of the graph file: its value there
}

// read is a place where the output of a node that may not have run is read, or a field
// that its schema does not require.
type read struct {
	node        string
	offset, end int
	either      bool     // only on one of several branches
	field       []string // the path of the field; nil for the output of a node
	when        string   // of the value of a function: when it is missing
	minor       bool     // see Finding.Minor
}

// part is a field of an object that the expression makes.
type part struct {
	name  string
	value fact
}

func unknown() fact { return fact{shape: Any()} }

func of(s Shape) fact { return fact{shape: s} }

// ran returns the nodes that have run if the value exists.
func (v fact) ran() []string {
	var out []string
	for _, r := range v.reads {
		if !r.either {
			out = append(out, r.node)
		}
	}
	return out
}

// ifTrue returns the nodes that have run if the value is true.
func (v fact) ifTrue() []string { return slices.Concat(v.ran(), v.whenTrue) }

// like returns a value of that shape that is missing when one of the values is missing.
func like(s Shape, values ...fact) fact {
	out := fact{shape: s}
	for _, v := range values {
		out.reads = append(out.reads, v.reads...)
		if v.shape.MayBeNothing() {
			out.shape = Union(out.shape, Nothing())
		}
	}
	return out
}

// without returns the value of an operator or a function, which in a supposed run is missing where the
// operand is. In other runs, that would only repeat what is reported of the operand.
func (in *inferrer) without(operand, out fact) fact {
	if in.env.Supposed && operand.shape.IsNothing() {
		out.shape = Nothing()
	}
	return out
}

// either returns the value of one of several branches.
func either(values ...fact) fact {
	out := fact{shape: none, written: true}
	for i, v := range values {
		out.shape = union(out.shape, v.shape)
		out.written = out.written && v.written
		out.root = v.root && (i == 0 || out.root)
		for _, r := range v.reads {
			r.either = true
			out.reads = append(out.reads, r)
		}
	}
	if len(values) > 0 && !slices.ContainsFunc(values, func(v fact) bool { return v.fn != values[0].fn }) {
		out.fn = values[0].fn
	}
	return out
}

// need reports the nodes whose missing output would make the value missing, unless a
// default replaces it.
func (in *inferrer) need(v fact) {
	if in.spared > 0 {
		return
	}
	for _, r := range v.reads {
		if r.field != nil || slices.Contains(in.present, r.node) {
			continue
		}
		hint := fmt.Sprintf("provide a default: … ?? value; or check first: $exists(%s) ? … : …", nodeText(r.node))
		in.report(&tree{Offset: r.offset, End: r.end}, CodeMayBeMissing,
			fmt.Sprintf("node %q may not have run when this is evaluated, so its output may be missing", r.node), hint)
	}
}

// replacedElsewhere reports whether the expression has a default, in another place, for the output of each node that a value reads: a
// field without one is then left out on purpose.
func (in *inferrer) replacedElsewhere(v fact) bool {
	return !slices.ContainsFunc(v.reads, func(r read) bool {
		return r.field == nil && !in.anyPart(in.whole, 0, func(t *tree) bool {
			if t.Kind != jsonata.OperatorKind || t.Text != "??" && t.Text != "?:" {
				return false
			}
			path := in.contextPath(&t.Parts[0])
			return path != nil && path[0] == r.node
		})
	})
}

// absent reports an operand that is missing in a supposed run.
func (in *inferrer) absent(t *tree, v fact) {
	if in.env.Supposed && in.branches == 0 && in.spared == 0 && v.shape.IsNothing() {
		in.report(t, CodeAbsent, in.text(t)+" is missing", "")
	}
}

// nodeText returns the expression that reads a node.
func nodeText(id string) string {
	for i, c := range id {
		if letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'; !letter && (i == 0 || c < '0' || c > '9') {
			return "$.`" + id + "`"
		}
	}
	return "$." + id
}

// branch infers one of several branches, on which some nodes are known to have run.
// Nothing is reported on a branch that is never taken.
func (in *inferrer) branch(taken bool, present []string, f func() fact) fact {
	before, quiet := in.present, in.quiet
	in.present = slices.Concat(before, present)
	if !taken {
		in.quiet++
	}
	out := in.perhaps(f)
	in.quiet, in.present = quiet, before
	return out
}

// probe infers a part that the expression tests for existence.
func (in *inferrer) probe(t *tree, focus *fact) fact {
	in.asks = true // until infer begins
	return in.infer(t, focus)
}

// replaced infers a part that has a default.
func (in *inferrer) replaced(t *tree, focus *fact) fact {
	in.asks = true
	return in.gathered(t, focus)
}

// gathered infers a part that is left out when it is missing.
func (in *inferrer) gathered(t *tree, focus *fact) fact {
	in.spared++
	defer func() { in.spared-- }()
	return in.infer(t, focus)
}

// literal returns the shape of a string, a number, true, false or null.
func literal(t *tree) Shape {
	switch t.Kind {
	case jsonata.StringKind:
		if strings.Contains(t.Text, `\`) {
			return String() // the tree does not resolve escapes
		}
		return stringOf(t.Text)
	case jsonata.NumberKind:
		if f, err := strconv.ParseFloat(t.Text, 64); err == nil {
			return Constant(f)
		}
		return Number()
	}
	if t.Text == "null" {
		return Constant(value.Null)
	}
	return Constant(t.Text == "true")
}
