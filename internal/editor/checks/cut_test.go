package checks_test

import (
	"slices"
	"testing"
)

// A text that breaks where it broke before, also without the tool in which it did, has one finding of that.
func TestOneBreakIsFoundOnce(t *testing.T) {
	t.Parallel()
	got := foundIn(t, besideHead+"    description: not in the list\n"+besideTool(1, fine))
	if !slices.Equal(got, []string{"t1 yaml-syntax"}) {
		t.Errorf("found %q, want one finding", got)
	}
}
