package flow

import (
	"context"
	"fmt"
	"slices"

	"toolgraph/config"
	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/shape"
	"toolgraph/graph"
)

// partly warns of arguments that the called tool takes only sometimes: their schemas, or the constants of an
// expression, allow more than its inputSchema.
func (a *argsChecker) partly(ctx context.Context, d *config.Data, given, want shape.Shape, path []string) {
	e := a.trees[d.Expr.Pos]
	if e == nil || e.Tree() == nil || a.handled {
		return
	}
	reported := a.alternatives(ctx, e, want, func(inner []string, at config.Pos, found, expected string) {
		message, hint := alternativeText(found, expected, "")
		a.found.Warn(at, "argument-refused", fmt.Sprintf("argument %q of tool %q: %s", pathText(below(path, inner...)), a.tool, message), hint)
	})
	a.subtractions(e, want, path, func(inner []string, at config.Pos, message string) {
		a.found.Warn(at, "argument-refused", fmt.Sprintf("argument %q of tool %q %s", pathText(inner), a.tool, message), subtractionHint)
	})
	for _, excess := range given.Exceeds(want) {
		at, text, guards, certain := a.excessAt(e, &excess, want)
		if !certain || reported(excess.Path) || slices.ContainsFunc(a.found, func(f config.Diagnostic) bool { return f.Pos == at }) {
			continue
		}
		code, message, hint := excessText(excess, text)
		what := fmt.Sprintf("argument %q of tool %q", pathText(below(path, excess.Path...)), a.tool)
		d := a.found.Warn(at, code, what+" "+message, hint)
		if code == "maybe-missing" {
			d.Fixed(guards...)
		}
	}
}

// alternativeText returns the message and the hint for an alternative whose value, or a part of it, is not what is expected.
func alternativeText(found, expected, by string) (message, hint string) {
	switch {
	case found == "missing":
		return fmt.Sprintf("expected %s%s, but this alternative does not have it", expected, by), "add it to the object"
	case expected == "missing":
		return fmt.Sprintf("it is not allowed%s, but this alternative gives %s", by, found), "remove it from the object"
	}
	return fmt.Sprintf("expected %s%s, but this alternative gives %s", expected, by, found), "give each alternative a value of the expected kind"
}

// sometimes warns of results that outputSchema allows only sometimes.
func (c *checker) sometimes(ctx context.Context, node graph.Node, one yield, want shape.Shape) {
	t, isTransform := node.(*graph.Transform)
	if !isTransform || t.Expr.Tree() == nil {
		return
	}
	reported := c.alternatives(ctx, t.Expr, want, func(inner []string, at config.Pos, found, expected string) {
		message, hint := alternativeText(found, expected, fmt.Sprintf(" by outputSchema of tool %q", c.graph.Tool.Name.Value))
		c.found.Warn(at, "output-mismatch", fmt.Sprintf("%q of the result: %s", pathText(inner), message), hint)
	})
	c.subtractions(t.Expr, want, nil, func(inner []string, at config.Pos, message string) {
		c.found.Warn(at, "output-mismatch", fmt.Sprintf("%q of the result %s (outputSchema of tool %q)", pathText(inner), message, c.graph.Tool.Name.Value), subtractionHint)
	})
	for _, excess := range one.shape.Exceeds(want) {
		at, text, guards, certain := c.excessAt(t.Expr, &excess, want)
		if excess.Fraction || !certain || reported(excess.Path) || slices.ContainsFunc(c.found, func(f config.Diagnostic) bool { return f.Pos == at }) {
			continue // a number that is mostly whole may be declared so for the client alone
		}
		code, message, hint := excessText(excess, text)
		if code == "argument-refused" {
			code = "output-mismatch"
		}
		what := "the result"
		if len(excess.Path) > 0 {
			what = fmt.Sprintf("%q of the result", pathText(excess.Path))
		}
		c.found.Warn(at, code, fmt.Sprintf("%s %s (outputSchema of tool %q)", what, message, c.graph.Tool.Name.Value), hint)
		if code == "maybe-missing" {
			c.found[len(c.found)-1].Fixed(guards...)
		}
	}
}

