package checks_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/graph/flow"
	"toolgraph/internal/editor/checks"
)

// editing is a file with seven tools in which nothing is found: t2 calls t1, t0 calls both, t5 and t6 may call each
// other, and t3 reads a constant, which is behind the tools.
func editing() string {
	const (
		names   = "      - {id: count, type: mcp, server: files, tool: count, args: {path: {expr: $.entry.path}}, next: last}\n" + "      - {id: last, type: transform, transform: {expr: '{\"n\": $.count.files}'}, next: exit}"
		caller  = "      - {id: count, type: graph, tool: t1, args: {path: {expr: $.entry.path}}, next: last}\n" + "      - {id: last, type: transform, transform: {expr: $.count.n + 1}, next: exit}"
		reader  = "      - {id: count, type: mcp, server: files, tool: count, args: {path: {expr: $.entry.path}}, next: last}\n" + "      - {id: last, type: transform, transform: {expr: $.count.files * $vars.factor}, next: exit}"
		ringOne = "      - {id: count, type: switch, conditions: [{rule: {\"==\": [{var: $.entry.path}, x]}, next: last}], next: other}\n" + "      - {id: other, type: graph, tool: t6, args: {path: {expr: $.entry.path & \"x\"}}, next: exit}\n" + "      - {id: last, type: transform, transform: {expr: '\"done\"'}, next: exit}"
	)
	both := strings.Replace(caller, "next: last}", "next: again}", 1) + "\n" +
		"      - {id: again, type: graph, tool: t2, args: {path: {expr: $.entry.path}}, next: exit}"
	both = strings.Replace(both, "$.count.n + 1}, next: exit", "$.again + $.count.n}, next: exit", 1)
	both = strings.Replace(both, "path}}, next: exit}", "path}}, next: last}", 1)
	src := besideHead + besideTool(0, both) + besideTool(1, names) + besideTool(2, caller) + besideTool(3, reader) + besideTool(4, fine) + besideTool(5, ringOne) +
		besideTool(6, strings.Replace(ringOne, "tool: t6", "tool: t5", 1))
	return src + "vars:\n  factor: 2\n"
}

// checkedSince checks a text with what is remembered of others, and returns what is found and how many graphs were
// followed. A text without errors whose constants are read is followed a second time: with their values.
func checkedSince(t *testing.T, clean *flow.Clean, src, locked string) (found string, followed int) {
	t.Helper()
	read := func(string) ([]byte, error) {
		if locked == "" {
			return nil, fs.ErrNotExist
		}
		return []byte(locked), nil
	}
	c, err := checks.Text(t.Context(), "graph.yaml", []byte(src), config.Options{ReadFile: read, AssumeEnv: true}, checks.Beside{Clean: clean})
	if err != nil {
		t.Fatal(err)
	}
	if clean != nil {
		followed, _ = clean.Counts()
	}
	lines := make([]string, len(c.Found))
	for i, f := range c.Found {
		lines[i] = f.String()
		for _, fix := range f.Fixes {
			if fix.Edits(nil, []byte(src)) != nil {
				lines[i] += " (" + fix.Title + ")" // it is good for this text
			}
		}
	}
	return strings.Join(lines, "\n"), followed
}

