package jsonata

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"toolgraph/expressions/value"
)

// pair is an expression over one of the data, and what jsonata-js 2.2.2 makes of it.
type pair struct {
	Data  int             `json:"d"`
	Expr  string          `json:"e"`
	Value json.RawMessage `json:"v"`
	Kind  string          `json:"k"` // undefined or error CODE, when there is no value
	// The same when partial calls are written with all arguments, where that gives another answer.
	Full     json.RawMessage `json:"v2"`
	FullKind string          `json:"k2"`
}

// pairs reads a file that testdata/pairs.mjs has made.
func pairs(t *testing.T, path string) ([]value.Value, []pair) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20)
	var data []value.Value
	var all []pair
	for lines.Scan() {
		if data == nil {
			data = mustDecode(t, lines.Text()).([]any)
			continue
		}
		var p pair
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return data, all
}

// wants are jsonata-js's answers; one with a code that is not JSONata's is only an error.
func (p *pair) wants(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, one := range []struct {
		value json.RawMessage
		kind  string
	}{{p.Value, p.Kind}, {p.Full, p.FullKind}} {
		switch {
		case one.kind != "":
			all = append(all, one.kind)
		case one.value != nil:
			all = append(all, mustEncode(t, mustDecode(t, string(one.value))))
		}
	}
	return all
}

func (p *pair) answer(scope *Scope, data value.Value) string {
	e, err := Compile(context.Background(), p.Expr)
	if err != nil {
		return "error"
	}
	v, err := e.EvalAt(context.Background(), scope, data)
	var eval *Error
	if errors.As(err, &eval) {
		return "error " + eval.Code
	}
	if v == nil {
		return "undefined"
	}
	text, err := value.Encode(v)
	if err != nil {
		return "error"
	}
	return string(text)
}

// TestPairs holds that the values of random expressions are those of jsonata-js: every pair, but
// for those that differenceOf knows. TOOLGRAPH_JSONATA_PAIRS names another file of
// pairs than those of the repository.
func TestPairs(t *testing.T) {
	paths := []string{filepath.Join("testdata", "pairs.jsonl"), filepath.Join("testdata", "pairs_rare.jsonl")}
	if path := os.Getenv("TOOLGRAPH_JSONATA_PAIRS"); path != "" {
		paths = []string{path}
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) { comparePairs(t, path) })
	}
}

func comparePairs(t *testing.T, path string) {
	t.Helper()
	data, all := pairs(t, path)
	scope := NewScope(nil, nil)
	equal, meant := 0, map[string]int{}
	for i := range all {
		p := &all[i]
		got, wants := p.answer(scope, data[p.Data]), p.wants(t)
		kind := differenceOf(p, got, wants)
		switch kind {
		case "":
			equal++
		case "unknown":
			t.Errorf("%s over data %d\n got %.300s\nwant %.300s", p.Expr, p.Data, got, strings.Join(wants, "\n  or "))
			fallthrough
		default:
			meant[kind]++
		}
	}
	t.Logf("%d of %d equal (%.2f %%); the others: %v", equal, len(all), 100*float64(equal)/float64(len(all)), meant)
	if len(all) < 100 || equal < len(all)*97/100 {
		t.Errorf("%d pairs, %d equal", len(all), equal)
	}
}

func isError(answer string) bool { return strings.HasPrefix(answer, "error") }

// differenceOf returns the kind of a difference as docs/expressions.md lists it, unknown for one
// that is not listed, or "" when the answers are equal.
func differenceOf(p *pair, got string, wants []string) string {
	for i, want := range wants {
		switch {
		case got != want && (!isError(want) || !isError(got)):
		case i == 0:
			return ""
		default:
			return "partial"
		}
	}
	for _, want := range wants {
		switch {
		case got == "error D1001", got == "error D3001" && strings.Contains(want, "Infinity"):
			return "not-finite"
		case strings.Contains(p.Expr, "$power") && rounded(got) == rounded(want):
			return "power"
		case sameCharacters(got, want) && integerKey.MatchString(got):
			return "integer-keys"
		case strings.Contains(want, "\uFFFD") && !strings.Contains(got, "\uFFFD"):
			return "characters" // half a character
		case matchIndex.MatchString(got) && matchIndex.ReplaceAllString(got, "") == matchIndex.ReplaceAllString(want, ""):
			return "characters" // an index in UTF-16 units
		case sortedWithVariable.MatchString(p.Expr):
			return "sorted-records" // jsonata-js takes its own records for the items
		}
	}
	return "unknown"
}

var (
	integerKey = regexp.MustCompile(`"(0|[1-9][0-9]{0,8})\\?"`)
	// sortedWithVariable is a sort of a path with variables that a predicate or a group follows.
	sortedWithVariable = regexp.MustCompile(`[#@]\$\w+(\[\])?\^\([^()]*(\([^()]*\)[^()]*)*\)[\[{]`)

	matchIndex = regexp.MustCompile(`"index":[0-9]+`)
)

// sameCharacters reports whether two texts differ in the order of their bytes only.
func sameCharacters(a, b string) bool {
	x, y := []byte(a), []byte(b)
	slices.Sort(x)
	slices.Sort(y)
	return bytes.Equal(x, y)
}

var numbersOfText = regexp.MustCompile(`-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?`)

// rounded is the text with 14 digits of each number.
func rounded(text string) string {
	return numbersOfText.ReplaceAllStringFunc(text, func(digits string) string {
		f, _ := strconv.ParseFloat(digits, 64)
		return strconv.FormatFloat(f, 'g', 14, 64)
	})
}
