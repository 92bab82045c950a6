package flow

import (
	"fmt"
	"slices"

	"toolgraph/config"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/jsonlogic"
	"toolgraph/expressions/shape"
	"toolgraph/graph"
)

// partly warns of arguments that the called tool takes only sometimes: their schemas, or the constants of an
// expression, allow more than its inputSchema.
func (a *argsChecker) partly(d *config.Data, given, want shape.Shape, path []string) {
	e := a.trees[d.Expr.Pos]
	if e == nil || e.Tree() == nil || a.handled {
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
// there, or read as a schema declares it, and when nothing in the expression or in a switch asks for it.
func (c *checker) excessAt(e *graph.Expr, excess shape.Excess, want shape.Shape) (at config.Pos, source string, certain bool) {
	part := partOf(e.Tree(), excess.Path, want)
	if written := literalIn(part, excess.Word); excess.Word != "" && written != nil {
		return c.place(e.Text, written.Offset), sourceOf(e, written), true
	}
	lacks, field := excess.Found == "missing" && len(excess.Path) > 0, ""
	if last := len(excess.Path) - 1; lacks && part == partOf(e.Tree(), excess.Path[:last], want) {
		field = excess.Path[last] // of an object that the expression reads
	}
	o, certain := c.originOf(e, part, field, 0)
	switch {
	case !certain:
		return at, "", false
	case lacks:
		certain = c.isOptional(o.path) && !c.hasDefault(o.path)
	case excess.AnyText && (len(o.path) != 2 || o.path[0] != c.graph.Entry.ID()):
		return at, "", false // only the author knows what others give
	case len(o.path) > 1 && o.path[0] == c.graph.Entry.ID():
		if at, source = c.argumentAt(o.path[1:]), sourceOf(o.expr, o.part); at.IsValid() {
			return at, source, true
		}
	}
	return c.place(o.expr.Text, o.part.Offset), sourceOf(o.expr, o.part), certain
}

// argumentAt returns the place where inputSchema limits an argument: that of its enum, its range or its schema; invalid
// when it declares none.
func (c *checker) argumentAt(path []string) config.Pos {
	part := c.graph.Tool.InputSchema
	for _, name := range path {
		part = part.Get("properties").Get(name)
	}
	if part == nil {
		return config.Pos{}
	}
	for _, key := range []string{"enum", "maximum", "minimum"} {
		if d := part.Get(key); d != nil {
			return d.Pos
		}
	}
	return part.Pos
}

// origin is the part of an expression where a value is read from the output of a node that is no transform.
type origin struct {
	expr *graph.Expr
	part *jsonata.Tree
	path []string // the id of the node, and names of fields
}

// originOf follows a part of an expression through the transforms whose outputs it reads, as far as each only reads or
// writes it down. field is the name of the part in the object that lacks it; "" for a value. Nothing on the way may ask for it.
func (c *checker) originOf(e *graph.Expr, part *jsonata.Tree, field string, depth int) (o origin, plain bool) {
	if part.Kind == "variable" && part.Text == "index" {
		return origin{e, part, nil}, !testsAny(e.Tree(), part.Text)
	}
	path := pickedNames(part)
	switch {
	case part.Kind == "variable" && part.Text == "item":
		path = c.givenItems(e)
	case part.Kind == "name":
		path = slices.Concat(c.itemsPath(e, part), path)
	}
	if len(path) == 0 || depth > mostOrigins {
		return o, false
	}
	if field != "" {
		path = below(path, field)
	}
	if c.switchAsks(path) || testsAny(e.Tree(), path[len(path)-1]) {
		return o, false
	}
	t, isTransform := c.graph.Node(path[0]).(*graph.Transform)
	if !isTransform {
		return origin{e, part, path}, true
	}
	if t.Expr.Tree() == nil {
		return o, false
	}
	inner, want := t.Expr.Tree(), path[1:]
	if list := madeOf(inner); list != nil && len(want) == 1 {
		inner = list
	}
	for len(want) > 0 {
		next := fieldIn(inner, want[0])
		if next == nil {
			return o, false
		}
		inner, want = next, want[1:]
	}
	return c.originOf(t.Expr, inner, "", depth+1)
}

// switchAsks reports whether a rule of a switch reads a field, or a part of it.
func (c *checker) switchAsks(path []string) bool {
	for _, node := range c.graph.Nodes {
		s, isSwitch := node.(*graph.Switch)
		if isSwitch && slices.ContainsFunc(s.Conditions, func(condition graph.Condition) bool {
			return slices.ContainsFunc(condition.Rule.References(), func(ref jsonlogic.Reference) bool {
				return !ref.Body && len(ref.Path) >= len(path) && slices.Equal(ref.Path[:len(path)], path)
			})
		}) {
			return true
		}
	}
	return false
}

// madeOf returns the object that an expression makes for each item of a list; nil for another expression.
func madeOf(t *jsonata.Tree) *jsonata.Tree {
	for t.Kind == "array" && len(t.Parts) == 1 || t.Kind == "block" && len(t.Parts) == 1 {
		t = &t.Parts[0]
	}
	if last := len(t.Parts) - 1; t.Kind == "path" && t.Parts[last].Kind == "object" {
		return &t.Parts[last]
	}
	return nil
}

// fieldIn returns the value that an object constructor has for a name; nil for none.
func fieldIn(t *jsonata.Tree, name string) *jsonata.Tree {
	if t.Kind != "object" {
		return nil
	}
	for i := 0; i+1 < len(t.Parts); i += 2 {
		if t.Parts[i].Kind == "string" && t.Parts[i].Text == name {
			return &t.Parts[i+1]
		}
	}
	return nil
}

// isOptional reports whether a field of a path is optional by the schema of the first, which is that of a node, or by the value
// that the node's onError gives for an item.
func (c *checker) isOptional(path []string) bool {
	if len(path) < 2 {
		return false
	}
	i, isNode := c.index[path[0]]
	if !isNode || c.faulty[i] { // its consequences are not reported
		return false
	}
	call := graph.CallingOf(c.graph.Nodes[i])
	if each := call != nil && call.ForEach != nil && call.OnError != nil && call.OnError.Value != nil; !each && !c.declared(path[0]) {
		return false
	}
	at := c.outputs[i].done
	for _, name := range path[1:] {
		fields := itemFields(at)
		f := slices.IndexFunc(fields, func(f shape.Field) bool { return f.Name == name })
		if f < 0 || fields[f].Optional {
			return f >= 0
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

// itemsPath returns the names of the path of whose items the innermost object around a part is made; nil for none.
func (c *checker) itemsPath(e *graph.Expr, part *jsonata.Tree) []string {
	around := objectStep(e.Tree(), part)
	if around == nil {
		return nil
	}
	before := *around
	before.Parts = around.Parts[:len(around.Parts)-1]
	if first := &before.Parts[0]; len(before.Parts) == 1 && first.Kind == "variable" && first.Text == "item" {
		return c.givenItems(e)
	}
	return pickedNames(&before)
}

// givenItems returns the path of the list over which the node of an expression goes.
func (c *checker) givenItems(e *graph.Expr) []string {
	for _, uses := range c.uses {
		for _, u := range uses {
			call := graph.CallingOf(u.call)
			if u.expr != e || call == nil || call.ForEach == nil || call.ForEach.Items.Tree() == nil {
				continue
			}
			list := call.ForEach.Items.Tree()
			for list.Kind == "call" && len(list.Parts) > 1 && slices.Contains([]string{"chunk", "distinct", "reverse", "sort", "shuffle"}, list.Parts[0].Text) {
				list = &list.Parts[1]
			}
			return pickedNames(list)
		}
	}
	return nil
}

// objectStep returns the innermost path around a part whose last step is an object constructor.
func objectStep(t, part *jsonata.Tree) *jsonata.Tree {
	for i := range t.Parts {
		inner := &t.Parts[i]
		if inner.Offset > part.Offset || part.End > inner.End {
			continue
		}
		if found := objectStep(inner, part); found != nil {
			return found
		}
	}
	if t.Kind != "path" || len(t.Parts) < 2 || t.Parts[len(t.Parts)-1].Kind != "object" {
		return nil
	}
	return t
}

// literalIn returns the string with a text that an expression may give as its value; nil without one.
func literalIn(t *jsonata.Tree, text string) *jsonata.Tree {
	var values []jsonata.Tree
	switch t.Kind {
	case "string":
		if t.Text == text {
			return t
		}
	case "block":
		values = t.Parts[max(0, len(t.Parts)-1):]
	case "conditional":
		values = t.Parts[1:]
	case "array":
		values = t.Parts
	case "operator":
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
		case i == 0 && step.Kind == "call" && step.Parts[0].Text == "nodeExecutions" && len(step.Parts) == 2 && step.Parts[1].Kind == "string":
			path = append(path, step.Parts[1].Text)
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
