package expressions

import "strings"

// outerName is the variable by which a rule's expressions reach the run's context
// from inside a body: $ctx.
const outerName = "ctx"

// outerCall is what $ctx is compiled as. The engine binds no variables for one
// evaluation without copying its environment, but a function knows its evaluation;
// it is applied by ~> as it has no name that an expression could call.
const outerCall = "(0~>$" + hidden + outerName + ")"

var outerFunctions = map[string]function{
	hidden + outerName: func(c call) (any, error) { return c.scope.context, nil },
}

// outerSource is an expression in which every $ctx is a call.
type outerSource struct {
	code  string
	found []token // each $ctx of the source
	paths []Reference
}

// withOuterCalls leaves a source alone that is none, or that has a variable $ctx of
// its own.
func withOuterCalls(source string) outerSource {
	whole := outerSource{code: source}
	if !strings.Contains(source, "$"+outerName) {
		return whole
	}
	tokens, failed := scan(source)
	if failed != nil {
		return whole
	}
	var o outerSource
	var b strings.Builder
	last := 0
	for i, t := range tokens {
		if t.kind != tokenVariable || t.value != outerName {
			continue
		}
		if i+1 < len(tokens) && tokens[i+1].is(":=") || isParameter(tokens, i) {
			return whole
		}
		b.WriteString(source[last:t.start])
		b.WriteString(outerCall)
		last = t.end
		o.found = append(o.found, t)
		o.follow(tokens[i+1:])
	}
	b.WriteString(source[last:])
	o.code = b.String()
	return o
}

// follow notes the path of names behind a $ctx.
func (o *outerSource) follow(tokens []token) {
	var r Reference
	for i := 0; i+1 < len(tokens) && tokens[i].is(".") && tokens[i+1].kind == tokenName; i += 2 {
		if r.Path == nil {
			r.Offset = tokens[i+1].start
		}
		r.Path = append(r.Path, tokens[i+1].value)
	}
	if r.Path != nil {
		o.paths = append(o.paths, r)
	}
}

// offset is the place in the source of a place in the code.
func (o outerSource) offset(inCode int) int {
	grown := 0
	for _, t := range o.found {
		start := t.start + grown
		if inCode < start {
			break
		}
		if inCode < start+len(outerCall) {
			return t.start
		}
		grown += len(outerCall) - (t.end - t.start)
	}
	return inCode - grown
}