// After a change, the graphs are followed whose findings may be others, and no more. What is found is what is found
// without what was remembered.
func TestGraphsAreFollowedAgain(t *testing.T) {
	t.Parallel()
	base, locked := editing(), besideLock(t)
	const rings, passes = 2, 2 // the graphs of a ring are followed each time; and each pass
	all := 7 * passes
	ways := map[string]struct {
		old, with, locked string
		nth               int
		followed          int
		finds             string // "": nothing
	}{
		"nothing":                         {followed: rings * passes},
		"a description":                   {old: "description: d\n", with: "description: another\n", nth: 3, followed: (1 + rings) * passes},
		"a mistake":                       {old: "expr: $.count.files}", with: "expr: $.count.filse}", followed: (1 + rings) * passes, finds: "impossible-path"},
		"a line within a tool":            {old: "description: d\n", with: "description: d\n\n\n", nth: 3, followed: (1 + rings) * passes},
		"a tool that another calls":       {old: `{"n":`, with: `{"m":`, followed: (3 + rings) * passes, finds: "impossible-path"},
		"a tool that one of two calls":    {old: "$.count.n + 1", with: "$string($.count.n)", followed: (2 + rings) * passes, finds: "wrong-operand"},
		"a tool in a ring":                {old: `"done"`, with: `"ready"`, followed: rings * passes},
		"a constant, behind the tools":    {old: "factor: 2", with: "factor: two", followed: all, finds: "wrong-operand"},
		"a limit, before the tools":       {old: "mcpServers:\n", with: "executionLimits: {maxCalls: 900}\nmcpServers:\n", followed: all},
		"a limit, behind the tools":       {old: "vars:\n", with: "executionLimits: {maxCalls: 900}\nvars:\n", followed: all},
		"what the lock says of a tool":    {locked: besideLockOf(t, "fils"), followed: all, finds: "impossible-path"},
		"no lock":                         {locked: "-", followed: all},
		"the name of a tool":              {old: "name: t4", with: "name: t7", followed: all},
		"the effects that are allowed":    {old: "mcpServers:\n", with: "allow: {effects: [read]}\nmcpServers:\n", followed: all},
		"what the server says of results": {old: "{command: files}", with: "{command: files, results: text}", followed: all, finds: "impossible-path"},
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clean := new(flow.Clean)
			if found, followed := checkedSince(t, clean, base, locked); found != "" || followed != all {
				t.Fatalf("at first %d graphs are followed, want %d; found:\n%s", followed, all, found)
			}
			src, beside := replaceNth(base, way.old, way.with, way.nth), locked
			if way.locked != "" {
				beside = strings.TrimPrefix(way.locked, "-")
			}
			fresh, _ := checkedSince(t, nil, src, beside)
			found, followed := checkedSince(t, clean, src, beside)
			if found != fresh {
				t.Errorf("found:\n%s\nwithout what was remembered:\n%s", found, fresh)
			}
			if way.finds != "" && !strings.Contains(found, "["+way.finds+"]") {
				t.Errorf("found:\n%s\nwant %s", found, way.finds)
			}
			if way.followed >= 0 && followed-all != way.followed {
				t.Errorf("%d graphs are followed again, want %d; found:\n%s", followed-all, way.followed, found)
			}
			again, _ := checkedSince(t, clean, src, beside)
			if again != fresh {
				t.Errorf("at the second time found:\n%s\nwant:\n%s", again, fresh)
			}
		})
	}
}

func replaceNth(text, old, with string, n int) string {
	at := 0
	for range n {
		at += strings.Index(text[at:], old) + len(old)
	}
	return text[:at] + strings.Replace(text[at:], old, with, 1)
}

