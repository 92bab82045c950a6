package shape

import (
	"context"

	"toolgraph/expressions/jsonata"
	"toolgraph/internal/base/wording"
)

type tree = jsonata.Tree

// Infer returns the shape of the expression's value over env, and the findings, sorted by
// place. For unknown values nothing is found, and the shape is Any. When ctx has ended,
// the shape is Any and there are no findings: the caller checks ctx before it uses them.
//
// An output that may be missing is reported where that is harmful: where a field of an
// object, or the whole value when env needs it, would be missing as well; where strings
// are joined; and where values are compared by size. Parts that test for existence
// ($exists(x), x ?? y, x ?: y, x ? y : z, and, or, =) or gather existing values (arrays,
// $append, $merge, $count) are fine.
func Infer(ctx context.Context, e *jsonata.Expression, env Env) (Shape, []Finding) {
	return inferOver(ctx, e, &env, fact{shape: env.root(), root: true}, map[string]fact{}, false)
}

// inferOver infers over a focus, which is the context except in the bodies of rules, with
// the given variables. asked says that the rule tests the value for existence.
func inferOver(ctx context.Context, e *jsonata.Expression, env *Env, focus fact, variables map[string]fact, asked bool) (Shape, []Finding) {
	t := e.Tree()
	if t == nil {
		return Any(), nil
	}
	in := &inferrer{
		source: e.Source(), whole: t, env: env, probed: map[string]bool{}, tails: map[*tree]bool{}, optionals: map[*tree]bool{}, ended: ctx.Done(), root: focus, asks: asked,
		scope: &scope{vars: variables, binds: map[string]bool{}},
	}
	t.Binds(in.scope.binds)
	in.mayLack(t, env.Wanted)
	result := in.infer(t, &focus)
	if env.Needed {
		in.need(result)
	}
	if env.Required != "" {
		in.require(result, env.Required)
	}
	if !env.Wanted.IsAny() {
		in.requireAll(t, result, env.Wanted, nil)
	}
	in.notCalled(t, result)
	in.uncalled()
	if in.exhausted() {
		return Any(), nil
	}
	return result.shape, sortFindings(in.findings)
}

const (
	// maxSteps bounds the work of one inference, in parts; the parts of a function count
	// once a call.
	maxSteps = 20_000
	// maxNesting bounds how deep parts are nested.
	maxNesting = 400
)

// inferrer infers one expression.
type inferrer struct {
	source    string
	whole     *tree           // of source
	ended     <-chan struct{} // closed when the result is not needed any more
	env       *Env
	root      fact // the value of $$
	scope     *scope
	present   []string       // nodes that are known to have run, at this part
	calls     []*lambda      // functions whose bodies are being inferred
	lambdas   []*lambda      // all functions found
	optionals map[*tree]bool // values of fields that the wanted value may lack
	unsure    int            // ?? around this part whose left side is of unknown kind
	assigns   int            // assignments around this part
	tails     map[*tree]bool // calls at the end of functions, whose results are passed on as they are
	findings  []Finding
	quiet     int               // while it is not 0, nothing is reported
	asks      bool              // the next part is tested for existence
	asked     bool              // the path around this part is tested for existence
	probed    map[string]bool   // fields that were tested for existence
	spared    int               // defaults around this part
	branches  int               // conditions and repetitions around this part
	tried     map[string]string // reasons why functions refuse constants, by call
	refused   string            // the last of these reasons
	steps     int
	looks     int // see anyPart
	nesting   int
}

func (in *inferrer) exhausted() bool { return in.steps > maxSteps }

// report adds a finding about a part, and returns it for its fixes, until the next one is added.
func (in *inferrer) report(t *tree, code, message, hint string) *Finding {
	found := Finding{Offset: t.Offset, End: t.End, Code: code, Message: message, Hint: hint, Always: in.branches == 0}
	if in.quiet > 0 {
		return &found
	}
	in.findings = append(in.findings, found)
	return &in.findings[len(in.findings)-1]
}

// reportFailure adds a finding that makes the evaluation fail. It certainly fails when
// the failure is certain at the part and every evaluation reaches it.
func (in *inferrer) reportFailure(t *tree, certain bool, code, message, hint string) *Finding {
	found := in.report(t, code, message, hint)
	found.Fails = certain && in.branches == 0
	return found
}

// perhaps infers a part that not every evaluation reaches.
func (in *inferrer) perhaps(f func() fact) fact {
	in.branches++
	defer func() { in.branches-- }()
	return f()
}

// silently infers without reporting.
func (in *inferrer) silently(f func()) {
	in.quiet++
	f()
	in.quiet--
}

// text returns the source of the part, truncated.
func (in *inferrer) text(t *tree) string {
	if t.Offset < 0 || t.End > len(in.source) || t.Offset >= t.End {
		return t.Text
	}
	return wording.Truncate(in.source[t.Offset:t.End], 40)
}

// infer returns what is known of the value of a part over its focus.
func (in *inferrer) infer(t *tree, focus *fact) fact {
	out := in.visit(t, focus)
	if in.tails[t] {
		return out.asLoose()
	}
	return out.collapsed(false)
}

// visit returns what a part yields before it is a value.
func (in *inferrer) visit(t *tree, focus *fact) raw {
	select {
	case <-in.ended:
		in.steps = maxSteps
	default:
	}
	if in.steps++; in.exhausted() || in.nesting >= maxNesting {
		in.steps = maxSteps + 1
		return rawOf(unknown())
	}
	in.nesting++
	before := in.asked
	in.asked, in.asks = in.asks, false
	defer func() { in.nesting, in.asked = in.nesting-1, before }()
	switch t.Kind {
	case jsonata.NameKind, jsonata.PathKind, jsonata.PredicateKind, jsonata.KeepKind, jsonata.SortKind, jsonata.GroupKind, jsonata.FocusKind, jsonata.IndexKind:
		return in.route(routeOf(t), focus)
	case jsonata.WildcardKind:
		return in.wildcard(focus)
	}
	return rawOf(in.dispatch(t, focus))
}

