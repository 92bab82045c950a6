package tests

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"toolgraph/internal/cli"
	"toolgraph/tests/testbin"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"toolgraph": func() { os.Exit(cli.Main()) },
	})
}

// The stories in testdata/script: what a user types and what comes of it.
func TestScript(t *testing.T) {
	fake := testbin.Build(t, "toolgraph/tests/fakeserver")
	testscript.Run(t, testscript.Params{
		Dir:           filepath.Join("testdata", "script"),
		UpdateScripts: os.Getenv("UPDATE_GOLDEN") != "",
		Setup: func(env *testscript.Env) error {
			env.Setenv("FAKESERVER", fake)
			env.Setenv("HOME", env.WorkDir)
			return nil
		},
	})
}
