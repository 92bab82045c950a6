package jsonlogic

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"toolgraph/expressions/value"
)

// A var that yields nothing is JavaScript's undefined for every operator. The cases are made
// by testdata/undefined.mjs, which also says what the exceptions are.
func TestX11NothingIsUndefinedInRules(t *testing.T) {
	src, err := os.ReadFile("testdata/undefined.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for line := range bytes.Lines(src) {
		var c []json.RawMessage
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		want := c[1]
		if len(c) == 4 {
			want = c[2]
		}
		checkAnswer(t, c[0], value.NewObject(nil, nil), want)
		var rule map[string]any
		if json.Unmarshal(c[0], &rule) == nil {
			for op := range rule {
				seen[op] = true
			}
		}
	}
	for op := range ruleOperators {
		if !seen[op] {
			t.Errorf("no case for operator %q", op)
		}
	}
}
