package importer

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"toolgraph/config"
	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
)

// origins decides for each value of a trace's arguments where it comes from: an earlier result, an
// argument of the tool, or the file itself.
type origins struct {
	*draft
	index   *index
	secrets *secrets
	ids     map[*call]string       // the node of each call
	results map[string]value.Value // by node, to try expressions
	asked   int                    // the moment of the call whose arguments are decided

	inputs  []*input
	byValue map[uint64]*input
	entry   *value.Map // their values by name
	names   names
}

// input is an argument of the tool.
type input struct {
	name   string
	value  value.Value
	secret bool
}

// args returns the arguments of a call as a graph file has them.
func (o *origins) args(c *call) *config.Data {
	o.asked = c.asked
	data := config.NewObject()
	object, _ := value.ObjectOf(c.args)
	for _, key := range object.Keys() {
		v, _ := object.Get(key)
		data.Set(key, o.origin(v, key))
	}
	return data
}

// origin returns a value of the arguments, name is the key that it is under.
func (o *origins) origin(v value.Value, name string) *config.Data {
	if isTrivial(v) && !hasExpr(v) {
		return dataOf(v)
	}
	if in := o.byValue[o.index.mark(v)]; in != nil {
		return config.NewExpression(pathText("entry", in.name))
	}
	places := o.index.of(v, o.asked)
	switch calls := callsOf(places); {
	case len(calls) == 1:
		for _, p := range places {
			if source := o.source(p); source != "" && o.gives(source, v) {
				data := config.NewExpression(source)
				if len(places) > 1 {
					o.note(data, "The same value is also at %s.", o.list(places, p))
				}
				return data
			}
		}
	case len(calls) > 1 && !o.secrets.has(v) && !hasExpr(v):
		data := dataOf(v)
		o.note(data, "TODO: a value of the trace; it was in several earlier results: %s.\nWrite {expr: …} with the right one, or keep it.", o.list(places, place{}))
		return data
	}
	if parts := o.parts(v, name); parts != nil {
		return parts
	}
	return o.input(v, name, places)
}

// parts returns a value that has others in it; nil when it is one of its own.
func (o *origins) parts(v value.Value, name string) *config.Data {
	if text, isText := v.(string); isText {
		return o.joined(text)
	}
	if hasExpr(v) || !o.isMixed(v) {
		return nil
	}
	if list, isList := v.([]any); isList {
		data := config.NewList()
		for _, item := range list {
			data.Items = append(data.Items, o.origin(item, name))
		}
		return data
	}
	object, _ := value.ObjectOf(v)
	data := config.NewObject()
	for _, key := range object.Keys() {
		member, _ := object.Get(key)
		data.Set(key, o.origin(member, key))
	}
	return data
}

// isMixed reports whether the parts of a value have origins of their own: those of an object do,
// those of a list when one was in an earlier result.
func (o *origins) isMixed(v value.Value) bool {
	list, isList := v.([]any)
	if !isList {
		_, isObject := value.ObjectOf(v)
		return isObject
	}
	return slices.ContainsFunc(list, o.isKnown)
}

// isKnown reports whether a part of the value was known before the call.
func (o *origins) isKnown(v value.Value) bool {
	if isTrivial(v) {
		return false
	}
	if o.byValue[o.index.mark(v)] != nil || len(o.index.of(v, o.asked)) > 0 {
		return true
	}
	switch v := v.(type) {
	case string:
		return o.joined(v) != nil
	case []any:
		return slices.ContainsFunc(v, o.isKnown)
	}
	object, isObject := value.ObjectOf(v)
	if !isObject {
		return false
	}
	return slices.ContainsFunc(object.Keys(), func(key string) bool {
		member, _ := object.Get(key)
		return o.isKnown(member)
	})
}

// hasExpr reports whether an object of the value has the key expr, with which the graph language
// marks an expression, so that it cannot be written as it is.
func hasExpr(v value.Value) bool {
	if list, isList := v.([]any); isList {
		return slices.ContainsFunc(list, hasExpr)
	}
	object, isObject := value.ObjectOf(v)
	return isObject && slices.ContainsFunc(object.Keys(), func(key string) bool {
		member, _ := object.Get(key)
		return key == "expr" || hasExpr(member)
	})
}

// input returns a value that was in no earlier result as an argument of the tool.
func (o *origins) input(v value.Value, name string, places []place) *config.Data {
	in := &input{name: o.names.unique(identifier(name, "value")), value: v, secret: o.secrets.has(v)}
	o.inputs = append(o.inputs, in)
	o.byValue[o.index.mark(v)] = in
	o.entry.Set(in.name, v)
	data := config.NewExpression(pathText("entry", in.name))
	if len(places) > 0 {
		o.note(data, "TODO: the value was in earlier results: %s.\nIt is an argument of the tool, because it cannot be written here.", o.list(places, place{}))
	}
	return data
}

