package shape

import (
	"fmt"
	"slices"
	"strings"

	"toolgraph/expressions/jsonata"
	"toolgraph/internal/base/wording"
)

// site is a call of a builtin.
type site struct {
	name  string
	tree  *tree   // the call, or the function where it is an argument itself
	trees []*tree // of the arguments; nil for one that has no part of its own
	args  []fact
	focus *fact
}

// place returns the part of argument i, or else the call.
func (s *site) place(i int) *tree {
	if i < len(s.trees) && s.trees[i] != nil {
		return s.trees[i]
	}
	return s.tree
}

// arg returns argument i; nothing when there are fewer.
func (s *site) arg(i int) fact {
	if i < len(s.args) {
		return s.args[i]
	}
	return of(Nothing())
}

// complete reports whether all arguments certainly have values: the engine does not check
// a call in which one is missing.
func (s *site) complete() bool {
	return !slices.ContainsFunc(s.args, func(v fact) bool { return v.shape.MayBeNothing() })
}

// callWith infers a call, with one more argument before the written ones unless before is
// nil.
func (in *inferrer) callWith(t *tree, focus, before *fact, beforeTree *tree) fact {
	var args []fact
	var trees []*tree
	if before != nil {
		args, trees = append(args, *before), append(trees, beforeTree)
	}
	callee := &t.Parts[0]
	infer := in.infer
	switch {
	case callee.Kind == jsonata.VariableKind && probes[callee.Text]:
		infer = in.replaced
	case callee.Kind == jsonata.VariableKind && gatherers[callee.Text]:
		infer = in.gathered
	}
	for i := 1; i < len(t.Parts); i++ {
		if t.Parts[i].Kind == jsonata.PlaceholderKind {
			args, trees = append(args, unknown()), append(trees, nil)
			continue
		}
		args, trees = append(args, infer(&t.Parts[i], focus)), append(trees, &t.Parts[i])
	}
	fn := in.callee(callee, focus)
	if t.Kind == jsonata.PartialCallKind {
		return of(simple(kindFunction))
	}
	if fn == nil {
		return unknown()
	}
	if fn.builtin != "" {
		return in.builtin(&site{name: fn.builtin, tree: t, trees: trees, args: args, focus: focus})
	}
	return in.apply(fn, args, focus)
}

// prefixed returns the name of a function as it is called; "" for none.
func prefixed(function string) string {
	if function == "" {
		return ""
	}
	return "$" + function
}

// callee returns the function that is called, or nil.
func (in *inferrer) callee(t *tree, focus *fact) *lambda {
	if t.Kind == jsonata.NameKind {
		hint, function := jsonata.FunctionHint(t.Text)
		if jsonata.IsFunction(t.Text) {
			hint, function = "write $"+t.Text+"(…)", t.Text
			if t.Text == "length" {
				hint = "write $length(…) of a text, $count(…) of a list"
			}
		}
		if hint != "" {
			in.reportFailure(t, true, CodeNoFunction, fmt.Sprintf("%s is a field here, not a function", t.Text), hint).instead(in.source, t, t.Text, prefixed(function))
			return nil
		}
	}
	v := in.infer(t, focus)
	in.expectFunction(t, v)
	return v.fn
}

// expectFunction reports a value that is called and certainly not a function.
func (in *inferrer) expectFunction(t *tree, v fact) {
	if v.excludes(kindFunction) {
		in.reportFailure(t, !v.shape.MayBeNothing(), CodeNoFunction, in.described(t, v)+", not a function", "")
	}
}

// notCalled reports a value of an expression that is a function: a function of the library without its ( ).
func (in *inferrer) notCalled(t *tree, v fact) {
	for t.Kind == jsonata.BlockKind && len(t.Parts) > 0 {
		t = &t.Parts[len(t.Parts)-1]
	}
	if v.shape.get().kinds != kindFunction || t.Kind != jsonata.VariableKind {
		return
	}
	hint := fmt.Sprintf("write $%s(…)", t.Text)
	if t.Text == "executionCount" || t.Text == "nodeExecutions" {
		hint = fmt.Sprintf("write $%s(\"NODE\")", t.Text)
	}
	in.reportFailure(t, true, CodeNoFunction, fmt.Sprintf("$%s is a function, and it is not called here", t.Text), hint)
}

