package runtime

import (
	"fmt"
	"strings"
	"testing"

	"toolgraph/expressions/value"
)

// The form of answers is that of one subject's runs: another subject sees nothing of it.
func TestSeenFormsBelongToTheirSubject(t *testing.T) {
	t.Parallel()
	var s seenForms
	answer, err := value.Decode([]byte(`{"secretName": 1}`))
	if err != nil {
		t.Fatal(err)
	}
	for run := range 2 {
		s.add(seenKey{"one", "up", "tool"}, fmt.Sprint(run), answer)
	}
	s.add(seenKey{"other", "up", "tool"}, "3", answer)
	if got := string(s.schema(seenKey{"one", "up", "tool"})); !strings.Contains(got, "secretName") {
		t.Errorf("its own: %s", got)
	}
	for _, other := range []string{"other", "", "two"} {
		if got := s.schema(seenKey{other, "up", "tool"}); got != nil {
			t.Errorf("%q sees %s", other, got)
		}
	}
}

// What an answer can add is bounded: names that are data, long names, depth and size.
func TestSeenFormsAreBounded(t *testing.T) {
	t.Parallel()
	var names []string
	for i := range 3000 {
		names = append(names, fmt.Sprintf(`"n%d": {"a": {"b": {"c": {"d": {"e": [%d]}}}}}`, i, i))
	}
	long := strings.Repeat("x", longestName+1)
	for text, want := range map[string]string{
		"{" + strings.Join(names, ", ") + "}":       `{"type":["object"]}`,
		`{"` + long + `": 1, "short": 1}`:           `{"type":["object"],"properties":{"short":{"type":["integer"]}},"required":["short"]}`,
		`{"a": {"b": {"c": {"d": {"e": 1}}}}}`:      `"d":{"type":["object"]}`,
		`[` + strings.Repeat("[1],", 500) + `null]`: `"items":{"type":["array"],"items":{"type":["integer"]}}`,
		`"text"`: `{"type":["string"]}`, `null`: `{"type":["null"]}`,
	} {
		v, err := value.Decode([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		var s seenForms
		for run := range 2 {
			s.add(seenKey{tool: "t"}, fmt.Sprint(run), v)
		}
		if got := string(s.schema(seenKey{tool: "t"})); !strings.Contains(got, want) || len(got) > 4000 {
			t.Errorf("%.60s: %.300s\nwant %s", text, got, want)
		}
	}
	var s seenForms
	for i := range 2 * mostSeenForms {
		s.add(seenKey{tool: fmt.Sprint(i)}, "1", "x")
	}
	if len(s.of) != mostSeenForms {
		t.Errorf("%d forms", len(s.of))
	}
}
