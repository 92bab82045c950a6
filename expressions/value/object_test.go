package value

import (
	"slices"
	"strconv"
	"testing"
)

// Maps that have one slice of keys do not see what is set in each other, or deleted.
func TestMapOfSharedKeys(t *testing.T) {
	for _, n := range []int{0, 1, 3, indexFrom, indexFrom + 1, 20} {
		keys := make([]string, n, n+4)
		for i := range keys {
			keys[i] = "k" + strconv.Itoa(i)
		}
		written := slices.Clone(keys[:cap(keys)])
		valuesOf := func(from int) []any {
			values := make([]any, n)
			for i := range values {
				values[i] = float64(from + i)
			}
			return values
		}
		first, second, third := MapOf(keys, valuesOf(0)), MapOf(keys, valuesOf(100)), MapOf(keys, valuesOf(200))
		first.Set("new", true)
		third.Set("other", false)
		second.Delete("k0")
		for i, key := range keys {
			a, inFirst := first.Get(key)
			b, inSecond := second.Get(key)
			if !inFirst || a != any(float64(i)) || inSecond != (i > 0) || inSecond && b != any(float64(100+i)) {
				t.Errorf("of %d keys %q is %v and %v", n, key, a, b)
			}
		}
		if _, ok := second.Get("new"); ok || first.Len() != n+1 || second.Len() != max(0, n-1) || third.Keys()[n] != "other" || first.Keys()[n] != "new" {
			t.Errorf("of %d keys there are %v, %v, %v", n, first.Keys(), second.Keys(), third.Keys())
		}
		if !slices.Equal(keys[:cap(keys)], written) {
			t.Errorf("the keys have become %v", keys[:cap(keys)])
		}
	}
}
