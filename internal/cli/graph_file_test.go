package cli

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"toolgraph/internal/program"
)

// withoutGraph are the commands that read no graph file, and why.
var withoutGraph = map[string]string{
	"toolgraph eval":                "expressions and data",
	"toolgraph second-opinion":      "expressions and data",
	"toolgraph lsp":                 "files that an editor opens",
	"toolgraph demo-server":         "a directory",
	"toolgraph schema":              "the language",
	"toolgraph explain":             "the language",
	"toolgraph version":             "the program",
	"toolgraph audit":               "an audit log",
	"toolgraph help":                "commands",
	"toolgraph runs show":           "a run",
	"toolgraph runs explain":        "a run",
	"toolgraph runs diff":           "runs",
	"toolgraph runs export":         "a run",
	"toolgraph runs cancel":         "a run",
	"toolgraph retention show":      "the policy of a store",
	"toolgraph retention set":       "the policy of a store",
	"toolgraph runs import":         "a file with a run",
	"toolgraph import agent-trace":  "calls of an agent",
	"toolgraph import run":          "a run",
	"toolgraph import context-pipe": "pipes",
	"toolgraph mcp add":             "a registry",
	"toolgraph mcp remove":          "a registry",
	"toolgraph mcp list":            "registries",
	"toolgraph mcp sync":            "registries",
	"toolgraph mcp import":          "the configuration of a host",
	"toolgraph adopt":               "the configuration of a host",
}

// graphCommands are the commands that read a graph file: what they are given before and
// after the argument FILE, and what they print when FILE is missing.yaml, which is not
// there.
var graphCommands = map[string]struct {
	before, after []string
	want          string
}{
	"toolgraph serve":        {want: "cannot read missing.yaml"},
	"toolgraph ui":           {after: []string{"--no-open"}, want: "cannot read missing.yaml"},
	"toolgraph toolkit":      {want: "cannot read missing.yaml"},
	"toolgraph inspect":      {after: []string{"explain_tool", "tool=t.yaml"}, want: "cannot read missing.yaml"},
	"toolgraph doctor":       {want: "cannot read missing.yaml"},
	"toolgraph init":         {want: "missing.yaml already exists"},
	"toolgraph check":        {want: "cannot read missing.yaml"},
	"toolgraph test":         {want: "missing.yaml"},
	"toolgraph drift":        {want: "cannot read missing.yaml"},
	"toolgraph lock":         {want: "cannot read missing.yaml"},
	"toolgraph capabilities": {after: []string{"t"}, want: "cannot read missing.yaml"},
	"toolgraph graph":        {after: []string{"t"}, want: "cannot read missing.yaml"},
	"toolgraph upgrade":      {want: "cannot read missing.yaml"},
	"toolgraph convert":      {after: []string{"t"}, want: "cannot read missing.yaml"},
	"toolgraph run":          {after: []string{"t", "x.yaml"}, want: "cannot read missing.yaml"},
	"toolgraph plan":         {after: []string{"-"}, want: "cannot read missing.yaml"},
	"toolgraph debug":        {after: []string{"t", "file=x.yaml"}, want: "cannot read missing.yaml"},
	"toolgraph resume":       {before: []string{"last"}, want: "cannot read missing.yaml"},
	"toolgraph replay":       {before: []string{"last"}, want: "cannot read missing.yaml"},
	"toolgraph fork":         {before: []string{"last/1"}, want: "cannot read missing.yaml"},
	"toolgraph runs list":    {want: "no runs"},
	"toolgraph stats":        {want: "no runs have ended"},
	"toolgraph suggest":      {want: "no chain of calls"},
	"toolgraph runs watch":   {before: []string{"last"}, want: "is of the graph file"},
	"toolgraph runs rm":      {want: "deleted 0 runs"},
	"toolgraph config":       {before: []string{"cursor"}, want: "cannot read missing.yaml"},
	"toolgraph bundle":       {want: "cannot read missing.yaml"},
	"toolgraph login":        {before: []string{"server=a.yaml"}, want: "cannot read missing.yaml"},
	"toolgraph logout":       {before: []string{"server=a.yaml"}, want: "cannot read missing.yaml"},
}

// graphByFlag are the commands that read a graph file only with -g, since their argument names a
// server or a tool: their arguments.
var graphByFlag = map[string][]string{
	"toolgraph mcp tools": {"--live"},
	"toolgraph mcp info":  {"server.tool", "--live"},
	"toolgraph mcp call":  {"server.tool", "a=1"},
}