// dispatch returns what is known of the value of a part that is no path.
func (in *inferrer) dispatch(t *tree, focus *fact) fact {
	switch t.Kind {
	case jsonata.ContextKind:
		if t.Text == "$$" {
			return in.root
		}
		return *focus
	case jsonata.VariableKind:
		return in.variable(t)
	case jsonata.StringKind:
		in.template(t)
		return fact{shape: literal(t), written: true}
	case jsonata.NumberKind, jsonata.LiteralKind:
		return fact{shape: literal(t), written: true}
	case jsonata.OperatorKind:
		return in.operator(t, focus)
	case jsonata.ConditionalKind:
		return in.conditional(t, focus)
	case jsonata.BlockKind:
		return in.block(t, focus)
	case jsonata.AssignmentKind:
		return in.assignment(t, focus)
	case jsonata.FunctionKind, jsonata.TransformKind:
		return in.function(t, focus)
	case jsonata.CallKind, jsonata.PartialCallKind:
		return in.callWith(t, focus, nil, nil)
	case jsonata.DescendantsKind:
		return unknown()
	case jsonata.ArrayKind:
		return in.array(t, focus)
	case jsonata.ObjectKind:
		return in.object(t, focus)
	}
	if t.Kind == jsonata.PatternKind {
		return of(simple(kindFunction))
	}
	// A parent.
	for i := range t.Parts {
		in.infer(&t.Parts[i], focus)
	}
	return unknown()
}

// mayLack marks the values of fields that an object of the wanted shape may lack: nothing is lost when they are missing.
func (in *inferrer) mayLack(t *tree, wanted Shape) {
	if wanted.IsAny() || len(t.Parts) == 0 {
		return
	}
	switch t.Kind {
	case jsonata.BlockKind:
		in.mayLack(&t.Parts[len(t.Parts)-1], wanted)
	case jsonata.ConditionalKind:
		for i := range t.Parts[1:] {
			in.mayLack(&t.Parts[1+i], wanted)
		}
	case jsonata.ObjectKind:
		for i := 0; i+1 < len(t.Parts); i += 2 {
			if f, known := wanted.get().field(t.Parts[i].Text); known && t.Parts[i].Kind == jsonata.StringKind {
				in.optionals[&t.Parts[i+1]] = f.Optional
				in.mayLack(&t.Parts[i+1], f.Shape)
			}
		}
	}
}

// array infers [a, b]: an array of the values of its parts. Arrays among them are
// flattened unless the part itself is an array constructor.
func (in *inferrer) array(t *tree, focus *fact) fact {
	items, filled, written := make([]Shape, 0, len(t.Parts)), false, true
	for i := range t.Parts {
		v := in.infer(&t.Parts[i], focus)
		written = written && v.written
		switch {
		case isArray(&t.Parts[i]):
			filled = filled || !v.shape.MayBeNothing()
		case !v.shape.IsAny():
			filled = filled || !v.shape.MayBeNothing() && surelyFilled(v.shape)
			v.shape = v.shape.item()
		}
		items = append(items, v.shape)
	}
	return fact{shape: array(Union(items...), filled), written: written}
}

// isArray reports whether a part is an array constructor, perhaps with filters or [] behind it.
func isArray(t *tree) bool {
	for t.Kind == jsonata.KeepKind || t.Kind == jsonata.PredicateKind || t.Kind == jsonata.GroupKind || t.Kind == jsonata.FocusKind {
		t = &t.Parts[0]
	}
	return t.Kind == jsonata.ArrayKind
}

// object infers {key: value}. A field whose value is nothing is left out.
func (in *inferrer) object(t *tree, focus *fact) fact {
	var fields []Field
	var parts []part
	if focus.shape.can(kindArray) && !focus.shape.IsAny() {
		grouped := grouped(rawOf(*focus))
		focus = &grouped
	}
	written, r, others := true, closed, none
	for i := 0; i+1 < len(t.Parts); i += 2 {
		key := in.infer(&t.Parts[i], focus)
		in.need(key)
		v := in.infer(&t.Parts[i+1], focus)
		if optional, wanted := in.optionals[&t.Parts[i+1]]; !optional && (wanted || !in.replacedElsewhere(v)) {
			in.need(v)
		}
		written = written && key.written && v.written
		in.groupKey(&t.Parts[i], key, true)
		in.keyOfVariable(&t.Parts[i], &t.Parts[i+1])
		names := key.shape.Words()
		if len(names) == 1 && key.shape.get().kinds == kindString {
			parts = append(parts, part{names[0], v})
			fields = append(fields, Field{Name: names[0], Shape: v.shape, Optional: v.shape.MayBeNothing()})
			continue
		}
		r, others = open, union(others, v.shape)
	}
	if r == open {
		// A computed key may be any name. The engine rejects the same name twice, but
		// only where both have values.
		for i := range fields {
			if fields[i].Optional {
				fields[i].Shape = Any()
			}
		}
	}
	out := alternatives{kinds: kindObject, fields: distinct(fields), rest: r, others: others}
	return fact{shape: shapeOf(out), written: written, parts: parts}
}

// excludes reports whether the value exists, as far as is known, and is certainly of none
// of the kinds.
func (v fact) excludes(k kinds) bool {
	found := v.shape.without(kindNothing)
	return !v.shape.IsAny() && !found.isNone() && !found.can(k)
}
