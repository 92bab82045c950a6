package flow

import (
	"fmt"
	"slices"

	"toolgraph/config"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/shape"
	"toolgraph/graph"
)

// partly warns of arguments that the called tool takes only sometimes: their schemas, or the constants of an
// expression, allow more than its inputSchema.
func (a *argsChecker) partly(d *config.Data, given, want shape.Shape, path []string) {
	e := a.trees[d.Expr.Pos]
	if e == nil || e.Tree() == nil {
		return
	}
	for _, excess := range given.Exceeds(want) {
		at, text, certain := a.excessAt(e, excess, want)
		if !certain || slices.ContainsFunc(a.found, func(f config.Diagnostic) bool { return f.Pos == at }) {
			continue
		}
		code, message, hint := excessText(excess, text)
		what := fmt.Sprintf("argument %q of tool %q", pathText(below(path, excess.Path...)), a.tool)
		a.found.Warn(at, code, what+" "+message, hint)
	}
}

// sometimes warns of results that outputSchema allows only sometimes.
func (c *checker) sometimes(node graph.Node, one yield, want shape.Shape) {
	t, isTransform := node.(*graph.Transform)
	if !isTransform || t.Expr.Tree() == nil {
		return
	}
	for _, excess := range one.shape.Exceeds(want) {
		at, text, certain := c.excessAt(t.Expr, excess, want)
		if !certain || slices.ContainsFunc(c.found, func(f config.Diagnostic) bool { return f.Pos == at }) {
			continue
		}
		code, message, hint := excessText(excess, text)
		if code == "argument-refused" {
			code = "output-mismatch"
		}
		what := "the result"
		if len(excess.Path) > 0 {
			what = fmt.Sprintf("%q of the result", pathText(excess.Path))
		}
		c.found.Warn(at, code, fmt.Sprintf("%s %s by outputSchema of tool %q", what, message, c.graph.Tool.Name.Value), hint)
	}
}

// excessText returns the code, the message and the hint of a finding about a part with this source.
func excessText(e shape.Excess, source string) (code, message, hint string) {
	switch {
	case e.Found == "missing":
		return "maybe-missing", fmt.Sprintf("is required, and %s may lack it", source), "require it in the schema of what is read, or give a default: … ?? value"
	case e.Word != "":
		return "argument-refused", fmt.Sprintf("may be %s, expected %s", e.Found, e.Expected), "allow only values that are expected, or convert this one"
	}
	return "argument-refused", fmt.Sprintf("may be %s, expected %s", e.Found, e.Expected), "restrict the value in its schema (minimum, maximum), or compute one inside the range"
}

// excessAt returns the place of the part of an expression that makes an excess, and its source. It is certain when the part is written
// there, or read as a schema declares it, and when nothing in the expression or in a switch asks for it.
func (c *checker) excessAt(e *graph.Expr, excess shape.Excess, want shape.Shape) (at config.Pos, source string, certain bool) {
	part := partOf(e.Tree(), excess.Path, want)
	if written := literalIn(part, excess.Word); excess.Word != "" && written != nil {
		return c.place(e.Text, written.Offset), sourceOf(e, written), true
	}
	at, source = c.place(e.Text, part.Offset), sourceOf(e, part)
	path := pickedNames(part)
	if path == nil {
		return at, source, part.Kind == "variable" && part.Text == "index" && !testsAny(e.Tree(), part.Text)
	}
	if part.Kind == "name" {
		path = slices.Concat(itemsPath(e.Tree(), part), path)
	}
	if excess.Found == "missing" && len(excess.Path) > 0 && path[len(path)-1] != excess.Path[len(excess.Path)-1] {
		path = below(path, excess.Path[len(excess.Path)-1])
	}
	if c.asksForField(path) || c.asksForField(path[:min(2, len(path))]) || testsAny(e.Tree(), path[len(path)-1]) {
		return at, source, false
	}
	return at, source, excess.Found != "missing" || c.isOptional(path)
}

