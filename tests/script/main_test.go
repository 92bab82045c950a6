package script

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"toolgraph/internal/cli"
	"toolgraph/tests/pgtest"
	"toolgraph/tests/testbin"
)

// This program is toolgraph as well: for what the commands of the stories start, and for the lines that begin with exec. go test
// gives it flags of its own.
func TestMain(m *testing.M) {
	name := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	if name == "toolgraph" || len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-test.") {
		os.Exit(cli.Main())
	}
	dir, err := os.MkdirTemp("", "toolgraph-script-")
	if err == nil {
		err = linkProgram(dir)
	}
	if err != nil {
		panic(err)
	}
	code := testbin.Run(m)
	pgtest.Stop()
	_ = os.RemoveAll(dir) // it is in the directory of temporary files
	os.Exit(code)
}

// linkProgram makes this program the first toolgraph of PATH.
func linkProgram(dir string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	name := "toolgraph"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if err := testbin.Link(self, filepath.Join(dir, name)); err != nil {
		return err
	}
	return os.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// inTurns runs stories one after the other: a command that is no process of its own has the directory and the variables of
// this one.
type inTurns struct{ *testing.T }

func (inTurns) Parallel() {}

func (inTurns) Verbose() bool { return testing.Verbose() }

func (t inTurns) Run(name string, story func(testscript.T)) {
	t.T.Run(name, func(t *testing.T) { story(inTurns{t}) })
}

// Each command is one of the program itself, too.
func TestCommandsOfTheProgram(t *testing.T) {
	for _, command := range cli.Root().Commands() {
		out, err := exec.Command("toolgraph", command.Name(), "--help").CombinedOutput()
		if err != nil || !strings.Contains(string(out), "toolgraph "+command.Name()) {
			t.Errorf("%s --help: %v\n%s", command.Name(), err, out)
		}
	}
}
