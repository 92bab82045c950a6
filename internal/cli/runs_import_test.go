package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"toolgraph/execution/journal"
	"toolgraph/execution/journal/sqlite"
	"toolgraph/expressions/value"
	"toolgraph/internal/program"
)

// importable is a run as a file, with a place for what is hostile.
const importable = `{"toolgraphRun": 1, "run": {"id": "RUN", "file": "graph.yaml", "server": "s"}, "events": [
	{"kind": "run-started", "run": "RUN", "time": "2026-01-02T03:04:05Z", "start": {"tool": "tool", "graph": "hash", "args": {"a": "é\u0007"}}},
	{"kind": "step-finished", "run": "RUN", "record": {"executionIndex": 0, "nodeId": "entry", "nodeType": "entry", "output": 1}},
	{"kind": "call-started", "run": "RUN", "step": {"executionIndex": 1, "nodeId": "call", "nodeType": "mcp", "server": "up", "tool": "get", "digest": "x"}},
	{"kind": "step-finished", "run": "RUN", "record": {"executionIndex": 1, "nodeId": "call", "nodeType": "mcp", "error": {"code": "tool", "detail": "d", "nodeId": "call", "message": "no"}}},
	{"kind": "run-finished", "run": "RUN", "end": {"failure": {"code": "tool", "nodeId": "call", "message": "no"}}}]}`

// command runs a command line on a state directory, and refuses what a terminal acts on.
func command(t testing.TB, dir string, in io.Reader, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = Run(t.Context(), append(args, "--state", dir), program.Streams{In: in, Out: &stdout, Err: &stderr})
	for _, text := range []string{stdout.String(), stderr.String()} {
		if i := strings.IndexFunc(text, func(r rune) bool {
			return r != '\n' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp))
		}); i >= 0 {
			t.Errorf("%q prints %q", args, text[max(0, i-40):min(len(text), i+40)])
		}
	}
	return code, stdout.String(), stderr.String()
}

// looks are the commands that read runs.
var looks = [][]string{
	{"runs", "list"},
	{"runs", "list", "-f", "json"},
	{"runs", "show", "last"},
	{"runs", "show", "last", "-f", "json"},
	{"runs", "show", "last", "--step", "1", "--context"},
	{"runs", "diff", "last", "last"},
	{"runs", "diff", "last", "OTHER"},
	{"runs", "diff", "OTHER", "last", "-f", "json"},
	{"runs", "export", "last"},
	{"runs", "export", "last", "-f", "ndjson"},
	{"replay", "last", "--trace"},
	{"resume", "last", "--trace"},
	{"runs", "rm", "last"},
}

// TestV13Import: a file that is no run is refused with the number of the event, whatever
// its names hold, and nothing of it is raw on the terminal.
func TestV13Import(t *testing.T) {
	for _, c := range []struct{ old, text, want string }{
		{`"record": {"executionIndex": 0,`, `"recor": {"executionIndex": 0,`, "event 2 of 5: it is step-finished with nothing, expected record"},
		{`"step": {`, `"stop": {`, "event 3 of 5: it is call-started with nothing, expected step"},
		{`"executionIndex": 0`, `"executionIndex": 1`, "event 2 of 5: its executionIndex is 1, expected 0"},
		{`"kind": "run-finished"`, `"kind": "\u001b[31m"`, `event 5 of 5: its kind is "\x1b[31m"`},
		{`"nodeId": "entry"`, `"nodeId": "en\u001b[2Jtry"`, `event 2 of 5: the name "en\x1b[2Jtry" has control or hidden characters`},
		{`"tool": "tool"`, `"tool": "to\nol"`, `event 1 of 5: the name "to\nol"`},
		{`"graph": "hash"`, `"graph": "h\u202eash"`, `event 1 of 5: the name "h\u202eash"`},
		{`"server": "up"`, `"server": "u\u009bp"`, `event 3 of 5: the name "u\u009bp"`},
		{`"tool": "get"`, `"tool": "g\u2028et"`, `event 3 of 5: the name "g\u2028et"`},
		{`"digest": "x"`, `"digest": "x\u0000"`, `event 3 of 5: the name "x\x00"`},
		{`"detail": "d"`, `"detail": "\u0007"`, `event 4 of 5: the name "\a"`},
		{`{"code": "tool", "nodeId"`, `{"code": "t\u007fool", "nodeId"`, `event 5 of 5: the name "t\x7fool"`},
		{`"file": "graph.yaml"`, `"file": "\u0008"`, `run: the name "\b"`},
		{`"server": "s"`, `"server": "\t"`, `run: the name "\t"`},
		{`"RUN"`, `"R\u001bN"`, `the id of the run is "R\x1bN", expected`},
		{`"RUN"`, `"deleting 1"`, `the id of the run is "deleting 1", expected`},
		{`"id": "RUN"`, `"id": "OTHER"`, `the events belong to run "RUN" and the file to run "OTHER"`},
		{`"args": {"a": "é\u0007"}`, `"arg": 1`, "event 1 of 5: its start has no args"},
	} {
		src := strings.ReplaceAll(importable, c.old, c.text)
		dir := t.TempDir()
		code, out, errs := command(t, dir, strings.NewReader(src), "runs", "import", "-")
		if code != program.ExitFailed || out != "" || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("exit code %d, %q, want %s", code, errs, c.want)
		}
		if _, err := os.Stat(filepath.Join(dir, "history.db")); err == nil && c.want != "" {
			t.Errorf("%s: a store was made", c.want)
		}
	}
}