// excessText returns the code, the message and the hint of a finding about a part with this source.
func excessText(e shape.Excess, source string) (code, message, hint string) {
	switch {
	case e.Several:
		return "argument-refused", fmt.Sprintf("is %s, which is a list when there are several; expected %s", source, e.Expected), "take one of them, …[0], or join them with $join"
	case e.Extra:
		return "argument-refused", fmt.Sprintf("is not declared; the properties are %s", e.Expected), "leave it out, or declare it"
	case e.Empty:
		return "maybe-missing", fmt.Sprintf("is required, and %s is missing when its list is empty", source), "give a default: … ?? value"
	case e.Found == "missing":
		return "maybe-missing", fmt.Sprintf("is required, and %s may lack it", source), "require it in the schema of what is read, or give a default: … ?? value"
	case e.Null:
		return "maybe-missing", fmt.Sprintf("is %s, which may be null; expected %s", source, e.Expected), "leave null out of its type, or give a value in its place"
	case e.Fraction:
		return "argument-refused", fmt.Sprintf("is %s, which may be %s; expected %s", source, e.Found, e.Expected), "declare it as integer, or round it: $round(…)"
	case e.AnyText:
		return "argument-refused", fmt.Sprintf("is %s, which may be any text; expected %s", source, e.Expected), "declare the same enum for it, or convert it"
	case source == e.Found:
		return "argument-refused", fmt.Sprintf("may be %s, expected %s", e.Found, e.Expected), "write one of the expected texts"
	case e.Word != "":
		return "argument-refused", fmt.Sprintf("is %s, which may be %s; expected %s", source, e.Found, e.Expected), "allow only values that are expected, or convert this one"
	}
	return "argument-refused", fmt.Sprintf("is %s, which may be %s; expected %s", source, e.Found, e.Expected), "restrict it in its schema (minimum, maximum), or compute a value inside the range"
}

// excessAt returns the place of the part of an expression that makes an excess, and its source. It is certain when the part is written
// there, or read as a schema declares it, and when nothing in the expression or in a switch asks for it. guards are the fixes of
// what is missing there.
func (c *checker) excessAt(e *graph.Expr, excess *shape.Excess, want shape.Shape) (at config.Pos, source string, guards []config.Fix, certain bool) {
	part := partOf(e.Tree(), excess.Path, want)
	if at, source, certain = c.wordPlace(e, part, excess.Word); certain {
		return at, source, nil, true
	}
	if excess.Extra {
		key := keyIn(e.Tree(), excess.Path, want)
		if key == nil {
			return at, "", nil, false
		}
		return c.place(e.Text, key.Offset), sourceOf(e, key), nil, true
	}
	if excess.Several {
		plain := part.Kind == jsonata.PathKind && !filters(part) && !slices.Contains(excess.Path, shape.Other) // the author knows which keys are unique
		e, part = c.madeBy(e, part, 0)
		return c.place(e.Text, part.Offset), sourceOf(e, part), nil, plain && !filters(part)
	}
	consumed := len(excess.Path) == 0 || part != partOf(e.Tree(), excess.Path[:len(excess.Path)-1], want)
	if part.Kind == jsonata.ConditionalKind && len(part.Parts) == 2 && excess.Found == "missing" && consumed {
		return c.place(e.Text, part.Offset), "a conditional without an alternative", guardsOf(e, part), true
	}
	if first := firstOf(part); first.Kind == jsonata.VariableKind && first.Text == expressions.VarVars && excess.Found == "missing" && !consumed {
		return c.place(e.Text, part.Offset), sourceOf(e, part), guardsOf(e, part), true
	}
	if of, call := c.madeBy(e, part, 0); consumed && excess.Found == "missing" && of != e && c.missesList(call) && !c.asksForPath(part) {
		excess.Empty = true
		return c.place(of.Text, call.Offset), sourceOf(of, call), guardsOf(of, call), true
	}
	lacks, field := excess.Found == "missing" && len(excess.Path) > 0, ""
	if lacks && !consumed {
		field = excess.Path[len(excess.Path)-1] // of an object that the expression reads
	}
	o, certain := c.originOf(e, c.exceeding(part, *excess, want), field, 0)
	switch {
	case !certain:
		return at, "", nil, false
	case lacks:
		certain = c.isOptional(o.path) && !c.hasDefault(o.path)
	case (excess.AnyText || excess.Null || excess.Fraction) && (len(o.path) != 2 || o.path[0] != c.graph.Entry.ID()):
		return at, "", nil, false // only the author knows what others give
	case len(o.path) > 1 && o.path[0] == c.graph.Entry.ID():
		if at, source = c.argumentAt(o.path[1:], *excess), sourceOf(o.expr, o.part); at.IsValid() {
			return at, source, nil, true
		}
	}
	return c.place(o.expr.Text, o.part.Offset), sourceOf(o.expr, o.part), guardsOf(o.expr, o.part), certain
}

// exceeding returns the alternative of a value with a default, or of a conditional, whose own schema has the excess; other parts as they are.
func (c *checker) exceeding(part *jsonata.Tree, excess shape.Excess, want shape.Shape) *jsonata.Tree {
	if part.Kind != jsonata.OperatorKind || part.Text != "??" && part.Text != "?:" {
		return part
	}
	for _, step := range excess.Path {
		if step == "[]" {
			want = want.Items()
		} else {
			want = want.Field(step)
		}
	}
	for i := range part.Parts {
		path := pickedNames(&part.Parts[i])
		if len(path) < 2 || path[0] != c.graph.Entry.ID() {
			continue
		}
		given := c.outputs[c.index[path[0]]].done
		for _, name := range path[1:] {
			given = given.Field(name)
		}
		if len(given.Exceeds(want)) > 0 {
			return &part.Parts[i]
		}
	}
	return part
}

