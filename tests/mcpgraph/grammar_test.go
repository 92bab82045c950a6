package mcpgraph

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

//go:embed testdata/grammar.txt
var grammarText string

// form is one way to write something, and another way by a rule.
type form struct {
	source    string
	rule      string // of docs/coming-from.md; empty for most
	otherwise string
}

// grammar is the forms of each kind.
var grammar = readGrammar(grammarText)

func readGrammar(text string) map[string][]form {
	all := map[string][]form{}
	kind := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		name, isKind := strings.CutSuffix(line, ":")
		other, isOther := strings.CutPrefix(line, "=> ")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case isKind && !strings.Contains(name, " "):
			kind = name
		case isOther:
			last := &all[kind][len(all[kind])-1]
			last.rule, last.otherwise, _ = strings.Cut(other, " ")
		default:
			all[kind] = append(all[kind], form{source: line})
		}
	}
	for _, forms := range all {
		for _, f := range forms {
			for _, hole := range holes.FindAllStringSubmatch(f.source, -1) {
				if all[hole[1]] == nil && all[strings.TrimSuffix(hole[1], "!")] == nil && hole[1] != "id" {
					panic(fmt.Sprintf("the grammar has no kind %q", hole[1]))
				}
			}
		}
	}
	return all
}

var holes = regexp.MustCompile(`<([a-z]+!?|[1-9])>`)

// term is a text with terms in it, and another text by a rule.
type term struct {
	source string // with holes
	fill   []*term
	json   bool // it is JSON, not JSONata

	rule      string
	otherwise string
}

func literal(text string) *term { return &term{source: text} }

// rules adds the names of all rules by which the term has another text.
func (t *term) rules(into map[string]bool) {
	if t.rule != "" {
		into[t.rule] = true
	}
	for _, inner := range t.fill {
		inner.rules(into)
	}
}

// reading is how a graph is written: in the other way where one of these rules has one.
type reading struct {
	rules []string
	all   string // an expression: the number of executions so far
}

// text is the term as it is written.
func (t *term) text(r reading) string {
	source := t.source
	if t.rule != "" && slices.Contains(r.rules, t.rule) {
		source = t.otherwise
	}
	next := 0
	filled := holes.ReplaceAllStringFunc(source, func(hole string) string {
		if hole == "<all>" {
			return r.all
		}
		at := next
		if hole[1] >= '1' && hole[1] <= '9' {
			at = int(hole[1] - '1')
		} else {
			next++
		}
		inner := t.fill[at]
		text := inner.text(r)
		if inner.json || source == hole || !strings.ContainsAny(text, " ~") || strings.Contains(source, "«"+hole+"»") {
			return text
		}
		return "(" + text + ")"
	})
	return quoted.ReplaceAllStringFunc(filled, func(text string) string {
		return quote(strings.TrimSuffix(strings.TrimPrefix(text, "«"), "»"))
	})
}

var quoted = regexp.MustCompile(`«[^«»]*»`)

// quote is text as a JSON string.
func quote(text string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(text); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// place is something in the context that a path can lead to.
type place struct{ path, kind string }

// maker makes random terms.
type maker struct {
	*rand.Rand
	places []place
	ids    []string
}

// one of the options.
func one[T any](m *maker, options ...T) T { return options[m.IntN(len(options))] }

// jsonKinds are the kinds that are JSON and not JSONata.
var jsonKinds = []string{"rule", "cond", "rnum", "rstr", "rany", "list", "body", "odd", "args", "oldargs", "data", "number"}

// term makes a term of a kind with at most so many levels of forms.
func (m *maker) term(kind string, depth int) *term {
	if kind == "id" {
		return literal(quote(one(m, m.ids...)))
	}
	inItem := strings.HasSuffix(kind, "!")
	if grammar[kind] == nil {
		kind = strings.TrimSuffix(kind, "!")
	}
	forms := grammar[kind]
	f := one(m, forms...)
	for tries := 0; depth <= 0 && holes.MatchString(f.source) && tries < 40; tries++ {
		f = one(m, forms...)
	}
	if f.source == "ref" {
		return literal(m.ref(kind, inItem))
	}
	t := &term{source: f.source, rule: f.rule, otherwise: f.otherwise, json: slices.Contains(jsonKinds, kind)}
	if inItem {
		t.source = strings.ReplaceAll(strings.ReplaceAll(t.source, "$.entry", "$$.entry"), "$$$.", "$$.")
	}
	for _, hole := range holes.FindAllStringSubmatch(f.source, -1) {
		inner := hole[1]
		if inItem && inner != "id" && !strings.HasSuffix(inner, "!") {
			inner += "!"
		}
		t.fill = append(t.fill, m.term(inner, depth-1))
	}
	return t
}

// ref is a path to something of the kind.
func (m *maker) ref(kind string, inItem bool) string {
	var fit []string
	for _, p := range m.places {
		if p.kind == kind {
			fit = append(fit, p.path)
		}
	}
	path := one(m, fit...)
	if inItem {
		return "$$." + path
	}
	return one(m, "$.", "$.", "$$.", "") + path
}