// TestV13Terminal: what runs hold that names may not, such as the words of a server, is
// never raw on the terminal, and JSON says it nevertheless.
func TestV13Terminal(t *testing.T) {
	const hostile = "\u001b]0;x\u0007\u009b2J\u202e\u2028\u200b\U000E0041 ok"
	quoted, err := json.Marshal(hostile)
	if err != nil {
		t.Fatal(err)
	}
	text := string(quoted[1 : len(quoted)-1])
	dir := t.TempDir()
	graph := filepath.Join(dir, "graph.yaml")
	if err := os.WriteFile(graph, starter, 0o600); err != nil {
		t.Fatal(err)
	}
	src := strings.NewReplacer(`"message": "no"`, `"message": "`+text+`"`, `é\u0007`, text, `"output": 1`, `"output": {"`+text+`": "`+text+`"}`,
		`"graph.yaml"`, fmt.Sprintf("%q", filepath.ToSlash(graph))).Replace(importable)
	for _, id := range []string{"OTHER", "RUN"} {
		if code, _, errs := command(t, dir, strings.NewReader(strings.ReplaceAll(src, "RUN", id)), "runs", "import", "-"); code != program.ExitOK {
			t.Fatal(errs)
		}
	}
	for _, args := range looks[:len(looks)-1] {
		_, out, errs := command(t, dir, nil, args...)
		if args[len(args)-1] != "json" {
			continue
		}
		var answer any
		if err := json.Unmarshal([]byte(out), &answer); err != nil || errs != "" {
			t.Errorf("%q: %v, %s", args, err, errs)
		}
		if again := fmt.Sprint(answer); args[1] == "show" && !strings.Contains(again, hostile) {
			t.Errorf("%q has lost characters: %q", args, again)
		}
	}
}

// A run of a store that was tampered with is as little raw as an imported one.
func TestV13Tampered(t *testing.T) {
	const hostile = "\u001b[2J\u009b\u202e"
	dir := t.TempDir()
	store, err := sqlite.Open(dir, journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var file exported
	if err := json.Unmarshal([]byte(importable), &file); err != nil {
		t.Fatal(err)
	}
	for i := range file.Events {
		e := &file.Events[i]
		e.Run = "RUN" + hostile
		switch {
		case e.Start != nil:
			e.Start.Tool, e.Start.Graph = hostile, hostile
		case e.Record != nil:
			e.Record.NodeID = hostile
			if e.Record.Error == nil { // a value that was not recorded, so that replay warns
				e.Record.Output = value.FromPlain(map[string]any{"toolgraph/notKept": map[string]any{"reason": "too-large"}})
			}
		case e.Step != nil:
			e.Step.Server, e.Step.Tool, e.Step.NodeID = hostile, hostile, hostile
		}
	}
	j := store.Journal(nil, journal.About{File: hostile, Server: hostile})
	for _, e := range file.Events {
		if err := j.Append(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	for _, args := range append(looks, []string{"runs", "show", "RUN"}) {
		command(t, dir, nil, args...)
	}
}

// FuzzImport: whatever a file holds, importing it and looking at what was imported ends
// without a panic and prints nothing raw.
func FuzzImport(f *testing.F) {
	f.Add([]byte(importable))
	f.Add([]byte(strings.ReplaceAll(importable, `"output": 1`, `"nothing": true`)))
	f.Add([]byte(strings.ReplaceAll(importable, `"record"`, `"recor"`)))
	f.Add([]byte(strings.ReplaceAll(importable, `2026-01-02`, `9999-01-02`)))
	f.Fuzz(func(t *testing.T, src []byte) {
		dir := t.TempDir()
		if code, _, _ := command(t, dir, bytes.NewReader(src), "runs", "import", "-"); code != program.ExitOK {
			return
		}
		if code, _, errs := command(t, dir, nil, "runs", "show", "last"); code != program.ExitOK {
			t.Errorf("what was imported cannot be shown: %s", errs)
		}
		for _, args := range looks {
			command(t, dir, nil, args...)
		}
	})
}
