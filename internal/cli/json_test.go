package cli

import (
	"bytes"
	"encoding/json"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"toolgraph/internal/program"
)

// withoutJSON are the commands that have no --json, each for its reason.
var withoutJSON = map[string][]string{
	"they serve, and standard output has the protocol":          {"toolgraph", "demo-server", "serve", "toolkit", "inspect", "ui", "lsp"},
	"they answer another process of the program":                {"second-opinion"},
	"they print the result of a tool or an expression as it is": {"eval", "fork", "replay", "resume", "mcp call"},
	"what they print is JSON, or the text of a file":            {"schema", "init", "upgrade", "convert", "import agent-trace", "import context-pipe", "import run"},
	"they change one thing, and say so in a line":               {"mcp add", "mcp remove", "logout"},
	"they talk with a person":                                   {"debug", "login"},
	"cobra's own":                                               {"help", "completion"},
}

// Every command whose output a program may want to read has --json.
func TestJSONEverywhere(t *testing.T) {
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			check(sub)
		}
		name := strings.TrimPrefix(cmd.CommandPath(), "toolgraph ")
		if cmd.HasSubCommands() && name != "toolgraph" || strings.HasPrefix(name, "completion ") {
			return
		}
		excused := false
		for _, names := range withoutJSON {
			excused = excused || slices.Contains(names, name)
		}
		if has := cmd.Flags().Lookup("json") != nil; has == excused {
			t.Errorf("%s: --json is %v, excused %v", name, has, excused)
		}
	}
	check(newRoot(program.Streams{}))
}

// --json is --format json; of both flags, the last one holds.
func TestJSONFlag(t *testing.T) {
	for _, c := range []struct {
		flags  []string
		isJSON bool
	}{
		{[]string{"--json"}, true},
		{[]string{"-f", "json"}, true},
		{[]string{"--json=false"}, false},
		{[]string{"--json", "-f", "text"}, false},
		{[]string{"-f", "text", "--json"}, true},
	} {
		var out bytes.Buffer
		if code := Run(t.Context(), append([]string{"version"}, c.flags...), program.Streams{Out: &out, Err: &out}); code != program.ExitOK {
			t.Fatal(out.String())
		}
		var answer struct{ OS string }
		if err := json.Unmarshal(out.Bytes(), &answer); (err == nil) != c.isJSON || c.isJSON && answer.OS != runtime.GOOS {
			t.Errorf("%v prints %s", c.flags, out.String())
		}
	}
}
