package flow

import (
	"maps"
	"slices"

	"toolgraph/config"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/jsonlogic"
	"toolgraph/expressions/shape"
	"toolgraph/graph"
)

// origin is the part of an expression where a value is read from the output of a node that is no transform.
type origin struct {
	expr *graph.Expr
	part *jsonata.Tree
	path []string // the id of the node, and names of fields
}

// originOf follows a part of an expression through the transforms whose outputs it reads, as far as each only reads or
// writes it down. field is the name of the part in the object that lacks it; "" for a value. Nothing on the way may ask for it.
func (c *checker) originOf(e *graph.Expr, part *jsonata.Tree, field string, depth int) (o origin, plain bool) {
	if part.Kind == jsonata.VariableKind && part.Text == "index" {
		return origin{e, part, nil}, !testsAny(e.Tree(), part.Text)
	}
	path := pickedNames(part)
	switch {
	case part.Kind == jsonata.VariableKind && part.Text == "item":
		path = c.givenItems(e)
	case part.Kind == jsonata.NameKind:
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
	for t.Kind == jsonata.ArrayKind && len(t.Parts) == 1 || t.Kind == jsonata.BlockKind && len(t.Parts) == 1 {
		t = &t.Parts[0]
	}
	if last := len(t.Parts) - 1; t.Kind == jsonata.PathKind && t.Parts[last].Kind == jsonata.ObjectKind {
		return &t.Parts[last]
	}
	return nil
}

// fieldIn returns the value that an object constructor has for a name; nil for none.
func fieldIn(t *jsonata.Tree, name string) *jsonata.Tree {
	if t.Kind != jsonata.ObjectKind {
		return nil
	}
	for i := 0; i+1 < len(t.Parts); i += 2 {
		if t.Parts[i].Kind == jsonata.StringKind && t.Parts[i].Text == name {
			return &t.Parts[i+1]
		}
	}
	return nil
}

// writtenBy returns the expression of the transform whose output a path reads, and the part of it that writes the field down; nil where
// another node gives the output, or the transform does not write the field.
func (c *checker) writtenBy(path []string) (e *graph.Expr, part *jsonata.Tree) {
	t, isTransform := c.graph.Node(path[0]).(*graph.Transform)
	if !isTransform || t.Expr.Tree() == nil {
		return nil, nil
	}
	part = lastOf(t.Expr.Tree())
	for _, name := range path[1:] {
		if part = fieldIn(part, name); part == nil {
			return nil, nil
		}
		part = lastOf(part)
	}
	return t.Expr, part
}

// isOptional reports whether a field of a path is optional by the schema of the first, which is that of a node, or by the value
// that the node's onError gives for an item. A field that a switch reads, such as one whose items it counts, is not.
func (c *checker) isOptional(path []string) bool { return c.isOptionalBelow(path, 0) }

// isOptionalBelow is isOptional for the names behind the first ones.
func (c *checker) isOptionalBelow(path []string, first int) bool {
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
	for depth, name := range path[1:] {
		fields := itemFields(at)
		f := slices.IndexFunc(fields, func(f shape.Field) bool { return f.Name == name })
		if f < 0 {
			return false
		}
		if fields[f].Optional && depth+1 >= first && !c.switchAsks(path[:depth+2]) && (depth > 0 || !c.choosesAnswer(i)) {
			return true
		}
		at = fields[f].Shape
	}
	return false
}

// choosesAnswer reports whether a node calls an upstream tool with a constant for an argument with an enum, on which it may depend which of its optional fields the
// answer has: the author knows.
func (c *checker) choosesAnswer(node int) bool {
	m, isMCP := c.graph.Nodes[node].(*graph.MCP)
	if !isMCP {
		return false
	}
	args := c.graph.Tool.Nodes[node].Args
	schema := newInputSchema(knownTool(c.all.up, m.Server, m.Tool).InputSchema)
	properties, _ := schema.root["properties"].(map[string]any)
	return slices.ContainsFunc(slices.Collect(maps.Keys(properties)), func(name string) bool {
		part, _ := properties[name].(map[string]any)
		_, listed := schema.resolved(part)["enum"]
		given := args.Get(name)
		return listed && given != nil && given.Kind == config.KindScalar
	})
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
	if first := &before.Parts[0]; len(before.Parts) == 1 && first.Kind == jsonata.VariableKind && first.Text == "item" {
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
			for list.Kind == jsonata.CallKind && len(list.Parts) > 1 && slices.Contains([]string{"chunk", "distinct", "reverse", "sort", "shuffle"}, list.Parts[0].Text) {
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
	if t.Kind != jsonata.PathKind || len(t.Parts) < 2 || t.Parts[len(t.Parts)-1].Kind != jsonata.ObjectKind {
		return nil
	}
	return t
}
