package jsonlogic

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"toolgraph/expressions/value"
)

// The 5,000 cases of testdata/random.jsonl were made on node by a
// generator with a fixed seed: rules of every operator but log, with one to four
// levels, over 32 contexts of scalars, nested lists and objects, with texts and
// numbers that JavaScript converts in odd ways. The answers are json-logic-js
// 2.0.5's. The first line is the contexts, each other one
//
//	[context, rule, answer]  or  [context, rule, answer, toolgraphs, exception]
//
// where one of the documented exceptions makes another answer right here, found by
// json-logic-js with only that patched in:
//
//	equality    arrays and objects are equal when their contents are
//	codepoints  substr counts code points, not UTF-16 code units
//	paths       a name over a list is JSONata's: what every element has there
//	nothing     a var that finds nothing is undefined, as in mcpGraph, and not null
func TestL20RandomRulesAgreeWithJavaScript(t *testing.T) {
	src, err := os.ReadFile("testdata/random.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	first, rest, _ := bytes.Cut(src, []byte("\n"))
	contexts, err := value.Decode(first)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{"equality": true, "codepoints": true, "paths": true, "nothing": true}
	total, exceptions := 0, 0
	for line := range bytes.Lines(rest) {
		var c []json.RawMessage
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		want := c[2]
		if len(c) == 5 {
			var why string
			if err := json.Unmarshal(c[4], &why); err != nil || !known[why] {
				t.Errorf("%s: unknown exception %s", line, c[4])
			}
			want = c[3]
			exceptions++
		}
		total++
		var context int
		if err := json.Unmarshal(c[0], &context); err != nil {
			t.Fatal(err)
		}
		checkAnswer(t, c[1], contexts.([]any)[context], want)
	}
	if total != 5000 || exceptions > 250 {
		t.Errorf("%d cases, %d of them exceptions", total, exceptions)
	}
}

func checkAnswer(t *testing.T, source json.RawMessage, data value.Value, want json.RawMessage) {
	t.Helper()
	rule, err := Compile(t.Context(), parseRule(t, string(source)))
	if err != nil {
		t.Errorf("%s: %v", source, err)
		return
	}
	v, err := evalOverData(t, rule, data)
	if err != nil {
		t.Errorf("%s: %v", source, err)
		return
	}
	got, err := value.Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	if sortedJSON(t, got) != sortedJSON(t, want) {
		over, _ := value.Encode(data)
		t.Errorf("%s over %s: got %s, want %s", source, over, got, want)
	}
}
