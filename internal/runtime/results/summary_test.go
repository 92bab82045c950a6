package results

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"
)

// A summary has at most 2,000 characters, and few enough bytes as JSON for an answer of 4 KB,
// whatever the value is; and the expression that it suggests can be evaluated.
func TestSummary(t *testing.T) {
	deep := strings.Repeat(`{"a":[`, 400) + `1` + strings.Repeat(`]}`, 400)
	keys := make([]string, 5000)
	for i := range keys {
		keys[i] = fmt.Sprintf(`"key%d \" \\ 😀":"%s"`, i, strings.Repeat(`\"`, i%50))
	}
	for _, src := range []string{
		`{"items":[{"id":1,"tags":["a"]},{"id":"x"}],"total":2}`, `[1,"a",null,{"b":[]}]`, `[]`, `{}`, `{"a":{}}`, `{"a":[]}`,
		`"` + strings.Repeat(`😀`, 9000) + `"`, `"` + strings.Repeat(`\u0001`, 9000) + `"`, `"` + strings.Repeat(`\"`, 9000) + `"`,
		`{"` + strings.Repeat("k", 9000) + `":1}`, "{\"a`b\":[1]}", `{"and":[1]}`, `{"x y":"text"}`, `{"":[1]}`, `{"1":[1]}`, `{"$a":[1]}`,
		"{" + strings.Join(keys, ",") + "}", deep, `123456789012345678901234567890`, `true`, `null`,
		`[{"type":"image","data":"aGk=","mimeType":"image/png"}]`,
	} {
		v, err := value.Decode([]byte(src))
		if err != nil {
			t.Fatal(err)
		}
		for _, typed := range []bool{false, true} {
			s := summary{Result: Result{Run: "R", Tool: strings.Repeat("t\"", 50), Bytes: len(src), Typed: typed}, limit: 10, uri: uriOf("R")}
			text := s.text(v)
			if runes, size := utf8.RuneCountInString(text), value.Size(text); runes > 2000 || size > mostBytes+2 || !utf8.ValidString(text) {
				t.Errorf("%.60s: %d characters, %d bytes: %s", src, runes, size, text)
			}
			if !strings.Contains(text, ToolName) || !strings.Contains(text, uriOf("R")) || typed != strings.HasPrefix(text, "limit: ") {
				t.Errorf("%.60s: %s", src, text)
			}
		}
		path := describe(v).path
		expr, err := jsonata.Compile(t.Context(), path)
		if err != nil {
			t.Errorf("%.60s: %s does not compile: %v", src, path, err)
			continue
		}
		if _, err := expr.EvalAt(t.Context(), expressions.NewScope(map[string]any{}, nil), v); err != nil {
			t.Errorf("%.60s: %s: %v", src, path, err)
		}
	}
}

func TestSummaryText(t *testing.T) {
	for src, want := range map[string]string{
		`{"total":2,"items":[{"id":1,"tags":["a"]},{"id":2,"tags":[]}]}`: "The result is an object with 2 keys:\n- total: number\n" +
			"- items: array of 2 items, each {id: number, tags: array of string}\n" + `The first item of items: {"id":1,"tags":["a"]}`,
		`[{"a":true}]`:            "The result is an array of 1 item, each {a: boolean}.\n" + `The first item: {"a":true}`,
		`"a\nb"`:                  `The result is a string of 3 characters. It begins: "a\nb"`,
		`{"text":"abc","n":1}`:    "The result is an object with 2 keys:\n- text: string of 3 characters\n- n: number\n" + `text begins: "abc"`,
		`{"inner":{"a":{"b":1}}}`: "The result is an object with 1 key:\n- inner: object with 1 key, {a: {b: number}}\n" + `inner: {"a":{"b":1}}`,
	} {
		v, err := value.Decode([]byte(src))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(describe(v).lines, "\n"); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", src, got, want)
		}
	}
}
