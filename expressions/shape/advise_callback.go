package shape

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"toolgraph/expressions/jsonata"
	"toolgraph/internal/base/wording"
)

// lambda returns the function that is the second argument where the call has it written, or bound to a variable.
func (s *site) lambda() *lambda {
	if fn := s.arg(1).fn; fn != nil && fn.builtin == "" && fn.tree.Kind == jsonata.FunctionKind {
		return fn
	}
	return nil
}

// params returns the parameters of a function of the expression, and body what it evaluates.
func (fn *lambda) params() []tree { return fn.tree.Parts[:len(fn.tree.Parts)-1] }

func (fn *lambda) body() *tree { return &fn.tree.Parts[len(fn.tree.Parts)-1] }

// value returns the part of a body that makes its value.
func (fn *lambda) value() *tree {
	t := fn.body()
	for t.Kind == jsonata.BlockKind && len(t.Parts) > 0 {
		t = &t.Parts[len(t.Parts)-1]
	}
	return t
}

// mentions reports whether a part reads a variable.
func mentions(t *tree, name string) bool {
	if t.Kind == jsonata.VariableKind && t.Text == name {
		return true
	}
	return slices.ContainsFunc(t.Parts, func(part tree) bool { return mentions(&part, name) })
}

// compares reports a function of $sort that does not say whether its first argument comes behind its second one.
func (in *inferrer) compares(s *site, result fact) {
	fn := s.lambda()
	if fn == nil {
		return
	}
	params, value := fn.params(), fn.value()
	const hint = "write a comparison: $a.field > $b.field for ascending order"
	if len(params) < 2 {
		in.report(fn.tree, CodeWrongArgument, "the function of $sort compares two items, found "+wording.Count(len(params), "parameter"), hint)
		return
	}
	of := result.shape
	switch {
	case of.IsAny() || of.isNone() || of.IsNothing():
	case !of.can(kindBoolean):
		remedy := hint
		if value.Kind == jsonata.OperatorKind && value.Text == "-" && len(value.Parts) == 2 {
			a, b := in.text(&value.Parts[0]), in.text(&value.Parts[1])
			remedy = fmt.Sprintf("write %s > %s for ascending order, %s < %s for descending order", a, b, a, b)
		}
		in.report(value, CodeWrongArgument, fmt.Sprintf("the function of $sort returns %s, expected whether $%s comes behind $%s: true or false", of.without(kindNothing), params[0].Text, params[1].Text), remedy)
		return
	}
	for i := range params[:2] {
		if fn.tree.Text == "" && !mentions(fn.body(), params[i].Text) {
			in.report(fn.tree, CodeWrongArgument, fmt.Sprintf("the function of $sort compares two items, but does not read $%s", params[i].Text), hint)
			return
		}
	}
}

// decides reports a function that chooses items and always gives the same answer.
func (in *inferrer) decides(s *site, result fact) {
	fn := s.lambda()
	if fn == nil || result.shape.IsAny() || result.shape.isNone() || result.shape.IsNothing() {
		return
	}
	value := fn.value()
	if value.Kind == jsonata.LiteralKind && value.Text == "true" {
		return
	}
	of := result.shape
	if !result.written {
		of = of.General()
	}
	if truth := of.truth(); truth != kindBoolean {
		in.report(value, CodeConstantCondition, fmt.Sprintf("the function of $%s chooses by %s, which is always %t", s.name, in.text(value), truth == kindTrue), "return a comparison")
	}
}

// passed names the parameters that a function of the library passes, in order.
var passed = sync.OnceValue(func() map[string]struct {
	first, second       string   // what they are
	firstIs, secondHint []string // names that show that they are taken for each other
} {
	return map[string]struct {
		first, second       string   // what they are
		firstIs, secondHint []string // names that show that they are taken for each other
	}{
		"each":   {"the value", "the name", []string{"k", "key", "name", "field"}, []string{"v", "val", "value"}},
		"sift":   {"the value", "the name", []string{"k", "key", "name", "field"}, []string{"v", "val", "value"}},
		"map":    {"the item", "the index", []string{"i", "idx", "index", "pos", "position"}, []string{"v", "val", "value", "item", "e", "el", "elem", "element", "x", "entry"}},
		"filter": {"the item", "the index", []string{"i", "idx", "index", "pos", "position"}, []string{"v", "val", "value", "item", "e", "el", "elem", "element", "x", "entry"}},
		"reduce": {"the result so far", "the item", []string{"item", "v", "value", "e", "el", "elem", "element", "x", "cur", "curr", "current", "entry"}, []string{"acc", "accumulator", "memo", "prev", "previous", "result", "carry", "total", "sum"}},
	}
})