// chain infers value ~> function: the value becomes the first argument.
func (in *inferrer) chain(t *tree, piped fact, pipedTree *tree, focus *fact) fact {
	if t.Kind == jsonata.OperatorKind && t.Text == "~>" {
		first := in.chain(&t.Parts[0], piped, pipedTree, focus)
		out := in.chain(&t.Parts[1], first, nil, focus)
		if first.shape.MayBeNothing() {
			out.shape = Union(out.shape, Nothing()) // the chain ends at a missing value
		}
		return out
	}
	if t.Kind == jsonata.CallKind {
		return in.callWith(t, focus, &piped, pipedTree)
	}
	if t.Kind == jsonata.PatternKind {
		return unknown()
	}
	v := in.infer(t, focus)
	in.expectFunction(t, v)
	switch {
	case v.fn == nil:
		return unknown()
	case piped.shape.can(kindFunction):
		v.fn.called = v.fn.called || piped.fn != nil
		return unknown() // the two functions are composed
	case v.fn.builtin != "":
		return in.builtin(&site{name: v.fn.builtin, tree: t, trees: []*tree{pipedTree}, args: []fact{piped}, focus: focus})
	}
	return in.apply(v.fn, []fact{piped}, focus)
}

// builtin infers the result of a builtin and checks its arguments.
func (in *inferrer) builtin(s *site) fact {
	b := builtins()[s.name]
	params := b.params
	least := 0
	for i, p := range params {
		if !p.optional && !p.context {
			least = i + 1
		}
	}
	switch missing := least - len(s.args); {
	case missing > 1 || missing == 1 && !params[0].context:
		in.count(s, least)
		return unknown()
	case missing == 1:
		context := unknown()
		if s.focus != nil && s.focus.root {
			context = *s.focus
		}
		args := append([]fact{context}, s.args...) // the context is the first argument
		for i, v := range args {
			if v.mismatches(params[i]) {
				in.count(s, least)
				return unknown()
			}
		}
		s.args, s.trees = args, append([]*tree{nil}, s.trees...)
	}
	if !b.more && len(s.trees) > len(params) { // a callback gets as many as it takes
		in.count(s, len(params))
		return unknown()
	}
	in.nodeName(s)
	refused := false // the other arguments are probably only shifted then
	for i := 0; i < min(len(s.args), len(params)) && !refused; i++ {
		refused = in.argument(s, i, params[i])
	}
	if !refused {
		in.suspect(s, params)
		in.suspectText(s)
		in.refuses(s)
	}
	if b.infer != nil {
		return b.infer(in, s)
	}
	if len(s.args) == 0 && len(params) > 0 && params[0].context {
		return of(Union(b.result, Nothing())) // the context may be missing
	}
	out := like(b.result, s.args[:min(len(s.args), max(least, 1))]...)
	if len(s.args) > 0 && !alwaysCalled[s.name] {
		out = in.without(s.args[0], out)
	}
	if len(params) > 0 && params[0].items != 0 {
		out = in.lacking(s, out, fmt.Sprintf("when %s finds nothing", in.text(s.place(0))))
	}
	return out
}

// count reports a call with the wrong number of arguments.
func (in *inferrer) count(s *site, expected int) {
	verb := "at most"
	if len(s.args) < expected {
		verb = "at least"
	}
	in.reportFailure(s.tree, true, CodeArgumentCount, fmt.Sprintf("$%s takes %s %s, found %d", s.name, verb, wording.Count(expected, "argument"), len(s.args)), "")
}

// mismatches reports whether the function certainly rejects the value.
func (v fact) mismatches(p param) bool {
	if p.items == 0 || !v.excludes(p.items) {
		return v.excludes(p.kinds)
	}
	// A single value counts as an array of it.
	return !v.shape.can(kindArray) || v.shape.get().filled && !v.shape.Items().can(p.items)
}

// argument reports an argument that the function certainly rejects.
func (in *inferrer) argument(s *site, i int, p param) bool {
	v := s.args[i]
	found := v.shape.without(kindNothing)
	if in.items(s, i, p) {
		return true
	}
	if v.holdsOthers(p) {
		hint, by := s.hint(p, found)
		if other := s.itemHint(p, found, in.text(s.place(i))); other != "" {
			hint, by = other, ""
		}
		certain := found.get().filled && s.complete() && !p.lax
		in.reportFailure(s.place(i), certain, CodeWrongArgument, fmt.Sprintf("argument %d of $%s is %s, expected %s", i+1, s.name, found, p.text()), hint).converted(in.source, by)
		return true
	}
	if !v.mismatches(p) {
		return false
	}
	what := found.String()
	if s.place(i).Kind == jsonata.PatternKind {
		what = "a regular expression"
	}
	hint, by := s.hint(p, found)
	if params := builtins()[s.name].params; i < 2 && len(s.args) > 1 && len(params) > 1 && s.args[0].fits(params[1]) && s.args[1].fits(params[0]) {
		hint, by = in.swappedHint(s), ""
	}
	in.reportFailure(s.place(i), s.complete() && !p.lax, CodeWrongArgument, fmt.Sprintf("argument %d of $%s is %s, expected %s", i+1, s.name, what, p.text()), hint).converted(in.source, by)
	return true
}

