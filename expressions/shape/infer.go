package shape

import (
	"context"

	"toolgraph/expressions/jsonata"
)

type tree = jsonata.Tree

// Infer is the shape of what the expression's value can be over env, and what is
// wrong with it, in the order of the places. Where something is not known there is
// nothing found, and the shape is Any. So it is of everything once ctx has ended:
// the caller looks at ctx before it makes something of the answer.
//
// An output that may be missing is found where it is harmful: where a field of an
// object, or the whole when env needs it, would be missing with it; where text is
// joined without it; and where its size is compared. What asks whether it is there
// ($exists(x), x ?? y, x ?: y, x ? y : z, and, or, =), and what gathers what there
// is (arrays, $append, $merge, $count), is fine.
func Infer(ctx context.Context, e *jsonata.Expression, env Env) (Shape, []Finding) {
	root := fact{shape: env.root(), root: true}
	return inferOver(ctx, e, &env, root, map[string]fact{})
}

// inferOver infers over a focus, which is the context but in the bodies of rules, with
// the variables given.
func inferOver(ctx context.Context, e *jsonata.Expression, env *Env, focus fact, variables map[string]fact) (Shape, []Finding) {
	return inferPart(ctx, e, env, focus, variables, false)
}

// inferPart is inferOver of an expression of which it is asked whether it has a value, or
// not.
func inferPart(ctx context.Context, e *jsonata.Expression, env *Env, focus fact, variables map[string]fact, asked bool) (Shape, []Finding) {
	t := e.Tree()
	if t == nil {
		return Any(), nil
	}
	in := &inferrer{source: e.Source(), env: env, probed: map[string]bool{}, ended: ctx.Done(), scope: &scope{vars: variables, binds: boundNames(t, map[string]bool{})}}
	in.root = focus
	in.asks = asked
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
	in.uncalled()
	if in.exhausted() {
		return Any(), nil
	}
	return result.shape, sortFindings(in.findings)
}

const (
	// maxSteps bounds the work of one inference: parts looked at, those of functions
	// once a call.
	maxSteps = 20_000
	// maxNesting is how deep parts may be inside each other.
	maxNesting = 400
)

// inferrer infers one expression.
type inferrer struct {
	source   string
	ended    <-chan struct{} // closed when the answer is not wanted any more
	env      *Env
	root     fact // what $$ is
	scope    *scope
	present  []string  // nodes that are known to have run, here
	calls    []*lambda // whose bodies are being inferred
	lambdas  []*lambda // all that were found
	findings []Finding
	quiet    int             // findings are not noted while it is not 0
	asks     bool            // the next part is asked for whether it is there
	asked    bool            // the path around the place is
	probed   map[string]bool // fields of which it was asked whether they are there
	spared   int             // something takes the place of what is missing
	branches int             // conditions and repetitions around the place
	steps    int
	nesting  int
}

func (in *inferrer) exhausted() bool { return in.steps > maxSteps }

// note takes down a finding at a part.
func (in *inferrer) note(t *tree, code, message, hint string) {
	if in.quiet == 0 {
		in.findings = append(in.findings, Finding{Offset: t.Offset, End: t.End, Code: code, Message: message, Hint: hint})
	}
}

// fault takes down a finding that lets the evaluation fail. It does so for certain
// when it is certain there, and the place is reached each time.
func (in *inferrer) fault(t *tree, certain bool, code, message, hint string) {
	before := len(in.findings)
	in.note(t, code, message, hint)
	if len(in.findings) > before {
		in.findings[before].Fails = certain && in.branches == 0
	}
}

// perhaps infers what is not reached by every evaluation.
func (in *inferrer) perhaps(f func() fact) fact {
	in.branches++
	defer func() { in.branches-- }()
	return f()
}

// silently infers without noting findings.
func (in *inferrer) silently(f func()) {
	in.quiet++
	f()
	in.quiet--
}

// text is the part as it is written, shortened.
func (in *inferrer) text(t *tree) string {
	if t.Offset < 0 || t.End > len(in.source) || t.Offset >= t.End {
		return t.Text
	}
	const most = 40
	text, count, cut := in.source[t.Offset:t.End], 0, 0
	for i := range text {
		switch count++; {
		case count == most:
			cut = i
		case count > most:
			return text[:cut] + "…"
		}
	}
	return text
}

// infer is what is known of the value of a part when focus is its context.
func (in *inferrer) infer(t *tree, focus *fact) fact {
	select {
	case <-in.ended:
		in.steps = maxSteps
	default:
	}
	if in.steps++; in.exhausted() || in.nesting >= maxNesting {
		in.steps = maxSteps + 1
		return unknown()
	}
	in.nesting++
	before := in.asked
	in.asked, in.asks = in.asks, false
	defer func() { in.nesting, in.asked = in.nesting-1, before }()
	switch t.Kind {
	case "name":
		return in.name(t, *focus)
	case "path":
		return in.path(t, focus)
	case "context":
		if t.Text == "$$" {
			return in.root
		}
		return *focus
	case "variable":
		return in.variable(t)
	case "string", "number", "literal":
		return fact{shape: literal(t), written: true}
	case "operator":
		return in.operator(t, focus)
	case "conditional":
		return in.conditional(t, focus)
	case "block":
		return in.block(t, focus)
	case "assignment":
		return in.assignment(t, focus)
	case "function", "transform":
		return in.function(t, focus)
	case "call", "partial call":
		return in.call(t, focus)
	case "array":
		return in.array(t, focus)
	case "object":
		return in.object(t, focus)
	}
	return in.selection(t, focus)
}

// selection is what is known of a part that picks from, orders or groups values.
func (in *inferrer) selection(t *tree, focus *fact) fact {
	switch t.Kind {
	case "predicate", "keep", "wildcard", "descendants":
		return in.path(&tree{Kind: "path", Offset: t.Offset, End: t.End, Parts: []tree{*t}}, focus)
	case "sort":
		return in.sort(t, focus)
	case "group":
		return in.group(t, focus)
	}
	// A parent, a pattern, a focus or an index on its own.
	for i := range t.Parts {
		in.infer(&t.Parts[i], focus)
	}
	return unknown()
}
