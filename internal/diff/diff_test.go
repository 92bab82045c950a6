package diff_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"toolgraph/expressions"
	"toolgraph/internal/diff"
)

func TestText(t *testing.T) {
	if got := diff.Text("a", "same\n", "b", "same\n"); got != "" {
		t.Errorf("equal texts differ: %s", got)
	}
	got := diff.Text("a", "one\ntwo\n", "b", "one\n2\n")
	for _, want := range []string{"--- a", "+++ b", "-two", "+2"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestValues(t *testing.T) {
	for name, c := range map[string]struct {
		older, newer string
		want         []string
	}{
		"equal, keys in another order": {`{"a":1,"b":[true]}`, `{"b":[true],"a":1.0}`, nil},
		"a scalar":                     {`1`, `2`, []string{" 1 2"}},
		"null is something":            {`{"a":null}`, `{}`, []string{".a null -"}},
		"deep":                         {`{"a":[{"b c":1}]}`, `{"a":[{"b c":"1"},2]}`, []string{`.a[0]["b c"] 1 "1"`, ".a[1] - 2"}},
		"another kind":                 {`{"a":{}}`, `{"a":[]}`, []string{".a {} []"}},
		"new keys come last":           {`{"a":1}`, `{"z":1,"a":2}`, []string{".a 1 2", ".z - 1"}},
	} {
		var got []string
		for _, change := range diff.Values(decode(t, c.older), decode(t, c.newer)) {
			got = append(got, fmt.Sprintf("%s %s %s", change.Path, show(t, change.Old), show(t, change.New)))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// Two large objects with other keys each are compared within the time of a test.
func TestValuesOfManyKeys(t *testing.T) {
	const keys = 100_000
	many := func(prefix string) expressions.Value {
		m := make(map[string]any, keys)
		for i := range keys {
			m[fmt.Sprint(prefix, i)] = float64(i)
		}
		return m
	}
	if n := len(diff.Values(many("a"), many("b"))); n != 2*keys {
		t.Errorf("%d differences", n)
	}
}

func decode(t *testing.T, src string) expressions.Value {
	t.Helper()
	v, err := expressions.Decode([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func show(t *testing.T, v expressions.Value) string {
	t.Helper()
	if v == nil {
		return "-"
	}
	src, err := expressions.Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}
