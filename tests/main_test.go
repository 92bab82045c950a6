package tests

import (
	"flag"
	"os"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"toolgraph/internal/cli"
	"toolgraph/tests/pgtest"
	"toolgraph/tests/testbin"
)

// cleaning removes what tests have built when they are done.
type cleaning struct{ *testing.M }

// atOnce is how many tests run at the same time where -parallel does not say it: most of them wait for processes.
const atOnce = 6

// Run runs the tests.
func (c cleaning) Run() int {
	defer pgtest.Stop()
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		_ = flag.Set("test.parallel", strconv.Itoa(atOnce))
	}
	return testbin.Run(c.M)
}

func TestMain(m *testing.M) {
	testscript.Main(cleaning{m}, map[string]func(){
		"toolgraph": func() { os.Exit(cli.Main()) },
	})
}