// Every other command that reads a graph file takes it as an argument and with -g, alike; both
// are fine when they are the same, and an error of usage when they are not.
func TestGraphFileIsAnArgumentOrFlag(t *testing.T) {
	seen := map[string]bool{}
	for _, cmd := range runnable(newRoot(program.Streams{})) {
		path := cmd.CommandPath()
		seen[path] = true
		if args, byFlag := graphByFlag[path]; byFlag {
			line := slices.Concat(strings.Fields(path)[1:], args, []string{"-g", "missing.yaml"})
			if _, printed := commandLine(t, line); !strings.Contains(printed, "cannot read missing.yaml") {
				t.Errorf("%v printed\n%s", line, printed)
			}
			continue
		}
		c, takes := graphCommands[path]
		if (withoutGraph[path] != "") == takes {
			t.Errorf("%s stands in both tables of this test, or in none, expected one: does it read a graph file?", path)
			continue
		}
		flag := cmd.Flags().Lookup("graph")
		if takes != (flag != nil) {
			t.Errorf("%s: it has -g: %v; it reads a graph file: %v", path, flag != nil, takes)
		}
		if !takes {
			continue
		}
		if flag.Shorthand != "g" || !strings.Contains(flag.Usage, "FILE") || !strings.Contains(cmd.Use, "FILE") {
			t.Errorf("%s: its help does not name FILE and -g: %q, -%s %q", path, cmd.Use, flag.Shorthand, flag.Usage)
		}
		t.Run(path, func(t *testing.T) {
			recordRun(t)
			words := strings.Fields(path)[1:]
			forms := []struct {
				name string
				args []string
			}{
				{"argument", slices.Concat(words, c.before, []string{"missing.yaml"}, c.after)},
				{"flag", slices.Concat(words, c.before, c.after, []string{"-g", "missing.yaml"})},
				{"flag before", slices.Concat([]string{"-g", "missing.yaml"}, words, c.before, c.after)},
				{"both", slices.Concat(words, c.before, []string{"./missing.yaml"}, c.after, []string{"--graph", "missing.yaml"})},
			}
			for _, f := range forms {
				if _, printed := commandLine(t, f.args); !strings.Contains(printed, c.want) {
					t.Errorf("%s: %v printed\n%s\nwant %s", f.name, f.args, printed, c.want)
				}
			}
			different := slices.Concat(words, c.before, []string{"other.yaml"}, c.after, []string{"-g", "missing.yaml"})
			code, printed := commandLine(t, different)
			if want := `-g is "missing.yaml" and the argument is "other.yaml"; give one graph file`; code != program.ExitUsage || !strings.Contains(printed, want) {
				t.Errorf("%v ended with %d and printed\n%s\nwant %s", different, code, printed, want)
			}
			empty := slices.Concat(words, c.before, c.after, []string{"-g", ""})
			if code, printed := commandLine(t, empty); code != program.ExitUsage || !strings.Contains(printed, "-g is empty") {
				t.Errorf("%v ended with %d and printed\n%s", empty, code, printed)
			}
		})
	}
	for path := range graphCommands {
		if !seen[path] {
			t.Errorf("there is no command %s", path)
		}
	}
}

// runnable are the commands below one that are more than a heading.
func runnable(root *cobra.Command) []*cobra.Command {
	var found []*cobra.Command
	for _, c := range root.Commands() {
		if c.HasSubCommands() {
			found = append(found, runnable(c)...)
			continue
		}
		found = append(found, c)
	}
	return found
}

// recordRun goes to a directory with a graph file of which one run is recorded. init is
// to find that its file exists.
func recordRun(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv(program.StateVariable, "state")
	const graph = `
server: {name: g, version: 1.0.0}
tools:
  - name: t
    description: gives back its arguments
    nodes: [{id: entry, type: entry, next: exit}, {id: exit, type: exit}]
`
	if err := os.WriteFile("graph.yaml", []byte(graph), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, printed := commandLine(t, []string{"run", "graph.yaml", "t"}); code != program.ExitOK {
		t.Fatal(printed)
	}
	if strings.HasSuffix(t.Name(), "init") {
		if err := os.WriteFile("missing.yaml", nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// commandLine is what a command line ends with and prints.
func commandLine(t *testing.T, args []string) (int, string) {
	t.Helper()
	var out bytes.Buffer
	code := Run(t.Context(), args, program.Streams{In: strings.NewReader(""), Out: &out, Err: &out})
	return code, out.String()
}
