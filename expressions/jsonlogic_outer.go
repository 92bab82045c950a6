package expressions

import (
	"slices"
	"strings"
)

// outerName is the variable by which a rule's expressions reach the run's context
// from inside a body.
const outerName = "$ctx"

// The engine binds no variables per evaluation without copying its environment, so
// $ctx is written $ctx() before compiling, a function that knows its evaluation.
func init() {
	binder(libraryEnv)(outerName[1:], func(ev *evaluation, _ []any, _ any) (any, error) {
		return ev.scope.context, nil
	})
}

// outerSource is an expression in which every $ctx is a call.
type outerSource struct {
	code  string
	calls []int // offsets in the source, each just behind a $ctx
}

const outerCall = "()"

func withOuterCalls(source string) outerSource {
	o := outerSource{}
	var b strings.Builder
	last := 0
	for i := 0; i < len(source); {
		n := skippedText(source[i:])
		if n > 0 {
			i += n
			continue
		}
		rest, found := strings.CutPrefix(source[i:], outerName)
		if !found || continuesName(rest) {
			i++
			continue
		}
		i += len(outerName)
		next := strings.TrimSpace(rest)
		if strings.HasPrefix(next, ":=") {
			return outerSource{code: source} // a variable of the expression's own
		}
		if !strings.HasPrefix(next, "(") {
			b.WriteString(source[last:i])
			b.WriteString(outerCall)
			o.calls = append(o.calls, i)
			last = i
		}
	}
	b.WriteString(source[last:])
	o.code = b.String()
	return o
}

// skippedText is the length of the string, quoted name or comment that s begins with.
func skippedText(s string) int {
	switch {
	case strings.HasPrefix(s, "/*"):
		if end := strings.Index(s[2:], "*/"); end >= 0 {
			return end + 4
		}
		return len(s)
	case s[0] != '"' && s[0] != '\'' && s[0] != '`':
		return 0
	}
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && s[0] != '`':
			i++
		case s[i] == s[0]:
			return i + 1
		}
	}
	return len(s)
}

func continuesName(rest string) bool {
	if rest == "" {
		return false
	}
	c := rest[0]
	return c == '_' || c >= 0x80 || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// offset is the place in the source of a place in the code.
func (o outerSource) offset(inCode int) int {
	for i, call := range slices.Backward(o.calls) {
		if inCode > call+i*len(outerCall) {
			return max(call, inCode-(i+1)*len(outerCall))
		}
	}
	return inCode
}

// references are the paths that stand directly behind a $ctx.
func (o outerSource) references(source string) []Reference {
	var found []Reference
	for _, call := range o.calls {
		rest, ok := strings.CutPrefix(source[call:], ".")
		if !ok {
			continue
		}
		var steps []string
		for step := range strings.SplitSeq(rest, ".") {
			n := 0
			for n < len(step) && continuesName(step[n:]) {
				n++
			}
			if !isFieldName(step[:n]) {
				break
			}
			steps = append(steps, step[:n])
			if n < len(step) {
				break
			}
		}
		if len(steps) > 0 {
			found = append(found, Reference{Path: steps, Offset: call + 1})
		}
	}
	return found
}
