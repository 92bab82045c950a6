package script

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"toolgraph/internal/cli"
	"toolgraph/internal/program"
	"toolgraph/tests/testbin"
)

// The stories in testdata/stories: what a user types, and the output. A line that begins with toolgraph, or with exits CODE toolgraph,
// runs the command in this process, without standard input; one with exec before it starts the program.
func TestScript(t *testing.T) {
	server, other := testbin.Build(t, "toolgraph/tests/fakeserver"), testbin.Build(t, "toolgraph/tests/fakeprogram")
	play(t, filepath.Join("testdata", "stories"), func(env *testscript.Env) {
		env.Setenv("FAKESERVER", server)
		env.Setenv("FAKEPROGRAM", other)
	})
}

// play runs the stories of a directory; prepare sets variables for each.
func play(t *testing.T, dir string, prepare func(*testscript.Env)) {
	t.Helper()
	names := variablesOf(t, dir)
	testscript.RunT(inTurns{t}, testscript.Params{
		Dir: dir,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"toolgraph": func(ts *testscript.TestScript, fails bool, args []string) {
				if code := here(ts, names, args); (code != program.ExitOK) != fails {
					ts.Fatalf("it ended with %d", code)
				}
			},
			"exits": func(ts *testscript.TestScript, _ bool, args []string) { exits(ts, names, args) },
		},
		UpdateScripts: os.Getenv("UPDATE_GOLDEN") != "",
		Setup: func(env *testscript.Env) error {
			prepare(env)
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("GORACE", "atexit_sleep_ms=0") // with -race, each of the many processes would wait a second at its end
			for _, set := range env.Vars {
				name, _, _ := strings.Cut(set, "=")
				names[name] = true
			}
			return nil
		},
	})
}

// variablesOf returns the names of the variables that stories set.
func variablesOf(t *testing.T, dir string) map[string]bool {
	names := map[string]bool{}
	stories, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(stories) == 0 {
		t.Fatalf("there are no stories in %s: %v", dir, err)
	}
	for _, story := range stories {
		text, err := os.ReadFile(story)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range regexp.MustCompile(`(?m)^env (.+)$`).FindAllSubmatch(text, -1) {
			for _, set := range strings.Fields(string(line[1])) {
				name, _, _ := strings.Cut(strings.Trim(set, "'"), "=")
				names[name] = true
			}
		}
	}
	return names
}

// here runs toolgraph in this process, with the directory and the variables of a story, and returns its exit code.
func here(ts *testscript.TestScript, names map[string]bool, args []string) int {
	was, arguments := os.Environ(), os.Args
	os.Clearenv()
	for name := range names {
		if value := ts.Getenv(name); value != "" {
			ts.Check(os.Setenv(name, value))
		}
	}
	dir, err := os.Getwd()
	ts.Check(err)
	ts.Check(os.Chdir(ts.MkAbs(".")))
	os.Args = append([]string{"toolgraph"}, args...)
	defer func() {
		os.Args = arguments
		ts.Check(os.Chdir(dir))
		os.Clearenv()
		for _, set := range was {
			name, value, _ := strings.Cut(set, "=")
			ts.Check(os.Setenv(name, value))
		}
	}()
	return cli.Run(context.Background(), args, program.Streams{In: strings.NewReader(""), Out: ts.Stdout(), Err: ts.Stderr()})
}

// exits CODE PROGRAM ARG…: the program ends with this exit code.
func exits(ts *testscript.TestScript, names map[string]bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARG…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code, args := 0, args[1:]
	if args[0] == "toolgraph" {
		code = here(ts, names, args[1:])
	} else {
		if args[0] == "exec" {
			args = args[1:]
		}
		err = ts.Exec(args[0], args[1:]...)
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			code = exit.ExitCode()
		} else {
			ts.Check(err)
		}
	}
	if code != want {
		ts.Fatalf("%v ended with %d, want %d", args, code, want)
	}
}
