package tests

import (
	"flag"
	"os"
	"strconv"
	"testing"

	"toolgraph/tests/pgtest"
	"toolgraph/tests/testbin"
)

// atOnce is how many tests run at the same time where -parallel does not say it: most of them wait for processes.
const atOnce = 6

// TestMain runs the tests, and removes what they have built.
func TestMain(m *testing.M) {
	flag.Parse()
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		_ = flag.Set("test.parallel", strconv.Itoa(atOnce))
	}
	code := testbin.Run(m)
	pgtest.Stop()
	os.Exit(code)
}
