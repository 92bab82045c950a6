package view

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/jsonlogic"
	"toolgraph/expressions/value"
)

// Evaluated is an expression or a rule as it was evaluated.
type Evaluated struct {
	Value value.Value // of a rule: whether it holds
	Err   error
	Reads []Read
}

// Evaluate evaluates an expression or a rule and returns what it has read, at most so many reads:
// paths of the context and constants, the calls of history functions with the arguments that they
// had, and each var of a rule. Where a rule reads from the elements of a list, Each is set and the
// value is a list of what each element has.
func Evaluate(ctx context.Context, e Expression, scope *expressions.Scope, most int) (out Evaluated) {
	h := &tracing{History: scope.History, most: most}
	traced := *scope
	traced.History = h
	if e.Rule != nil {
		var holds bool
		holds, out.Err = e.Rule.Rule.Holds(ctx, &traced)
		out.Value = holds
		out.Reads = varReads(ctx, e, scope, most)
	} else {
		out.Value, out.Err = e.Expr.Eval(ctx, &traced)
	}
	var paths []jsonata.Reference
	for _, ref := range e.Reads {
		// Paths of a rule are those of its vars.
		if ref.Function == "" && (e.Rule == nil || len(out.Reads) == 0) {
			paths = append(paths, ref)
		}
	}
	out.Reads = append(out.Reads, Reads(ctx, paths, scope, most)...)
	if e.Expr != nil {
		h.name(e.Expr.Tree(), e.Source)
	}
	for _, r := range h.reads {
		if len(out.Reads) < most && !slices.ContainsFunc(out.Reads, func(known Read) bool { return known.Path == r.Path }) {
			out.Reads = append(out.Reads, r)
		}
	}
	return out
}

// varReads returns the values of the vars of a rule, each once.
func varReads(ctx context.Context, e Expression, scope *expressions.Scope, most int) (all []Read) {
	rule := e.Rule.Rule.Data.Value()
	seen := map[string]bool{}
	for _, place := range e.Rule.Rule.Reads() {
		text, isText := at(rule, place.Var).(string)
		key := fmt.Sprint(place.Body, text)
		if !isText || text == "" || seen[key] || len(all) == most {
			continue
		}
		seen[key] = true
		var read any = map[string]any{"var": text}
		if place.Body {
			list, reduces := listOf(rule, place.Var)
			if list == nil {
				continue // a list inside another list has no one value
			}
			if reduces {
				element, found := strings.CutPrefix(text, "current")
				if !found || element != "" && element[0] != '.' {
					continue
				}
				read = map[string]any{"var": strings.TrimPrefix(element, ".")}
			}
			read = map[string]any{"map": []any{list, read}}
		}
		compiled, err := jsonlogic.Compile(ctx, read)
		if err != nil {
			continue
		}
		v, err := compiled.Eval(ctx, scope)
		if err != nil {
			continue
		}
		if v == value.Null && !place.Body && isMissing(ctx, place, scope) {
			v = nil
		}
		all = append(all, Read{Path: text, Value: v, Each: place.Body})
	}
	return all
}

// isMissing reports whether a var that is null has no value at all.
func isMissing(ctx context.Context, place jsonlogic.Read, scope *expressions.Scope) bool {
	if place.Expression == nil {
		return false
	}
	v, err := place.Expression.Eval(ctx, scope)
	return err == nil && v == nil
}

// at returns a part of a rule.
func at(rule any, path []any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			object, _ := rule.(map[string]any)
			rule = object[step]
		case int:
			list, _ := rule.([]any)
			if step < 0 || step >= len(list) {
				return nil
			}
			rule = list[step]
		}
	}
	return rule
}

// listOf returns the list whose elements a var of a rule reads, and whether that is the list of a
// reduce; nil when the list is itself read from an element.
func listOf(rule any, path []any) (list any, reduces bool) {
	for i, step := range path {
		op, isText := step.(string)
		if !isText || i+1 >= len(path) || path[i+1] != 1 || i > 0 && path[i-1] == "var" {
			continue
		}
		switch op {
		case "map", "filter", "all", "some", "none", "reduce":
			if list != nil {
				return nil, false
			}
			operands, _ := at(rule, path[:i+1]).([]any)
			list, reduces = operands[0], op == "reduce"
		}
	}
	return list, reduces
}

// tracing is a history that records what is asked of it.
type tracing struct {
	expressions.History

	reads []Read
	most  int
}

func (h *tracing) note(function string, v value.Value, args ...string) {
	text := "$" + function + "(" + strings.Join(args, ", ") + ")"
	if len(h.reads) == h.most {
		return
	}
	for _, r := range h.reads {
		if r.Path == text {
			return
		}
	}
	h.reads = append(h.reads, Read{Path: text, Value: v})
}

func (h *tracing) Previous(n int) (value.Value, bool) {
	v, ok := h.History.Previous(n)
	if n == 1 {
		h.note("previousNode", v)
	} else {
		h.note("previousNode", v, strconv.Itoa(n))
	}
	return v, ok
}

func (h *tracing) Count(id string) int {
	n := h.History.Count(id)
	h.note("executionCount", float64(n), strconv.Quote(id))
	return n
}

func (h *tracing) Execution(id string, i int) (value.Value, bool) {
	v, ok := h.History.Execution(id, i)
	h.note("nodeExecution", v, strconv.Quote(id), strconv.Itoa(i))
	return v, ok
}

func (h *tracing) Executions(id string) []value.Value {
	all := h.History.Executions(id)
	list := make([]any, len(all)) // the history's own may grow
	copy(list, all)
	h.note("nodeExecutions", list, strconv.Quote(id))
	return all
}

// name adds to each read of a function the text of its call, where the expression has only one call
// that can be meant and its text is another.
func (h *tracing) name(root *jsonata.Tree, source string) {
	calls := map[string][]string{}
	var walk func(t *jsonata.Tree)
	walk = func(t *jsonata.Tree) {
		if t.Kind == jsonata.CallKind && len(t.Parts) > 0 && t.Parts[0].Kind == jsonata.VariableKind && t.Offset < t.End && t.End <= len(source) {
			calls[t.Parts[0].Text] = append(calls[t.Parts[0].Text], source[t.Offset:t.End])
		}
		for i := range t.Parts {
			walk(&t.Parts[i])
		}
	}
	walk(root)
	reads := map[string]int{}
	for _, r := range h.reads {
		reads[functionOf(r.Path)]++
	}
	for i, r := range h.reads {
		function := functionOf(r.Path)
		if found := calls[function]; len(found) == 1 && reads[function] == 1 && found[0] != r.Path {
			h.reads[i].Source = found[0]
		}
	}
}

func functionOf(path string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(path, "$"), "(")
	return name
}
