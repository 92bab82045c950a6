package jsonata

import (
	"runtime"
	"strings"
	"testing"
)

// TestV20CompileIsLinear holds that twice the source takes twice the memory to compile,
// whatever the form, and that the longest compiles.
func TestV20CompileIsLinear(t *testing.T) {
	for name, form := range map[string][3]string{
		"steps": {"a", ".a", ""}, "wildcards": {"*", ".*", ""}, "sums": {"1", "+1", ""}, "minus": {"", "-", "1"},
		"conditions": {"", "1?", "1"}, "predicates": {"a", "[0]", ""}, "arrays": {"a", "[]", ""}, "assignments": {"", "$a:=", "1"},
		"chains": {"a", "~>$trim", ""}, "parents": {"a", ".a.%", ""}, "arguments": {"$zip(", "1,", "1)"}, "parameters": {"function(", "$a,", "$b){1}"},
		"defaults": {"a", "??a", ""}, "sorts": {"a", "^(a)", ""}, "blocks": {"(", "a;", "a)"}, "fields": {"{", "'a':1,", "'b':1}"},
		"indexes": {"a", "#$i", ""}, "focuses": {"a", ".a@$i", ""}, "patterns": {"[", "/a/,", "1]"}, "texts": {"'a'", "&'a'", ""},
		"calls": {"[", "$sum(1),", "1]"}, "lost parents": {"a", ".%", ""}, "an error at the end": {"a", ".a", " b"},
	} {
		most := (maxSource - len(form[0]) - len(form[2])) / len(form[1])
		compile := func(n int) uint64 {
			source := form[0] + strings.Repeat(form[1], n) + form[2]
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Compile(t.Context(), source)
			runtime.ReadMemStats(&after)
			if err != nil && name != "lost parents" && name != "an error at the end" {
				t.Errorf("%s: %v", name, err)
			}
			return after.TotalAlloc - before.TotalAlloc
		}
		compile(most / 2) // what is made once
		half, whole := compile(most/2), compile(most)
		if whole > 3*half {
			t.Errorf("%s: %d KB for half the source, %d KB for all of it", name, half>>10, whole>>10)
		}
	}
}