// argumentAt returns the place where inputSchema limits an argument: that of its enum, its range, for a fraction its type, or its schema;
// invalid when it declares none.
func (c *checker) argumentAt(path []string, excess shape.Excess) config.Pos {
	part := c.argumentSchema(path)
	if part == nil {
		return config.Pos{}
	}
	keys := []string{"enum", "maximum", "minimum"}
	if excess.Fraction {
		keys = []string{"type"}
	}
	if d := part.Get("minimum"); d != nil && string(d.JSON()) == excess.Found {
		return d.Pos
	}
	for _, key := range keys {
		if d := part.Get(key); d != nil {
			return d.Pos
		}
	}
	return part.Pos
}

// argumentSchema returns what inputSchema declares for an argument, by its names; nil when it declares nothing.
func (c *checker) argumentSchema(path []string) *config.Data {
	part := c.graph.Tool.InputSchema
	for _, name := range path {
		part = part.Get("properties").Get(name)
	}
	return part
}

// firstOf returns the first step of a path; any other part itself.
func firstOf(t *jsonata.Tree) *jsonata.Tree {
	if t.Kind == jsonata.PathKind {
		return &t.Parts[0]
	}
	return t
}

// keyIn returns the key that an object constructor has for the last name of a path.
func keyIn(t *jsonata.Tree, path []string, want shape.Shape) *jsonata.Tree {
	if part := partOf(t, path, want); part.Kind == jsonata.StringKind && part.Text == path[len(path)-1] {
		return part
	}
	return nil
}

// literalIn returns the string with a text that an expression may give as its value; nil without one.
func literalIn(t *jsonata.Tree, text string) *jsonata.Tree {
	var values []jsonata.Tree
	switch t.Kind {
	case jsonata.StringKind:
		if t.Text == text {
			return t
		}
	case jsonata.BlockKind:
		values = t.Parts[max(0, len(t.Parts)-1):]
	case jsonata.ConditionalKind:
		values = t.Parts[1:]
	case jsonata.ArrayKind:
		values = t.Parts
	case jsonata.OperatorKind:
		if t.Text == "??" || t.Text == "?:" {
			values = t.Parts
		}
	}
	for i := range values {
		if found := literalIn(&values[i], text); found != nil {
			return found
		}
	}
	return nil
}

// pickedNames returns the names of a path that consists of names, some of which may have a number in [ ]; nil
// for any other expression.
func pickedNames(t *jsonata.Tree) (path []string) {
	if t.Kind == jsonata.NameKind {
		return []string{t.Text}
	}
	if t.Kind != jsonata.PathKind {
		return nil
	}
	for i := range t.Parts {
		step := &t.Parts[i]
		for step.Kind == jsonata.PredicateKind && len(step.Parts) == 2 && isPosition(&step.Parts[1]) {
			step = &step.Parts[0]
		}
		switch {
		case step.Kind == jsonata.NameKind:
			path = append(path, step.Text)
		case i == 0 && step.Kind == jsonata.CallKind && step.Parts[0].Text == "nodeExecutions" && len(step.Parts) == 2 && step.Parts[1].Kind == jsonata.StringKind:
			path = append(path, step.Parts[1].Text)
		case i > 0 || step.Kind != jsonata.ContextKind:
			return nil
		}
	}
	return path
}

func isPosition(t *jsonata.Tree) bool {
	return t.Kind == jsonata.NumberKind || t.Kind == jsonata.OperatorKind && len(t.Parts) == 1 && t.Parts[0].Kind == jsonata.NumberKind
}

// testsAny reports whether a condition, a predicate or $exists in an expression reads a name.
func testsAny(t *jsonata.Tree, name string) bool {
	for i := range t.Parts {
		part := &t.Parts[i]
		switch {
		case t.Kind == jsonata.PredicateKind && i > 0, t.Kind == jsonata.ConditionalKind && i == 0, t.Kind == jsonata.CallKind && i > 0 && t.Parts[0].Text == "exists",
			t.Kind == jsonata.OperatorKind && (t.Text == "and" || t.Text == "or" || t.Text == "in"):
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
	return (t.Kind == jsonata.NameKind || t.Kind == jsonata.VariableKind) && t.Text == name || slices.ContainsFunc(t.Parts, func(part jsonata.Tree) bool { return readsName(&part, name) })
}
