package graphs

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

//go:embed testdata/grammar.txt
var grammarText string

// A hole is a place in a form that another form fills.
type hole struct {
	kind   string
	mode   string // where it is read; see grammar.txt
	quoted bool   // as a JSON string
}

// form is one way to write something: texts and holes by turns, a text first.
type form struct {
	texts []string
	holes []hole
}

var holes = regexp.MustCompile(`<(q\.)?([a-z]+)(?::([a-z]+))?>`)

// grammar is the forms of each kind.
var grammar = readGrammar(grammarText)

func readGrammar(text string) map[string][]form {
	all := map[string][]form{}
	kind := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch name, isKind := strings.CutSuffix(line, ":"); {
		case line == "" || strings.HasPrefix(line, "#"):
		case isKind && !strings.Contains(name, " "):
			kind = name
		default:
			all[kind] = append(all[kind], readForm(line))
		}
	}
	for _, forms := range all {
		for _, f := range forms {
			for _, h := range f.holes {
				if all[h.kind] == nil && h.kind != "ref" {
					panic(fmt.Sprintf("the grammar has no kind %q", h.kind))
				}
			}
		}
	}
	return all
}

func readForm(line string) form {
	var f form
	at := 0
	for _, m := range holes.FindAllStringSubmatchIndex(line, -1) {
		f.texts = append(f.texts, line[at:m[0]])
		h := hole{kind: line[m[4]:m[5]], quoted: m[2] >= 0}
		if m[6] >= 0 {
			h.mode = line[m[6]:m[7]]
		}
		f.holes = append(f.holes, h)
		at = m[1]
	}
	f.texts = append(f.texts, line[at:])
	return f
}

// term is a form with all its holes filled.
type term struct {
	texts []string // one more than terms
	terms []*term
	hole  hole // which it fills
}

func literalTerm(text string) *term { return &term{texts: []string{text}} }

// String is the term as it is written in a graph.
func (t *term) String() string {
	var b strings.Builder
	t.write(&b)
	return b.String()
}

func (t *term) write(b *strings.Builder) {
	for i, text := range t.texts {
		b.WriteString(text)
		if i == len(t.terms) {
			return
		}
		inner := t.terms[i]
		switch {
		case inner.hole.quoted:
			b.WriteString(quote(inner.String()))
		case inner.hole.isRule() || len(inner.terms) == 0 && !inner.isScalar(text, t.texts[i+1]) || t.encloses(i):
			inner.write(b)
		default:
			b.WriteByte('(')
			inner.write(b)
			b.WriteByte(')')
		}
	}
}

// isRule reports whether what fills the hole is JSON and not JSONata.
func (h hole) isRule() bool {
	return strings.HasPrefix(h.kind, "r") && h.kind != "ref" || h.kind == "data" || h.kind == "args"
}

// encloses reports whether the i-th term stands between commas or brackets, where it
// needs no parentheses.
func (t *term) encloses(i int) bool {
	before, after := strings.TrimSpace(t.texts[i]), strings.TrimSpace(t.texts[i+1])
	switch {
	case before == "" && after == "" && len(t.terms) == 1:
		return true
	case after == "":
		return false
	case before == "" && i == 0 && t.terms[i].isPath() && strings.ContainsAny(t.texts[1][:1], "[.^{#"):
		return true
	}
	return before != "" && strings.ContainsAny(before[len(before)-1:], "([{,:") && strings.ContainsAny(after[:1], ")]},")
}

// isScalar reports whether the term is a literal that could not stand between the texts:
// 1.name is no path.
func (t *term) isScalar(before, after string) bool {
	switch t.texts[0] {
	case "true", "false", "null":
	default:
		if !strings.ContainsAny(t.texts[0][:1], "-0123456789\"") {
			return false
		}
	}
	return strings.HasSuffix(before, ".") || after != "" && strings.ContainsAny(after[:1], ".[^{#@")
}

// isPath reports whether the term goes on from the term that it begins with.
func (t *term) isPath() bool {
	return t.texts[0] == "" && len(t.texts) > 1 && t.texts[1] != "" && strings.ContainsAny(t.texts[1][:1], "[.^")
}

// quote is text as a JSON string that YAML reads the same way.
func quote(text string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(text); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
