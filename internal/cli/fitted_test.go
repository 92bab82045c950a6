package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/execution/journal"
	"toolgraph/internal/authoring/inspect"
	"toolgraph/internal/base/terminal"
	"toolgraph/internal/program"
	"toolgraph/internal/project/capabilities"
	"toolgraph/internal/telemetry/audit"
	"toolgraph/mcpclient"
)

// onTerminal is a stream that writes to w as to a terminal of 80 columns.
func onTerminal(w io.Writer) io.Writer {
	return terminal.SizedLive(w, terminal.Sized(80, 24, false))
}

// Lists fit on 80 columns however long the names in them are, and lose none of their columns.
func TestTablesFit(t *testing.T) {
	long := strings.Repeat("name", 25)
	now := time.Now()
	for name, c := range map[string]struct {
		print func(std program.Streams) error
		shows []string
	}{
		"stats": {func(std program.Streams) error {
			s := &journal.Stats{Groups: map[journal.Grouping][]journal.Group{journal.ByTool: {{Name: long}}}}
			s.Total.Runs = 1
			s.Slowest = []journal.Slow{{Run: "ABCDEFGHIJ", Started: now, Tool: long, Status: journal.Finished, Duration: 12}}
			return printStats(std.Out, s, journal.ByTool)
		}, []string{"p95", "12.0 ms", "finished"}},
		"mcp list": {func(std program.Streams) error {
			tools := 12
			return printServers(std, "text", []registered{{Name: long, Scope: "user", Server: "npx " + long, Tools: &tools, Synced: &now}})
		}, []string{"12 tools, synced"}},
		"mcp list, an error": {func(std program.Streams) error {
			return printServers(std, "text", []registered{{Name: "a", Scope: "user", Server: "b", Error: strings.Repeat("word ", 40) + "end"}})
		}, []string{" end"}},
		"mcp tools": {func(std program.Streams) error {
			l := &listed{Server: "server", File: "f", Live: true}
			l.add(fromServer, mcpclient.Tool{Name: long, Description: strings.Repeat("word ", 13) + "end"})
			return new(toolsFlags).print(std, []*listed{l})
		}, []string{" end"}},
		"mcp sync": {func(std program.Streams) error {
			return new(syncFlags).print(std, []syncResult{{Name: long, Error: strings.Repeat("word ", 40) + "end"}})
		}, []string{"failed: ", " end"}},
		"capabilities": {func(std program.Streams) error {
			call := capabilities.Call{Server: "server", Tool: long, Effect: config.DestroyEffect, Confirmed: true}
			return printCapabilities(std.Out, &inspect.Capabilities{Capabilities: &capabilities.Capabilities{Tools: []capabilities.Tool{{Name: "t", Calls: []capabilities.Call{call}}}}}, false)
		}, []string{"may destroy", "if the user agrees"}},
		"audit": {func(std program.Streams) error {
			calls := map[string]int{}
			for i := range 20 {
				calls[fmt.Sprintf("outcome-%d", i)] = i + 1
			}
			return printReport(std.Out, &audit.Report{File: "log", OK: true, Calls: calls})
		}, []string{"calls", "outcome-19"}},
		"explain": {func(std program.Streams) error { return listCodes(std.Out, false) }, []string{"unknown-node"}},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := c.print(program.Streams{Out: onTerminal(&out), Err: &out}); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(out.String()) {
				if n := terminal.Width(strings.TrimSuffix(line, "\n")); n > 80 {
					t.Errorf("%d columns: %s", n, line)
				}
			}
			for _, text := range c.shows {
				if !strings.Contains(out.String(), text) {
					t.Errorf("no %q in\n%s", text, out.String())
				}
			}
		})
	}
}

// The last line of a failure at a terminal is a command, with nothing else in the line; other streams get what they got.
func TestLastLineIsACommand(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := file("g.yaml", watchedGraph)
	wrong := file("w.yaml", strings.Replace(watchedGraph, "next: no}", "next: nowhere}", 1))
	tests := file("g.test.yaml", "graph: g.yaml\ntests:\n- {name: good, tool: good, expect: {value: {}}}\n- {name: it's, tool: bad, expect: {value: 1}}\n")
	state := filepath.Join(dir, "state")
	for _, c := range []struct {
		args []string
		want string // a regular expression
	}{
		{[]string{"run", good, "bad", "--state", state}, `toolgraph runs explain [A-Z0-9]{26} --state ` + regexp.QuoteMeta(program.ShellWord(state))},
		{[]string{"run", good, "bad", "--no-history"}, ""},
		{[]string{"run", good, "good", "--state", state}, ""},
		{[]string{"run", wrong, "bad", "--state", state}, `toolgraph explain unknown-node`},
		{[]string{"check", wrong}, `toolgraph explain unknown-node`},
		{[]string{"check", good}, ""},
		{[]string{"test", tests}, `toolgraph test ` + regexp.QuoteMeta(tests) + ` --run ` + regexp.QuoteMeta(`'^it'\''s$'`)},
		{[]string{"test", tests, "--run", "good"}, ""},
	} {
		var out, shown, piped bytes.Buffer
		Run(t.Context(), c.args, program.Streams{In: strings.NewReader(""), Out: &out, Err: onTerminal(&shown)})
		Run(t.Context(), c.args, program.Streams{In: strings.NewReader(""), Out: &out, Err: &piped})
		lines := strings.Split(strings.TrimSuffix(shown.String(), "\n"), "\n")
		last := lines[len(lines)-1]
		if c.want == "" && strings.HasPrefix(last, "toolgraph ") || !regexp.MustCompile(`^`+c.want).MatchString(last) || c.want != "" && !regexp.MustCompile(`^`+c.want+`$`).MatchString(last) {
			t.Errorf("%q: the last line is %q, want %q\n%s", c.args, last, c.want, shown.String())
		}
		if regexp.MustCompile(`(?m)^toolgraph (runs )?(explain|test)`).Match(piped.Bytes()) {
			t.Errorf("%q: piped: %s", c.args, piped.String())
		}
	}
}
