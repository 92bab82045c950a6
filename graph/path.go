package graph

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"toolgraph/expressions"
	"toolgraph/expressions/jsonlogic"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
)

// Path names a value among the results of earlier nodes: the name of a result, then fields and
// places in lists, as in announce.embeds[0].title. It is no expression: a field of a list and a
// place in an object have no value.
type Path struct {
	Name  string // of the result
	steps []any  // string: a field; int: a place in a list, from 0
}

// ParsePath reads a path. The error says what is wrong in it.
func ParsePath(text string) (Path, error) {
	const form = "expected a name, then .field or [0]"
	rest := strings.TrimSpace(text)
	end := strings.IndexAny(rest, ".[")
	if end < 0 {
		end = len(rest)
	}
	p := Path{Name: rest[:end]}
	if p.Name == "" {
		return p, fmt.Errorf("the path %s has no name, %s", wording.Quote(text), form)
	}
	for rest = rest[end:]; rest != ""; {
		if place, isPlace := strings.CutPrefix(rest, "["); isPlace {
			digits, after, closed := strings.Cut(place, "]")
			n, err := strconv.Atoi(digits)
			if !closed || err != nil || n < 0 || digits[0] == '+' || after != "" && !strings.ContainsAny(after[:1], ".[") {
				return p, fmt.Errorf("the path %s has %s, expected a place in a list such as [0]", wording.Quote(text), wording.Quote(rest))
			}
			p.steps, rest = append(p.steps, n), after
			continue
		}
		field := rest[1:] // after the dot
		end := strings.IndexAny(field, ".[")
		if end < 0 {
			end = len(field)
		}
		if field[:end] == "" {
			return p, fmt.Errorf("the path %s has an empty field, %s", wording.Quote(text), form)
		}
		p.steps, rest = append(p.steps, field[:end]), field[end:]
	}
	return p, nil
}

// Value returns the value that the path names in a result; nil for none.
func (p Path) Value(result value.Value) value.Value {
	v, _ := p.find(result)
	return v
}

// find follows the path from the result; why says what is missing when there is no value.
func (p Path) find(result value.Value) (v value.Value, why string) {
	v = result
	for i, step := range p.steps {
		var next value.Value
		switch step := step.(type) {
		case int:
			if list, isList := v.([]any); isList && step < len(list) {
				next = list[step]
			}
		case string:
			if object, isObject := value.ObjectOf(v); isObject {
				next, _ = object.Get(step)
			}
		}
		if next == nil {
			return nil, "has no " + p.text(i, i+1) + p.within(i) + contents(v)
		}
		v = next
	}
	return v, ""
}

// text returns some of the steps as they are written, the first without its dot; a field alone is
// quoted.
func (p Path) text(from, to int) string {
	if field, isField := p.steps[from].(string); isField && to == from+1 {
		return wording.Quote(field)
	}
	var b strings.Builder
	for _, step := range p.steps[from:to] {
		if n, isPlace := step.(int); isPlace {
			fmt.Fprintf(&b, "[%d]", n)
			continue
		}
		fmt.Fprintf(&b, ".%v", step)
	}
	return wording.Shorten(strings.TrimPrefix(b.String(), "."))
}

// within says where the first steps lead.
func (p Path) within(n int) string {
	if n == 0 {
		return ""
	}
	return " in " + strings.Trim(p.text(0, n), `"`)
}

// contents says what a value has in place of what a path looks for.
func contents(v value.Value) string {
	if object, isObject := value.ObjectOf(v); isObject {
		if object.Len() == 0 {
			return ", it is an empty object"
		}
		return ", its fields are " + wording.List(object.Keys())
	}
	switch v := v.(type) {
	case []any:
		return ", it is a list of " + wording.Count(len(v), "item")
	case string:
		return ", it is a text"
	case bool:
		return ", it is a boolean"
	}
	if v == value.Null {
		return ", it is null"
	}
	return ", it is a number"
}

// CodeMissingValue is the code of a failure because a placeholder has no value.
const CodeMissingValue = "MISSING_VALUE"

// MissingValueError is why a placeholder has no value.
type MissingValueError struct {
	Placeholder string // with its braces
	Why         string
}

// Error is "{{announce.id}} has no value: step "announce" has failed".
func (e *MissingValueError) Error() string { return e.Placeholder + " has no value: " + e.Why }

// ErrorCode is CodeMissingValue.
func (*MissingValueError) ErrorCode() string { return CodeMissingValue }

// reference is a path whose result is the output of a node.
type reference struct {
	Path
	node string // its id
}

// value returns the value in a scope; why says why there is none.
func (r *reference) value(scope *expressions.Scope) (v value.Value, why string) {
	step := "step " + strconv.Quote(r.node) + " "
	if result, has := scope.Context[r.node]; has {
		if v, why = r.find(result); v == nil {
			why = step + why
		}
		return v, why
	}
	failures, known := scope.History.(interface{ Failed(id string) bool })
	switch {
	case scope.History.Count(r.node) == 0:
		return nil, step + "was skipped"
	case known && failures.Failed(r.node):
		return nil, step + "has failed"
	}
	return nil, step + "has returned nothing"
}

// holds reports whether the value is true as a rule has it; no value is false.
func (r *reference) holds(scope *expressions.Scope) bool {
	v, _ := r.value(scope)
	return jsonlogic.Truth(v)
}

// rule returns the reference as a rule, for those that show what a switch reads.
func (r *reference) rule(ctx context.Context) (*jsonlogic.Rule, error) {
	text := "$." + r.node
	for _, step := range r.steps {
		if field, isField := step.(string); isField && !strings.Contains(field, "`") {
			text += ".`" + field + "`"
			continue
		}
		break
	}
	return jsonlogic.Compile(ctx, map[string]any{"var": text})
}
