package expressions

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// differentialCase is an expression and what jsonata-js 2.2.2 makes of it.
type differentialCase struct {
	line  int
	Expr  string          `json:"expr"`
	Kind  string          `json:"kind"`
	Value json.RawMessage `json:"value"`
	Code  string          `json:"code"`
}

// differentialCases are the cases and the context that all of them are over. The
// file is no part of the repository; the test is skipped without it.
func differentialCases(t *testing.T) ([]differentialCase, Value) {
	t.Helper()
	path := filepath.Join("..", "..", "shared", "data", "jsonata-differential.jsonl")
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		t.Skipf("%s is absent: it comes with the work place, not with the repository", path)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20)
	var cases []differentialCase
	var data Value
	for n := 1; lines.Scan(); n++ {
		if n == 1 {
			var head struct{ Doc json.RawMessage }
			if err := json.Unmarshal(lines.Bytes(), &head); err != nil {
				t.Fatal(err)
			}
			data = mustDecode(t, string(head.Doc))
			continue
		}
		c := differentialCase{line: n}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, c)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return cases, data
}

// answer is what we make of the case, in the words of want.
func (c *differentialCase) answer(scope *Scope, data Value) string {
	e, err := CompileJSONata(context.Background(), c.Expr)
	if err != nil {
		return "error"
	}
	value, err := e.evalOver(context.Background(), scope, data)
	if err != nil {
		return "error"
	}
	if value == nil {
		return "undefined"
	}
	text, err := Encode(value)
	if err != nil {
		return "error"
	}
	return string(text)
}

// want is jsonata-js's answer; a number that is not finite is null there.
func (c *differentialCase) want(t *testing.T) string {
	t.Helper()
	if c.Kind != "value" {
		return c.Kind
	}
	return mustEncode(t, mustDecode(t, string(c.Value)))
}

// differentialKnown reads the list of cases that are known to differ: line, tab,
// cause.
func differentialKnown(t *testing.T) map[int]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "jsonata", "differential.txt"))
	if err != nil {
		t.Fatal(err)
	}
	known := map[int]string{}
	for row := range strings.Lines(string(text)) {
		number, cause, ok := strings.Cut(strings.TrimSpace(row), "\t")
		line, err := strconv.Atoi(number)
		if !ok || err != nil {
			continue
		}
		known[line] = cause
	}
	return known
}

func TestDifferential(t *testing.T) {
	cases, data := differentialCases(t)
	known := differentialKnown(t)
	scope := NewScope(nil, nil)
	equal, silent := 0, 0
	for i := range cases {
		c := &cases[i]
		got, want := c.answer(scope, data), c.want(t)
		if got == want {
			equal++
			if cause, ok := known[c.line]; ok {
				t.Errorf("line %d agrees now and need not be listed (%s)", c.line, cause)
			}
			continue
		}
		if got != "error" {
			silent++
		}
		if _, ok := known[c.line]; !ok {
			t.Errorf("line %d: %s\n got %.300s\nwant %.300s", c.line, c.Expr, got, want)
		}
	}
	share := 100 * float64(equal) / float64(len(cases))
	t.Logf("%d of %d agree (%.2f %%), %d differ silently", equal, len(cases), share, silent)
	if share < 98.8 {
		t.Errorf("%.2f %% agree, want 98.8 %%", share)
	}
}
