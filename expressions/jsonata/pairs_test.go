package jsonata

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"toolgraph/expressions"
	"toolgraph/expressions/value"
)

// pair is an expression over one of the data, and what jsonata-js 2.2.2 makes of it.
type pair struct {
	Data  int             `json:"d"`
	Expr  string          `json:"e"`
	Value json.RawMessage `json:"v"`
	Kind  string          `json:"k"` // undefined or error CODE, when there is no value
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

// want is jsonata-js's answer; one with a code that is not JSONata's is only an error.
func (p *pair) want(t *testing.T) string {
	t.Helper()
	if p.Kind == "" {
		return mustEncode(t, mustDecode(t, string(p.Value)))
	}
	return p.Kind
}

func (p *pair) answer(scope *expressions.Scope, data value.Value) string {
	e, err := Compile(context.Background(), p.Expr)
	if err != nil {
		return "error"
	}
	v, err := e.EvalAt(context.Background(), scope, data)
	var eval *expressions.EvalError
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

// TestPairs holds that values of few items are those of jsonata-js: every pair, but
// for those that meantDifference knows. TOOLGRAPH_JSONATA_PAIRS names another file of
// pairs than the one of the repository.
func TestPairs(t *testing.T) {
	path := os.Getenv("TOOLGRAPH_JSONATA_PAIRS")
	if path == "" {
		path = filepath.Join("testdata", "pairs.jsonl")
	}
	data, all := pairs(t, path)
	scope := expressions.NewScope(nil, nil)
	equal, meant := 0, 0
	for i := range all {
		p := &all[i]
		got, want := p.answer(scope, data[p.Data]), p.want(t)
		switch {
		case got == want, isError(want) && isError(got):
			equal++
		case meantDifference(p, got, want):
			meant++
		default:
			t.Errorf("%s over data %d\n got %.300s\nwant %.300s", p.Expr, p.Data, got, want)
		}
	}
	t.Logf("%d of %d equal, %d differ as they are meant to", equal, len(all), meant)
	if len(all) < 100 || equal+meant < len(all) || meant > len(all)/50 {
		t.Errorf("%d pairs, %d equal, %d differ as meant", len(all), equal, meant)
	}
}

func isError(answer string) bool { return len(answer) >= 5 && answer[:5] == "error" }

// meantDifference reports whether docs/expressions.md lists the difference.
func meantDifference(_ *pair, got, _ string) bool {
	return got == "error D1001" // a result that is not a finite number
}