// joined returns a text as an expression that joins values of earlier results, each in one result
// only, arguments of the tool, and the texts between them; nil when no result is in it.
func (o *origins) joined(text string) *config.Data {
	var found parts
	places := o.index.partsOf(text, o.asked)
	slices.SortStableFunc(places, func(a, b place) int {
		return cmp.Compare(len(plainText(b.value)), len(plainText(a.value)))
	})
	for _, p := range places {
		word := plainText(p.value)
		if !slices.ContainsFunc(places, func(q place) bool { return q.call != p.call && plainText(q.value) == word }) {
			found = found.add(text, word, o.source(p))
		}
	}
	if len(found) == 0 {
		return nil
	}
	for _, in := range o.inputs {
		if word := plainText(in.value); len(word) >= leastPart {
			found = found.add(text, word, pathText("entry", in.name))
		}
	}
	slices.SortFunc(found, func(a, b part) int { return cmp.Compare(a.from, b.from) })
	var terms []string
	end := 0
	for _, p := range append(found, part{from: len(text)}) {
		if between := text[end:p.from]; between != "" {
			if o.secrets.has(between) {
				return nil
			}
			terms = append(terms, quoted(between))
		}
		if end = p.to; p.source != "" {
			terms = append(terms, p.source)
		}
	}
	source := strings.Join(terms, " & ")
	if !o.gives(source, text) {
		return nil
	}
	return config.NewExpression(source)
}

// part is a part of a text, and the expression that gives it.
type part struct {
	from, to int
	source   string
}

type parts []part

// add adds the places of a word in a text that no part has yet.
func (ps parts) add(text, word, source string) parts {
	for at := range wholeWords(text, word) {
		if !slices.ContainsFunc(ps, func(q part) bool { return at < q.to && q.from < at+len(word) }) {
			ps = append(ps, part{at, at + len(word), source})
		}
	}
	return ps
}

// wholeWords yields the places of a word in a text where no letter or digit continues it.
func wholeWords(text, word string) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for from := 0; ; {
			next := strings.Index(text[from:], word)
			if next < 0 {
				return
			}
			at := from + next
			from = at + len(word)
			before, after := text[:at], text[at+len(word):]
			if endsWord(before) && startsWord(word) || startsWord(after) && endsWord(word) {
				continue
			}
			if !yield(at) {
				return
			}
		}
	}
}

func startsWord(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLetter(r) || unicode.IsNumber(r)
}

func endsWord(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(text)
	return unicode.IsLetter(r) || unicode.IsNumber(r)
}

// callsOf returns the calls in whose results the places are.
func callsOf(places []place) []*call {
	var calls []*call
	for _, p := range places {
		if !slices.Contains(calls, p.call) {
			calls = append(calls, p.call)
		}
	}
	return calls
}

// list lists the expressions of places but for one.
func (o *origins) list(places []place, but place) string {
	var words []string
	for _, p := range places {
		if p.call == but.call && slices.Equal(p.steps, but.steps) {
			continue
		}
		words = append(words, cmp.Or(o.source(p), o.ids[p.call]))
	}
	return wording.List(words)
}

// source returns the expression that reads a place.
func (o *origins) source(p place) string { return pathText(o.ids[p.call], p.steps...) }

// gives reports whether an expression over the results has the value.
func (o *origins) gives(source string, want value.Value) bool {
	e, err := jsonata.Compile(context.Background(), source)
	if err != nil {
		return false
	}
	v, err := e.Eval(context.Background(), expressions.NewScope(o.results, nil))
	return err == nil && o.index.mark(v) == o.index.mark(want)
}

var plainName = wording.Pattern(`^[A-Za-z_][A-Za-z0-9_]*$`)

// pathText returns the expression that reads a place in the output of a node; empty when there is
// none.
func pathText(node string, steps ...any) string {
	path := "$"
	wasIndex := false
	for _, step := range append([]any{node}, steps...) {
		switch step := step.(type) {
		case int:
			if wasIndex { // the second of two filters is one of what the first has found
				path = "(" + path + ")"
			}
			path += "[" + strconv.Itoa(step) + "]"
			wasIndex = true
			continue
		case string:
			switch {
			case plainName().MatchString(step) && !reserved[step]:
				path += "." + step
			case strings.ContainsAny(step, "`\n") || step == "":
				path = fmt.Sprintf("$lookup(%s, %s)", path, quoted(step))
			default:
				path += ".`" + step + "`"
			}
		}
		wasIndex = false
	}
	return path
}

// quoted returns a text as JSONata writes it.
func quoted(text string) string { return string(value.AppendString(nil, text)) }
