package shape

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolgraph/expressions/value"
)

// fact is what is known of the value of a part of an expression.
type fact struct {
	shape     Shape
	root      bool     // it is the context
	written   bool     // it stands in the expression and reads nothing
	fn        *lambda  // the function that it certainly is, or nil
	reads     []read   // the outputs without which there would be no value
	whenTrue  []string // nodes that have run if it is true
	whenFalse []string // nodes that have run if it is not
	counts    string   // the node of which it is the number of executions
	origin    string   // what it is, in words, where it has no path
	at        []string // the path by which the context has it, where a schema declares it
	parts     []part   // of an object that the expression makes
}

// read is a place where the output of a node that may not have run is read.
type read struct {
	node        string
	offset, end int
	either      bool     // only on one of several ways
	field       []string // the path of a field that its schema does not require; nil for a node
}

func unknown() fact { return fact{shape: Any()} }

func of(s Shape) fact { return fact{shape: s} }

// there are the nodes that have run if there is a value.
func (v fact) there() []string {
	var out []string
	for _, r := range v.reads {
		if !r.either {
			out = append(out, r.node)
		}
	}
	return out
}

// ifTrue are the nodes that have run if the value is true.
func (v fact) ifTrue() []string { return slices.Concat(v.there(), v.whenTrue) }

// like is a value of that shape that is missing when one of the values is.
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

// either is what comes from one of several ways.
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

// need notes what the value may be missing for, unless something takes its place.
func (in *inferrer) need(v fact) {
	if in.spared > 0 {
		return
	}
	for _, r := range v.reads {
		if r.field != nil || slices.Contains(in.present, r.node) {
			continue
		}
		hint := fmt.Sprintf("give what to use instead: … ?? value; or ask first: $exists(%s) ? … : …", nodeText(r.node))
		in.note(&tree{Offset: r.offset, End: r.end}, CodeMayBeMissing,
			fmt.Sprintf("node %q may not have run when this is evaluated, and then there is no value", r.node), hint)
	}
}

// nodeText is how an expression reads a node.
func nodeText(id string) string {
	for i, c := range id {
		if letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'; !letter && (i == 0 || c < '0' || c > '9') {
			return "$.`" + id + "`"
		}
	}
	return "$." + id
}

// way infers one of several ways, where some nodes are known to have run. Nothing is
// wrong on a way that is never taken.
func (in *inferrer) way(taken bool, present []string, f func() fact) fact {
	before, quiet := in.present, in.quiet
	in.present = slices.Concat(before, present)
	in.branches++
	if !taken {
		in.quiet++
	}
	out := f()
	in.quiet = quiet
	in.branches--
	in.present = before
	return out
}

// probe infers a part of which it is asked whether it is there.
func (in *inferrer) probe(t *tree, focus *fact) fact {
	in.asks = true
	out := in.infer(t, focus)
	in.asks = false
	return out
}

// replaced infers a part that has something to take its place when it is missing.
func (in *inferrer) replaced(t *tree, focus *fact) fact {
	in.spared++
	defer func() { in.spared-- }()
	return in.probe(t, focus)
}

// gathered infers a part that is left out when it is missing.
func (in *inferrer) gathered(t *tree, focus *fact) fact {
	in.spared++
	defer func() { in.spared-- }()
	return in.infer(t, focus)
}

// literal is the shape of a string, a number, true, false or null.
func literal(t *tree) Shape {
	switch t.Kind {
	case "string":
		if strings.Contains(t.Text, `\`) {
			return String() // with escapes that the tree keeps as they are written
		}
		return text(t.Text)
	case "number":
		if f, err := strconv.ParseFloat(t.Text, 64); err == nil {
			return Constant(f)
		}
		return Number()
	}
	switch t.Text {
	case "true":
		return simple(kindTrue)
	case "false":
		return simple(kindFalse)
	}
	return Constant(value.Null)
}

// item is what the items of the value can be, one that is no array counted as its
// own only item.
func (s Shape) item() Shape {
	single := s.without(kindNothing | kindArray)
	if !s.can(kindArray) {
		return single
	}
	return union(single, s.Items())
}

// sequence is the shape of a sequence of such items: nothing, one item, or an array
// of several.
func sequence(item Shape) Shape {
	if item.get().kinds&^kindNothing == 0 {
		return Nothing()
	}
	return Union(Nothing(), item, filledArray(item))
}
