package wire

import (
	"os"
	"testing"

	"toolgraph/tests/testbin"
)

func TestMain(m *testing.M) {
	os.Exit(testbin.Run(m))
}
