package diff_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"toolgraph/expressions/value"
	"toolgraph/internal/base/cost"
	"toolgraph/internal/base/diff"
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

// counted is an object that counts how often its keys are read.
type counted struct {
	value.Object
	asked *int
}

func (c counted) Keys() []string {
	*c.asked += c.Len()
	return c.Object.Keys()
}

func (c counted) Get(key string) (any, bool) {
	*c.asked++
	return c.Object.Get(key)
}

// The comparison of two large objects without common keys reads each key a few times.
func TestValuesOfManyKeys(t *testing.T) {
	const keys = 2000
	many := func(prefix string, n int) value.Object {
		names, values := make([]string, n), make([]value.Value, n)
		for i := range n {
			names[i], values[i] = fmt.Sprint(prefix, i), float64(i)
		}
		return value.NewObject(names, values).(value.Object)
	}
	asked := 0
	if n := len(diff.Values(counted{many("a", keys), &asked}, counted{many("b", keys), &asked})); n != 2*keys {
		t.Errorf("%d differences", n)
	}
	if asked > 4*2*keys {
		t.Errorf("%d keys were asked for, of %d", asked, 2*keys)
	}
	cost.Linear(t, keys, func(n int) func() {
		older, newer := value.Plain(many("a", n)), value.Plain(many("b", n))
		return func() { diff.Values(older, newer) }
	})
}

func decode(t *testing.T, src string) value.Value {
	t.Helper()
	v, err := value.Decode([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func show(t *testing.T, v value.Value) string {
	t.Helper()
	if v == nil {
		return "-"
	}
	src, err := value.Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}
