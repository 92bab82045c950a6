package shape

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"
)

// refusers are the functions that refuse some values of a kind that they take, with the arguments that matter: the others are given
// values of all sorts.
var refusers = sync.OnceValue(func() map[string][]int {
	return map[string][]int{
		"chunk": {1}, "split": {2}, "match": {2}, "replace": {1, 3}, "flatten": {1}, "formatBase": {1}, "formatNumber": {1}, "formatInteger": {1},
		"fromMillis": {1, 2}, "toMillis": {1}, "parseInteger": {1}, "now": {0, 1}, "number": {0}, "sqrt": {0}, "pad": {1},
	}
})

// trials are values of each kind for an argument that is not known.
var trials = sync.OnceValue(func() map[kinds][]string {
	return map[kinds][]string{
		kindNumber: {"0", "1", "-2.5", "123456"}, kindString: {`""`, `"a"`, `"1"`, `"one"`, `"2020-01-02"`, `"2020-01-02T03:04:05Z"`},
		kindArray: {"[]", "[1, 2, 3]"},
	}
})

// refuses reports a constant that a function refuses: the engine itself is asked, with several values for the other arguments.
func (in *inferrer) refuses(s *site) {
	params := builtins()[s.name].params
	for _, i := range refusers()[s.name] {
		if i >= len(s.args) || i >= len(params) || s.name == "formatNumber" && len(s.args) > 2 {
			continue
		}
		text, ok := in.constantText(s, i)
		if !ok || !in.alwaysRefused(s, params, i, text) {
			continue
		}
		message := fmt.Sprintf("argument %d of $%s is %s: $%s %s", i+1, s.name, in.constantName(s, i, text), s.name, in.refused)
		if s.args[i].constant != nil {
			in.report(s.place(i), CodeWrongArgument, message, "")
		} else {
			in.reportFailure(s.place(i), s.complete(), CodeWrongArgument, message, "")
		}
		return
	}
	in.emptyPicture(s)
}

// constantText returns the source of the only value that an argument has.
func (in *inferrer) constantText(s *site, i int) (string, bool) {
	v := s.args[i].constant
	if of := s.args[i].shape; v == nil && of.isOne() {
		switch a := of.get(); a.kinds {
		case kindNumber:
			v = a.numbers[0]
		case kindString:
			v = a.strings[0]
		}
	}
	switch v := v.(type) {
	case float64:
		return value.NumberText(v), true
	case string:
		return strconv.Quote(v), isPlain(v)
	}
	return "", false
}

// isPlain reports whether Go and JSONata quote a text alike.
func isPlain(text string) bool {
	return !strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c > '~' })
}

// constantName returns how a message names the constant.
func (in *inferrer) constantName(s *site, i int, text string) string {
	if source := in.text(s.place(i)); s.place(i) != s.tree && source != text {
		return fmt.Sprintf("%s, which is %s", source, text)
	}
	return text
}

// alwaysRefused evaluates the call with all sorts of values for the other arguments, and reports whether all evaluations fail for the same
// reason.
func (in *inferrer) alwaysRefused(s *site, params []param, i int, text string) bool {
	others := make([][]string, 0, len(s.args))
	for k := range s.args[:min(len(s.args), len(params))] {
		switch p := params[k]; {
		case k == i:
			others = append(others, []string{text})
		case k > i && p.optional:
		case s.place(k).Kind == jsonata.PatternKind:
			others = append(others, []string{"/a/"})
		default:
			for _, of := range []kinds{kindArray, kindString, kindNumber} {
				if p.kinds.has(of) {
					others = append(others, trials()[of])
					break
				}
			}
		}
	}
	key := s.name + "(" + strings.Join(slices.Concat(others...), ",")
	if in.tried == nil {
		in.tried = map[string]string{}
	}
	reason, known := in.tried[key]
	if !known {
		reason = refusal(s.name, others)
		in.tried[key] = reason
	}
	in.refused = reason
	return reason != ""
}

// refusal returns the reason why all calls of a function with these arguments fail, or "" when one succeeds.
func refusal(name string, args [][]string) (reason string) {
	calls := []string{""}
	for _, choices := range args {
		var more []string
		for _, call := range calls {
			for _, choice := range choices {
				more = append(more, strings.TrimPrefix(call+", "+choice, ", "))
			}
		}
		calls = more
	}
	for _, call := range calls {
		e, err := jsonata.Compile(context.Background(), "$"+name+"("+call+")")
		if err != nil {
			return ""
		}
		_, err = e.Eval(context.Background(), expressions.NewScope(nil, nil))
		failed := (*expressions.EvalError)(nil)
		if !errors.As(err, &failed) {
			return ""
		}
		if reason != "" && reason != failed.Message {
			return ""
		}
		reason = failed.Message
	}
	return strings.TrimPrefix(reason, "$"+name+" ")
}

// emptyPicture reports a picture of a time without a component in brackets, which is written as it is.
func (in *inferrer) emptyPicture(s *site) {
	i := 1
	switch s.name {
	case "now":
		i = 0
	case "fromMillis", "toMillis":
	default:
		return
	}
	if i >= len(s.args) || !s.args[i].shape.isOne() || !s.args[i].shape.can(kindString) {
		return
	}
	picture := s.args[i].shape.get().strings[0]
	if strings.Contains(picture, "[") || !strings.ContainsAny(picture, "YyMmDdHhSs%") {
		return
	}
	in.report(s.place(i), CodeWrongArgument, fmt.Sprintf("the picture %s has no component in brackets, so that it is plain text", strconv.Quote(picture)), `write components in brackets, as in "[Y0001]-[M01]-[D01] [H01]:[m01]:[s01]"`)
}
