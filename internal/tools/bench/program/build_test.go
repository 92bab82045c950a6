package program

import (
	"os"
	"testing"
)

// Each program that is measured can be compiled in its module, from any directory of this one. Compiling itself
// takes too long for a test.
func TestProgramsAreInTheirModules(t *testing.T) {
	for pkg, module := range map[string]string{
		modulePath: Product, "toolgraph/internal/tools/bench/echo": Bench, "toolgraph/internal/tools/bench/upstream": Bench,
		"toolgraph/internal/temporal/cmd/toolgraph-temporal": Temporal,
	} {
		if err := command(t.Context(), module, "build", "-n", "-o", os.DevNull, pkg); err != nil {
			t.Error(err)
		}
	}
}
