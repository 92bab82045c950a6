package names

import (
	"slices"
	"strings"

	"toolgraph/config"
)

// stepScope has the steps that an expression can read: those above it in its block, and those around the block.
type stepScope struct {
	outer *stepScope
	block string // the path of the block, as users.jobs; empty for the steps of the tool
	above []string
}

// find returns the block of the nearest step with an id that can be read; ok is false when none has it.
func (s *stepScope) find(id string) (block string, ok bool) {
	for ; s != nil; s = s.outer {
		if slices.Contains(s.above, id) {
			return s.block, true
		}
	}
	return "", false
}

// steps reads the steps of a tool or a block, and its return.
func (r *reader) steps(g *graphFile, t *tool, of *config.Data, block string, outer *stepScope) {
	scope := &stepScope{outer: outer, block: block}
	before := r.scope
	defer func() { r.scope = before }()
	r.scope = scope
	for _, step := range items(of.Get("steps")) {
		id := text(step, "id")
		r.whole(id, t.step(block, id.Value), true)
		for _, name := range items(step.Get("after")) {
			r.whole(name.Text, t.step(block, name.Text.Value), false)
		}
		call := text(step, "call")
		parts := r.serverToolNamed(g, call.Value, 0)
		if parts == nil {
			parts, _ = r.toolNamed(g, call.Value, 0)
		}
		r.addAll(call, parts)
		retry, onError := step.Get("retry"), step.Get("onError")
		for _, source := range []config.Text{
			text(step, "if"), text(step, "each"), text(step, "key"), text(step, "until"), text(step, "expr"), text(step.Get("repeat"), "until"), text(retry, "when"),
		} {
			r.expression(t, source)
		}
		for _, d := range []*config.Data{step.Get("args"), onError.Get("value"), step.Get("ask").Get("message")} {
			r.arguments(t, d, 0)
		}
		if step.Get("steps") != nil {
			r.steps(g, t, step, strings.TrimPrefix(block+"."+id.Value, "."), scope)
		}
		scope.above = append(scope.above, id.Value)
	}
	r.expression(t, text(of, "return"))
}

// step is the name of a step of a block.
func (t *tool) step(block, id string) Name {
	return Name{Kind: Node, File: t.of.path, Tool: t.name, In: block, Name: id}
}

// stepNamed returns the parts of the path of a step; none when there is no such step.
func (t *tool) stepNamed(path string) (parts []segment) {
	of, block, at := t.data, "", 0
	for id := range strings.SplitSeq(path, ".") {
		i := slices.IndexFunc(items(of.Get("steps")), func(s *config.Data) bool { return word(s, "id") == id })
		if i < 0 {
			return nil
		}
		parts = append(parts, segment{t.step(block, id), at, at + len(id)})
		of, block, at = of.Get("steps").Items[i], strings.TrimPrefix(block+"."+id, "."), at+len(id)+1
	}
	return parts
}

// shadows reports whether a step of a block that is around another block, or inside it, has a name.
func (x *Index) shadows(n Name, to string) bool {
	within := func(inner, outer string) bool {
		return outer == "" || inner == outer || strings.HasPrefix(inner, outer+".")
	}
	return slices.ContainsFunc(x.all, func(o Occurrence) bool {
		return o.Definition && o.Kind == Node && o.File == n.File && o.Tool == n.Tool && o.Name.Name == to && (within(o.In, n.In) || within(n.In, o.In))
	})
}
