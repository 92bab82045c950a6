package tests

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"toolgraph/internal/cli"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"toolgraph": func() { os.Exit(cli.Main()) },
	})
}