// swapped reports a function whose parameters have the names of each other.
func (in *inferrer) swapped(s *site) bool {
	fn, of := s.lambda(), passed()[s.name]
	if fn == nil || len(fn.params()) < 2 {
		return false
	}
	first, second := fn.params()[0], fn.params()[1]
	if !slices.Contains(of.firstIs, strings.ToLower(first.Text)) || !slices.Contains(of.secondHint, strings.ToLower(second.Text)) {
		return false
	}
	in.report(&first, CodeWrongArgument, fmt.Sprintf("the first parameter of the function of $%s is %s, the second one %s; they are named $%s and $%s", s.name, of.first, of.second, first.Text, second.Text),
		fmt.Sprintf("write function($%s, $%s)", second.Text, first.Text))
	return true
}

// turned infers a function for two values and the whole whose parts they are: each value and its name for $each and $sift, each item and its index
// for $map and $filter. One that goes wrong, and would not with the two the other way round, has its parameters in the wrong order: that is reported
// in place of what follows from it.
func (in *inferrer) turned(s *site, value, name, whole Shape) fact {
	before := len(in.findings)
	out := in.callback(s.arg(1), s.focus, value, name, whole)
	fn := s.lambda()
	if _, pairs := passed()[s.name]; fn == nil || !pairs || len(fn.params()) < 2 || len(in.findings) == before {
		return out
	}
	if (s.name == "map" || s.name == "filter") && (!mentions(fn.body(), fn.params()[0].Text) || !mentions(fn.body(), fn.params()[1].Text)) {
		return out // one is a slip for the other
	}
	consequences := slices.Clone(in.findings[before:])
	in.callback(s.arg(1), s.focus, name, value, whole)
	works := len(in.findings) == before+len(consequences)
	in.findings = append(in.findings[:before], consequences...)
	if works && slices.ContainsFunc(consequences, func(f Finding) bool { return mistakenKinds[f.Code] }) {
		in.findings = in.findings[:before]
		of, first, second := passed()[s.name], fn.params()[0], fn.params()[1]
		in.report(&first, CodeWrongArgument, fmt.Sprintf("the first parameter of the function of $%s is %s, the second one %s; $%s and $%s are used the other way round", s.name, of.first, of.second, first.Text, second.Text),
			fmt.Sprintf("write function($%s, $%s)", second.Text, first.Text))
	}
	return out
}

// mistakenKinds are the codes of findings which show that a value is taken for one of another kind.
var mistakenKinds = map[string]bool{CodeWrongOperand: true, CodeWrongArgument: true, CodeNoFields: true}

// starts reports a function of $reduce that takes fewer than two arguments, does not read the result so far, or, without a start, makes of
// the first item a value of another kind.
func (in *inferrer) starts(s *site, item Shape, once func(start Shape) Shape) {
	fn := s.lambda()
	if fn == nil {
		return
	}
	params := fn.params()
	if len(params) < 2 {
		in.reportFailure(fn.tree, s.complete(), CodeWrongArgument, fmt.Sprintf("the function of $reduce needs two parameters, the result so far and the item, found %d", len(params)), "write function($result, $item)")
		return
	}
	if fn.tree.Text == "" && !mentions(fn.body(), params[0].Text) {
		in.report(fn.tree, CodeWrongArgument, fmt.Sprintf("the function of $reduce does not read $%s, the result so far, so that only the last item counts", params[0].Text), fmt.Sprintf("combine $%s with the item", params[0].Text))
		return
	}
	if len(s.args) > 2 || item.IsAny() || item.isNone() {
		return
	}
	var next Shape
	in.silently(func() { next = once(item) })
	if next = next.without(kindNothing); next.IsAny() || next.isNone() || next.get().kinds&kindClasses(item) != 0 {
		return
	}
	start := "0"
	switch {
	case next.can(kindString):
		start = `""`
	case next.can(kindArray):
		start = "[]"
	case next.can(kindObject):
		start = "{}"
	}
	place := s.tree
	if place.Kind == jsonata.CallKind { // where the argument is missing
		place = &tree{Offset: place.End - 1, End: place.End}
	}
	in.report(place, CodeWrongArgument, fmt.Sprintf("without a third argument, $reduce begins with the first item, which is %s, as $%s, but its function returns %s", item, params[0].Text, next.General()),
		fmt.Sprintf("give the value to begin with as the third argument: %s", start))
}

// reducesByOne reports a function of the library that takes one argument, which $reduce refuses.
func (in *inferrer) reducesByOne(s *site) {
	fn := s.arg(1).fn
	if fn == nil || fn.builtin == "" || builtins()[fn.builtin].more || len(builtins()[fn.builtin].params) > 1 {
		return
	}
	in.reportFailure(s.place(1), s.complete(), CodeWrongArgument, fmt.Sprintf("the function of $reduce needs two parameters, the result so far and the item; $%s takes one", fn.builtin), fmt.Sprintf("call it with the list: $%s(…)", fn.builtin))
}

// kindClasses returns the kinds of the shape, with both booleans for one of them.
func kindClasses(s Shape) kinds {
	k := s.get().kinds
	if k.has(kindBoolean) {
		k |= kindBoolean
	}
	return k
}
