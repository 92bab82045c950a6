package tests

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"toolgraph/internal/cli"
	"toolgraph/tests/pgtest"
	"toolgraph/tests/testbin"
)

// cleaning removes what tests have built when they are done.
type cleaning struct{ *testing.M }

// Run runs the tests.
func (c cleaning) Run() int {
	defer pgtest.Stop()
	return testbin.Run(c.M)
}

func TestMain(m *testing.M) {
	testscript.Main(cleaning{m}, map[string]func(){
		"toolgraph": func() { os.Exit(cli.Main()) },
	})
}
