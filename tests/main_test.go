package tests

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"toolgraph/internal/cli"
	"toolgraph/tests/testbin"
)

// cleaning removes what tests have built when they are done.
type cleaning struct{ *testing.M }

func (c cleaning) Run() int {
	defer testbin.Clean()
	return c.M.Run()
}

func TestMain(m *testing.M) {
	testscript.Main(cleaning{m}, map[string]func(){
		"toolgraph": func() { os.Exit(cli.Main()) },
	})
}
