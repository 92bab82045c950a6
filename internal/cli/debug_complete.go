package cli

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/debugger/debug"
	"toolgraph/internal/program"
)

const (
	mostWords    = 200             // candidates that are offered
	mostEdited   = 500             // bytes of an output that edit offers to change
	completeTime = 2 * time.Second // that the value before a dot may take
)

// complete returns what the word before the cursor can become. It runs while the run is paused and
// a command is edited.
func (r *repl) complete(line string, at int) (head string, candidates []string, tail string) {
	runes := []rune(line)
	before, tail := string(runes[:at]), string(runes[at:])
	trimmed := strings.TrimLeft(before, " ")
	name, rest, hasName := strings.Cut(trimmed, " ")
	from := len(before) - len(rest)
	if !hasName {
		from, rest = len(before)-len(trimmed), trimmed
		_, candidates = commandWords(r, rest)
	} else if c, err := findCommand(name); err == nil && c.words != nil {
		var skip int
		skip, candidates = c.words(r, rest)
		from, rest = from+skip, rest[skip:]
	}
	offered := candidates[:0:0]
	for _, word := range candidates {
		if strings.HasPrefix(word, rest) && wording.OneLine(word) == word && r.secrets.Redact(word) == word && len(offered) < mostWords {
			offered = append(offered, word)
		}
	}
	return before[:from], offered, tail
}

func commandWords(*repl, string) (from int, words []string) {
	for _, c := range debugCommands {
		word := c.name
		if c.args != "" {
			word += " "
		}
		words = append(words, word)
	}
	return 0, words
}

func placeWords(r *repl, _ string) (from int, words []string) { return 0, debug.NamesOf(r.graph) }

// breakWords offers places, and after a place its condition.
func breakWords(r *repl, text string) (from int, words []string) {
	const then = " if "
	if i := strings.Index(text, then); i >= 0 {
		from, words = exprWords(r, text[i+len(then):])
		return i + len(then) + from, words
	}
	if i := strings.IndexByte(text, ' '); i >= 0 {
		return i + 1, []string{"if "}
	}
	return placeWords(r, text)
}

// setWords offers the places of breakpoints.
func setWords(r *repl, _ string) (from int, words []string) {
	for _, b := range r.session.Breakpoints() {
		words = append(words, b.Node)
	}
	slices.Sort(words)
	return 0, slices.Compact(words)
}

func watchedWords(r *repl, _ string) (from int, words []string) { return 0, r.watched }

// addressWords offers the steps that have begun.
func addressWords(r *repl, text string) (from int, words []string) {
	seen := map[string]bool{}
	for _, rec := range r.session.Records(0) {
		if at := string(rec.At()); strings.HasPrefix(at, text) && !seen[at] {
			seen[at], words = true, append(words, at)
		}
	}
	return 0, words
}

// pausedWords offers the parts that are paused, when there are several.
func pausedWords(r *repl, text string) (from int, words []string) {
	held := r.session.State().Held
	for _, h := range held {
		if at := string(h.Visit.At()); len(held) > 1 && strings.HasPrefix(at, text) {
			words = append(words, at)
		}
	}
	return 0, words
}

// editWords offers the nodes that have an output, and then the output.
func editWords(r *repl, text string) (from int, words []string) {
	node, typed, hasNode := strings.Cut(text, " ")
	outputs, err := r.session.Context("")
	if err != nil {
		return 0, nil
	}
	if !hasNode {
		for _, id := range slices.Sorted(maps.Keys(outputs)) {
			words = append(words, id+" ")
		}
		return 0, words
	}
	words = []string{nothing}
	if v, has := outputs[node]; has && v != nil {
		src, err := value.Encode(v)
		if shown := r.secrets.RedactJSON(src); err == nil && len(src) <= mostEdited && string(shown) == string(src) {
			words = append(words, string(program.Escaped(json.RawMessage(src))))
		}
	}
	return len(text) - len(typed), words
}

// path is the end of an expression that reads a value step by step: $.read.files, $item.`a b`.
var path = wording.Pattern("\\$[A-Za-z0-9_]*(\\.([A-Za-z0-9_]+|`[^`]*`))*\\.?(`[^`]*|[A-Za-z0-9_]*)$")

// barePath is the end of an expression of steps that reads a value by its name: rows.text.
var barePath = wording.Pattern("(?:^|[^A-Za-z0-9_.$`\"'])([A-Za-z_][A-Za-z0-9_]*(?:\\.(?:[A-Za-z0-9_]+|`[^`]*`))*\\.?(?:`[^`]*|[A-Za-z0-9_]*))$")

// bareField is a field that needs no quotes in an expression.
var bareField = wording.Pattern(`^[A-Za-z_][A-Za-z0-9_]*$`)

// exprWords offers what can follow in an expression: variables and functions after $, the nodes of
// the context after $., and the fields of a value after a path to it.
func exprWords(r *repl, text string) (from int, words []string) {
	if every := "--all "; text != "" && strings.HasPrefix(every, text) {
		return 0, []string{every}
	}
	found, above := path().FindString(text), r.above()
	if bare := barePath().FindStringSubmatch(text); found == "" && above != nil && bare != nil {
		found = bare[1]
	}
	from = len(text) - len(found)
	dot := lastDot(found)
	if found == "" || dot < 0 {
		words = append([]string{"$."}, above...)
		if above == nil {
			words = append(words, "$"+expressions.VarItem, "$"+expressions.VarIndex)
		}
		for _, name := range jsonata.Functions() {
			words = append(words, "$"+name+"(")
		}
		return from, words
	}
	if found[:dot] == "$" {
		outputs, err := r.session.Context(r.looked)
		if err != nil {
			return from, nil
		}
		return from + dot + 1, quotedNames(slices.Sorted(maps.Keys(outputs)))
	}
	ctx, cancel := context.WithTimeout(context.Background(), completeTime)
	defer cancel()
	v, err := r.session.Evaluate(ctx, found[:dot], r.looked)
	if err != nil {
		return from, nil
	}
	return from + dot + 1, quotedNames(fieldsOf(v))
}

// above returns the names that expressions of the step that is looked at read: args, steps, variables; nil for a node.
func (r *repl) above() []string {
	ctx, cancel := context.WithTimeout(context.Background(), completeTime)
	defer cancel()
	seen, err := r.session.History().StepContext(ctx, r.graph, r.at())
	if object, ofSteps := seen.(value.Object); err == nil && ofSteps {
		return object.Keys()
	}
	return nil
}

// lastDot returns where the last dot is that is not within quotes, or -1.
func lastDot(path string) int {
	dot, quoted := -1, false
	for i, c := range path {
		switch {
		case c == '`':
			quoted = !quoted
		case c == '.' && !quoted:
			dot = i
		}
	}
	return dot
}

// fieldsOf returns the fields of an object, or of the objects of a list, in order.
func fieldsOf(v value.Value) (fields []string) {
	switch v := v.(type) {
	case value.Object:
		return v.Keys()
	case []any:
		const looked = 20
		for _, item := range v[:min(len(v), looked)] {
			if o, is := item.(value.Object); is {
				fields = append(fields, o.Keys()...)
			}
		}
		slices.Sort(fields)
		fields = slices.Compact(fields)
	}
	return fields
}

// quotedNames writes fields as expressions do.
func quotedNames(fields []string) (words []string) {
	for _, name := range fields {
		switch {
		case bareField().MatchString(name):
			words = append(words, name)
		case !strings.Contains(name, "`"):
			words = append(words, "`"+name+"`")
		}
	}
	return words
}
