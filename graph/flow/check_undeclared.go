package flow

import (
	"fmt"
	"slices"

	"toolgraph/config"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/jsonlogic"
	"toolgraph/graph"
	"toolgraph/internal/base/wording"
)

// unknown reports a key that the schema does not declare. A server whose schema is open ignores
// unknown keys, so that only a key that looks misspelt is reported then.
func (a *argsChecker) unknown(key config.Text, path, known []string, closed bool, d *config.Data) {
	var free []string
	for _, name := range known {
		if d.Get(name) == nil {
			free = append(free, name)
		}
	}
	near, remove := wording.Nearest(key.Value, free), config.Fix{}
	if !closed {
		near = wording.Misspelt(key.Value, free) // what only looks like another name may be a name of its own
	}
	if near == "" {
		remove = config.RemoveKey(key.Pos)
	}
	hint := wording.Meant(near)
	switch {
	case closed && len(known) == 0:
		a.refuse(key.Pos, config.Error, path, "unknown argument, expected none", hint).Meant(key, near).Fixed(remove)
	case closed:
		a.refuse(key.Pos, config.Error, path, "unknown argument, expected one of "+wording.List(known), hint).Meant(key, near).Fixed(remove)
	case len(known) == 0 && len(path) == 1 && takesNothing(a.resolved(a.root)):
		a.found.Warn(key.Pos, "argument-refused", fmt.Sprintf("tool %q declares no arguments, so that %q has no effect", a.tool, key.Value), "remove it").Fixed(config.RemoveKey(key.Pos))
	case len(path) == 1 && isNodeKey(key.Value):
		a.found.Warn(key.Pos, "argument-refused", fmt.Sprintf("%q stands among the arguments, and tool %q does not declare it: it is a key of what makes the call", key.Value, a.tool), "move it one level up").Over(key)
	case a.outer(key.Value, path):
		a.found.Warn(key.Pos, "argument-refused", fmt.Sprintf("tool %q does not declare the argument %q, but %q beside what it is in", a.tool, pathText(path), key.Value), "move it one level up")
	case hint == "" && len(known) > 0 && a.callee != nil && !readsArgument(a.callee, key.Value):
		a.found.Warn(key.Pos, "argument-refused", fmt.Sprintf("tool %q does not declare the argument %q, and does not read it; it declares %s", a.tool, pathText(path), wording.List(known)), "remove it, or name one that it declares").Over(key).Fixed(remove)
	case hint != "":
		a.found.Warn(key.Pos, "argument-refused",
			fmt.Sprintf("tool %q does not declare the argument %q, only %s", a.tool, pathText(path), wording.List(known)), hint).Meant(key, near)
	}
}

// isNodeKey reports whether a word is a key of nodes or steps that no tool would have as the name of an argument.
func isNodeKey(word string) bool {
	return slices.Contains([]string{"forEach", "maxParallel", "onCrash", "onError", "timeoutMs"}, word)
}

// takesNothing reports whether a schema declares that there are no properties, and says nothing that admits others.
func takesNothing(s map[string]any) bool {
	_, declares := s["properties"].(map[string]any)
	return declares && !slices.ContainsFunc([]string{"additionalProperties", "patternProperties", "unevaluatedProperties", "allOf", "anyOf", "oneOf", "if", "$ref", "$dynamicRef", "dependentSchemas"}, func(key string) bool {
		_, has := s[key]
		return has
	})
}

// outer reports whether the schema declares a property of that name beside one of the objects that a path leads into.
func (a *argsChecker) outer(name string, path []string) bool {
	s := a.resolved(a.root)
	for _, step := range path[:len(path)-1] {
		if properties, _ := s["properties"].(map[string]any); properties != nil && properties[name] != nil {
			return true
		}
		next, _ := s["items"].(map[string]any)
		if properties, isObject := s["properties"].(map[string]any); isObject {
			next, _ = properties[step].(map[string]any)
		}
		s = a.resolved(next)
	}
	return false
}

// readsArgument reports whether an expression or a rule of a graph reads an argument, or all arguments at once.
func readsArgument(g *graph.Graph, name string) bool {
	entry := g.Entry.ID()
	reads := func(path []string) bool {
		return len(path) > 0 && path[0] == entry && (len(path) == 1 || path[1] == name)
	}
	for _, node := range g.Nodes {
		for _, use := range usesOf(node) {
			if slices.ContainsFunc(use.expr.References(), func(ref jsonata.Reference) bool { return reads(ref.Path) || ref.Function != "" }) {
				return true
			}
		}
		if s, isSwitch := node.(*graph.Switch); isSwitch && slices.ContainsFunc(s.Conditions, func(condition graph.Condition) bool {
			return slices.ContainsFunc(condition.Rule.References(), func(ref jsonlogic.Reference) bool { return reads(ref.Path) })
		}) {
			return true
		}
	}
	return false
}
