package tests

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"toolgraph/tests/testbin"
)

// The stories in testdata/script: what a user types, and the output.
func TestScript(t *testing.T) {
	fake := testbin.Build(t, "toolgraph/tests/fakeserver")
	program := testbin.Build(t, "toolgraph/tests/fakeprogram")
	testscript.Run(t, testscript.Params{
		Dir:           filepath.Join("testdata", "script"),
		Cmds:          map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
		UpdateScripts: os.Getenv("UPDATE_GOLDEN") != "",
		Setup: func(env *testscript.Env) error {
			env.Setenv("FAKESERVER", fake)
			env.Setenv("FAKEPROGRAM", program)
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("GORACE", "atexit_sleep_ms=0") // with -race, each of the many processes would wait a second at its end
			return nil
		},
	})
}

// exits CODE PROGRAM ARG…: the program ends with this exit code.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARG…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	code := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if code != want {
		ts.Fatalf("%v ended with %d, want %d", args[1:], code, want)
	}
}
