package completion

import (
	"cmp"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/expressions/jsonata"
)

// tried is how many candidates of each place are inserted; others are in other places. With TOOLGRAPH_ALL=1
// all are.
const tried = 2

// some returns candidates of a list: others each time.
func some(list []Candidate, turn *int) []Candidate {
	if os.Getenv("TOOLGRAPH_ALL") == "1" || len(list) <= tried {
		return list
	}
	var out []Candidate
	for range tried {
		*turn = (*turn*31 + 7) % 10007
		out = append(out, list[*turn%len(list)])
	}
	return out
}

// parses reports whether a text is YAML.
func parses(text string) bool {
	var found config.Diagnostics
	if _, err := config.ParseData("graph.yaml", []byte(text)); !errors.As(err, &found) {
		return err == nil
	}
	for _, d := range found {
		if d.Code == "yaml-syntax" {
			return false
		}
	}
	return true
}

// insertions returns the texts that candidates make of a text in which a piece is replaced by the cursor.
func insertions(t *testing.T, e example, from, to int, turn *int, each func(c Candidate, text string)) {
	t.Helper()
	src := e.src[:from] + e.src[to:]
	list := At(t.Context(), src, from, e.known)
	for _, c := range some(list.Candidates, turn) {
		each(c, src[:list.From]+cmp.Or(c.Insert, c.Label)+src[from:])
		if c.Snippet != "" {
			each(c, src[:list.From]+indented(src, list.From, c.Snippet)+src[from:])
		}
	}
}

// indented is a snippet as an editor inserts it, with each stop as it begins.
func indented(src string, from int, snippet string) string {
	line := src[strings.LastIndexByte(src[:from], '\n')+1 : from]
	return strings.ReplaceAll(withoutStops(snippet), "\n", "\n"+line[:len(line)-len(strings.TrimLeft(line, " "))])
}

var (
	blockValue = regexp.MustCompile(`(?m)^( *(?:- )?[\w.]+: )([\w$./][^#\n{}\[\]]*)$`)
	flowValue  = regexp.MustCompile(`([{,] ?\w+: )([\w$./]+)[,}]`)
	anyLine    = regexp.MustCompile(`(?m)^ *[^ #\n][^\n]*\n`)
)

// Each candidate that is inserted in place of a value, or in a line of its own, leaves the file YAML.
func TestInsertedParses(t *testing.T) {
	turn, places := 1, 0
	for _, e := range examplesOf(t) {
		t.Run(e.name, func(t *testing.T) {
			for _, pattern := range []*regexp.Regexp{blockValue, flowValue} {
				for _, at := range pattern.FindAllStringSubmatchIndex(e.src, -1) {
					if !parses(e.src[:at[4]] + "x" + e.src[at[5]:]) {
						continue // in a block of text
					}
					places++
					insertions(t, e, at[4], at[5], &turn, func(c Candidate, text string) {
						if !parses(text) {
							t.Errorf("%q in place of %q: %q", c.Label, e.src[at[0]:at[1]], c.Insert)
						}
					})
				}
			}
			for _, at := range anyLine.FindAllStringIndex(e.src, -1) {
				line := e.src[at[0]:at[1]]
				indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
				before, after := e.src[:at[1]]+indent, "\n"+e.src[at[1]:]
				if turn++; os.Getenv("TOOLGRAPH_ALL") == "" && turn%3 > 0 || !parses(before+"x-new:"+after) && !parses(before+"- 1"+after) {
					continue
				}
				places++
				in := example{e.name, before + after, e.known}
				insertions(t, in, len(before), len(before), &turn, func(c Candidate, text string) {
					if !parses(text) {
						t.Errorf("%q in a line behind %q:\n%s", c.Label, line, text[len(before)-len(indent)-len(line):min(len(text), len(before)+200)])
					}
				})
			}
		})
	}
	if places < 300 {
		t.Errorf("only %d places", places)
	}
}

var word = regexp.MustCompile(`\$?[A-Za-z_]\w*`)

// Each field, node, variable or function that takes the place of one of the same kind leaves an expression
// that compiles.
func TestInsertedCompiles(t *testing.T) {
	turn, count := 1, 0
	expression := regexp.MustCompile(`(?:expr|each|until|return): ([$a-z][^\n"'|{},#]*)`)
	for _, e := range examplesOf(t) {
		for _, in := range expression.FindAllStringSubmatchIndex(e.src, -1) {
			source := e.src[in[2]:in[3]]
			if _, err := jsonata.Compile(t.Context(), source); err != nil {
				continue // it goes on in the next line
			}
			for _, at := range word.FindAllStringIndex(source, -1) {
				isFunction := strings.HasPrefix(source[at[1]:], "(")
				insertions(t, e, in[2]+at[0], in[2]+at[1], &turn, func(c Candidate, text string) {
					if (c.Kind == "function") != isFunction {
						return
					}
					count++
					got := text[in[2] : len(text)-(len(e.src)-in[3])]
					if _, err := jsonata.Compile(t.Context(), got); err != nil {
						t.Errorf("%s: %s became %s: %v", e.name, source, got, err)
					}
				})
			}
		}
	}
	if count < 50 {
		t.Errorf("only %d insertions", count)
	}
}