// Graphs are followed each time where it cannot be said of which lines they are made.
func TestGraphsWithoutLinesAreFollowed(t *testing.T) {
	t.Parallel()
	locked := besideLock(t)
	shared := strings.Replace(besideHead+besideTool(1, fine)+besideTool(2, fine), "args: {path:", "args: &same {path:", 1)
	at := strings.LastIndex(shared, "args: {path: {expr: $.entry.path}}")
	shared = shared[:at] + strings.Replace(shared[at:], "args: {path: {expr: $.entry.path}}", "args: *same", 1)
	json := `{"version": "1.0", "server": {"name": "j", "version": "1.0.0"}, "mcpServers": {"files": {"command": "files"}}, "tools": [
{"name": "t1", "description": "d", "nodes": [{"id": "entry", "type": "entry", "next": "last"}, {"id": "exit", "type": "exit"}, {"id": "last", "type": "transform", "next": "exit", "transform": {"expr": "1"}}]}, {"name": "t2", "description": "d",
"nodes": [{"id": "entry", "type": "entry", "next": "last"}, {"id": "exit", "type": "exit"}, {"id": "last", "type": "transform", "next": "exit", "transform": {"expr": "1"}}]}]}`
	for name, way := range map[string]struct{ src, old, with string }{
		"an alias of another tool's part": {shared, "{path: {expr: $.entry.path}}", "{pth: {expr: $.entry.path}}"},
		"two tools share a line":          {json, `"expr": "1"`, `"expr": "1 + \"x\""`},
	} {
		clean := new(flow.Clean)
		if found, followed := checkedSince(t, clean, way.src, locked); found != "" || followed != 2 {
			t.Fatalf("%s: %d graphs are followed; found:\n%s", name, followed, found)
		}
		src := strings.Replace(way.src, way.old, way.with, 1)
		fresh, _ := checkedSince(t, nil, src, locked)
		found, followed := checkedSince(t, clean, src, locked)
		if found != fresh || fresh == "" || followed != 4 {
			t.Errorf("%s: %d graphs are followed, want 4; found:\n%s\nwant:\n%s", name, followed, found, fresh)
		}
	}
}

// A change of an import is a change of all that calls its tools.
func TestGraphsThatCallImportsAreFollowedAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "graph.yaml")
	const head = "version: \"1.0\"\nserver: {name: g, version: 1.0.0}\n"
	const made = "      - {id: last, type: transform, transform: {expr: '{\"n\": 1}'}, next: exit}"
	const calls = "      - {id: count, type: graph, tool: other.t1, args: {path: {expr: $.entry.path}}, next: last}\n" +
		"      - {id: last, type: transform, transform: {expr: $.count.n + 1}, next: exit}"
	src := head + "imports: {other: ./other.yaml}\ntools:\n" + besideTool(1, calls)
	clean := new(flow.Clean)
	for _, step := range []struct {
		made     string
		followed int
		finds    string
	}{{made, 2, ""}, {made, 2, ""}, {strings.Replace(made, `"n"`, `"m"`, 1), 4, "impossible-path"}} {
		other := head + "tools:\n" + strings.Replace(besideTool(1, step.made), "next: count}", "next: last}", 1)
		if err := os.WriteFile(filepath.Join(dir, "other.yaml"), []byte(other), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := checks.Text(t.Context(), path, []byte(src), config.Options{AssumeEnv: true}, checks.Beside{Clean: clean})
		if err != nil {
			t.Fatal(err)
		}
		if followed, _ := clean.Counts(); followed != step.followed || !strings.Contains(c.Found.Error(), step.finds) || step.finds == "" && len(c.Found) > 0 {
			t.Errorf("%d graphs are followed so far, want %d; found %v, want %s", followed, step.followed, c.Found, step.finds)
		}
	}
}

// What another file says of a server counts as well.
func TestGraphsAreFollowedAgainWithOtherServers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, servers := filepath.Join(dir, "graph.yaml"), filepath.Join(dir, "servers.json")
	src := "version: \"1.0\"\nserver: {name: g, version: 1.0.0}\ntools:\n" + besideTool(1, fine)
	clean := new(flow.Clean)
	for _, step := range []struct {
		results, finds string
		followed       int
	}{{"json", "", 1}, {"json", "", 1}, {"text", "impossible-path", 2}} {
		for name, text := range map[string]string{servers: `{"mcpServers": {"files": {"command": "files", "results": "` + step.results + `"}}}`, filepath.Join(dir, "graph.lock.yaml"): besideLock(t)} {
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		c, err := checks.Text(t.Context(), path, []byte(src), config.Options{AssumeEnv: true, ServersFile: servers}, checks.Beside{Clean: clean})
		if err != nil {
			t.Fatal(err)
		}
		if followed, _ := clean.Counts(); followed != step.followed || !strings.Contains(c.Found.Error(), step.finds) {
			t.Errorf("%d graphs are followed so far, want %d; found %v, want %q", followed, step.followed, c.Found, step.finds)
		}
	}
}