// isOptional reports whether the last field of a path is optional by the schema of the first, which is that of a node, or by the value
// that the node's onError gives for an item.
func (c *checker) isOptional(path []string) bool {
	i, isNode := c.index[path[0]]
	if !isNode || len(path) < 2 {
		return false
	}
	call := graph.CallingOf(c.graph.Nodes[i])
	if each := call != nil && call.ForEach != nil && call.OnError != nil && call.OnError.Value != nil; !each && !c.declared(path[0]) {
		return false
	}
	at := c.outputs[i].done
	for k, name := range path[1:] {
		fields := itemFields(at)
		f := slices.IndexFunc(fields, func(f shape.Field) bool { return f.Name == name })
		if f < 0 || fields[f].Optional && k < len(path)-2 {
			return false
		}
		if k == len(path)-2 {
			return fields[f].Optional
		}
		at = fields[f].Shape
	}
	return false
}

// itemFields returns the fields of the objects of a shape, or of the items of its arrays.
func itemFields(s shape.Shape) []shape.Field {
	if fields := s.Fields(); len(fields) > 0 {
		return fields
	}
	return s.Items().Fields()
}

// itemsPath returns the names of the path whose items the innermost object around a part is made of; nil for none.
func itemsPath(t, part *jsonata.Tree) []string {
	for i := range t.Parts {
		inner := &t.Parts[i]
		if inner.Offset > part.Offset || part.End > inner.End {
			continue
		}
		if found := itemsPath(inner, part); found != nil {
			return found
		}
	}
	if t.Kind != "path" || len(t.Parts) < 2 || t.Parts[len(t.Parts)-1].Kind != "object" {
		return nil
	}
	before := *t
	before.Parts = t.Parts[:len(t.Parts)-1]
	return pickedNames(&before)
}

// literalIn returns the string of an expression with a text; nil without one.
func literalIn(t *jsonata.Tree, text string) *jsonata.Tree {
	if t.Kind == "string" && t.Text == text {
		return t
	}
	for i := range t.Parts {
		if found := literalIn(&t.Parts[i], text); found != nil {
			return found
		}
	}
	return nil
}

// pickedNames returns the names of a path that consists of names, some of which may have a number in [ ]; nil
// for any other expression.
func pickedNames(t *jsonata.Tree) (path []string) {
	if t.Kind == "name" {
		return []string{t.Text}
	}
	if t.Kind != "path" {
		return nil
	}
	for i := range t.Parts {
		step := &t.Parts[i]
		for step.Kind == "predicate" && len(step.Parts) == 2 && isPosition(&step.Parts[1]) {
			step = &step.Parts[0]
		}
		switch {
		case step.Kind == "name":
			path = append(path, step.Text)
		case i > 0 || step.Kind != "context":
			return nil
		}
	}
	return path
}

func isPosition(t *jsonata.Tree) bool {
	return t.Kind == "number" || t.Kind == "operator" && len(t.Parts) == 1 && t.Parts[0].Kind == "number"
}

// testsAny reports whether a condition, a predicate or $exists in an expression reads a name.
func testsAny(t *jsonata.Tree, name string) bool {
	for i := range t.Parts {
		part := &t.Parts[i]
		switch {
		case t.Kind == "predicate" && i > 0, t.Kind == "conditional" && i == 0, t.Kind == "call" && i > 0 && t.Parts[0].Text == "exists",
			t.Kind == "operator" && (t.Text == "and" || t.Text == "or" || t.Text == "in"):
			if readsName(part, name) {
				return true
			}
		}
		if testsAny(part, name) {
			return true
		}
	}
	return false
}

func readsName(t *jsonata.Tree, name string) bool {
	return (t.Kind == "name" || t.Kind == "variable") && t.Text == name || slices.ContainsFunc(t.Parts, func(part jsonata.Tree) bool { return readsName(&part, name) })
}
