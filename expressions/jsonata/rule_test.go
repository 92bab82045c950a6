package jsonata

import (
	"fmt"
	"slices"
	"testing"
)

func TestOuterPathsInsideExpressions(t *testing.T) {
	const source = `x[n > $ctx.entry.limit and "$ctx.no" != $ctx].m[$ctx.other]`
	var got []string
	for _, r := range mustCompile(t, source).ContextReferences() {
		got = append(got, fmt.Sprintf("%v %s", r.Path, source[r.Offset:r.Offset+5]))
	}
	if want := []string{"[entry limit] entry", "[other] other"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, own := range []string{`($ctx := 1; $ctx.a)`, `$map(a, function($ctx){$ctx.a})`} {
		if found := mustCompile(t, own).ContextReferences(); found != nil {
			t.Errorf("%s: %v", own, found)
		}
	}
}
