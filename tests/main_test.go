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

// Run keeps the runs that tests make out of the user's own history.
func (c cleaning) Run() int {
	defer testbin.Clean()
	state, err := os.MkdirTemp("", "toolgraph-state-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(state)
	if err := os.Setenv("TOOLGRAPH_STATE", state); err != nil {
		panic(err)
	}
	return c.M.Run()
}

func TestMain(m *testing.M) {
	testscript.Main(cleaning{m}, map[string]func(){
		"toolgraph": func() { os.Exit(cli.Main()) },
	})
}