// suspect reports arguments that fail for some values only, where more speaks against them: two that would fit the other way
// round, and a list whose length is asked for as that of a text, unless it is filtered for one item.
func (in *inferrer) suspect(s *site, params []param) {
	switch {
	case len(s.args) < 2 || len(s.trees) < 2 || len(params) < 2:
	case !s.args[1].fits(params[1]) && s.args[0].fits(params[1]) && s.args[1].fits(params[0]):
		in.report(s.place(1), CodeWrongArgument, fmt.Sprintf("argument 2 of $%s is %s, expected %s", s.name, s.args[1].shape.without(kindNothing), params[1].text()),
			in.swappedHint(s))
	}
	for i, v := range s.args[:min(len(s.args), len(s.trees), len(params))] {
		if v.nests(params[i]) {
			in.report(s.place(i), CodeWrongArgument, fmt.Sprintf("argument %d of $%s is a list of lists when there are several, expected %s", i+1, s.name, params[i].text()), "put the inner lists into one first: $flatten(…)")
		}
		if t := s.trees[i]; s.name != "length" && t != nil && t.Kind == jsonata.PathKind && !params[i].kinds.has(kindArray) && v.shape.severalFor(params[i].kinds) && !picksOne(t) {
			in.report(t, CodeWrongArgument, fmt.Sprintf("argument %d of $%s is a list when there are several, expected %s", i+1, s.name, params[i].text()), "take one of them, …[0], or call the function for each: ….$"+s.name+"($)")
		}
	}
	if s.name != "length" || len(s.args) == 0 || len(s.trees) == 0 || s.trees[0] == nil {
		return
	}
	if of := s.args[0].shape; !of.IsAny() && of.get().kinds&^kindNothing == kindArray|kindString && !filtersOne(s.trees[0]) {
		in.report(s.trees[0], CodeWrongArgument, fmt.Sprintf("argument 1 of $length may be a list, %s, expected a string", of.without(kindNothing)), "the number of items is $count(…)")
	}
}

// swappedHint returns the remedy for a call whose first two arguments are swapped.
func (in *inferrer) swappedHint(s *site) string {
	return fmt.Sprintf("the arguments seem to be swapped: write $%s(%s, %s)", s.name, in.text(s.place(1)), in.text(s.place(0)))
}

// fits reports whether the function certainly takes the value.
func (v fact) fits(p param) bool {
	of := v.shape.without(kindNothing)
	if v.shape.IsAny() || of.isNone() || of.get().kinds&^p.kinds != 0 {
		return false
	}
	return p.items == 0 || !of.can(kindArray) || of.Items().get().kinds&^p.items == 0
}

// picksOne reports whether an expression has a filter or an index.
func picksOne(t *tree) bool {
	return t.Kind == jsonata.PredicateKind || slices.ContainsFunc(t.Parts, func(part tree) bool { return picksOne(&part) })
}

// filtersOne reports whether an expression filters by equality, which mostly finds one item.
func filtersOne(t *tree) bool {
	if t.Kind == jsonata.PredicateKind && len(t.Parts) > 1 {
		if by := t.Parts[len(t.Parts)-1]; by.Kind == jsonata.NumberKind || by.Kind == jsonata.OperatorKind && (by.Text == "=" || by.Text == "-") {
			return true
		}
	}
	for i := range t.Parts {
		if filtersOne(&t.Parts[i]) {
			return true
		}
	}
	return false
}

// text returns the kinds of the parameter, for people.
func (p param) text() string {
	if p.items != 0 {
		return "an array of " + anyOf(p.items).String() + "s"
	}
	text := anyOf(p.kinds).String()
	if strings.IndexByte("aeiou", text[0]) >= 0 {
		return "an " + text
	}
	return "a " + text
}

// anyOf returns the shape of all values of these kinds.
func anyOf(k kinds) Shape { return shapeOf(alternatives{kinds: k, rest: open}) }

// hint returns the remedy for an argument of another kind, and the function that converts it, if that is the remedy.
func (s *site) hint(p param, found Shape) (hint, by string) {
	switch {
	case s.name == "contains" && found.can(kindArray) && p.kinds == kindString:
		return "whether a list has an item is: item in list", ""
	case s.name == "length" && found.can(kindArray):
		return "the number of items is $count(…)", ""
	case p.kinds == kindString && !found.can(kindArray|kindObject):
		return conversion("string"), "string"
	case p.kinds == kindNumber && found.can(kindString):
		return conversion("number"), "number"
	case p.kinds == kindString && found.can(kindArray):
		return "join it first: $join(…), or take one item: …[0]", ""
	}
	return "", ""
}
