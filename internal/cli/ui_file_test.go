package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/internal/program"
	"toolgraph/internal/project"
	"toolgraph/internal/project/lock"
	"toolgraph/mcpclient"
	"toolgraph/tests/thorough"
)

// checkedByCommand are the findings that toolgraph check prints.
func checkedByCommand(t *testing.T, path string) []string {
	t.Helper()
	var out bytes.Buffer
	flags := checkFlags{format: "json"}
	err := flags.run(t.Context(), program.Streams{In: strings.NewReader(""), Out: &out, Err: io.Discard}, []string{path})
	if err != nil && !errors.Is(err, program.ErrFindings) {
		t.Fatal(err)
	}
	var found []any
	if err := json.Unmarshal(out.Bytes(), &found); err != nil {
		t.Fatal(err)
	}
	return findingLines(t, found, path)
}

// The page shows what toolgraph check prints: of each example, of it in pieces and with mistakes, and with
// a lock beside it; of the file, and of the same text before it is saved.
func TestPageHasTheFindingsOfCheck(t *testing.T) {
	paths, err := filepath.Glob("../../examples/[0-9][0-9]-*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("FIRECRAWL_API_KEY", "key-of-the-test")
	paths = paths[:thorough.Times(8, len(paths))]
	found := 0
	for _, example := range paths {
		if strings.HasSuffix(example, ".test.yaml") {
			continue
		}
		t.Run(filepath.Base(example), func(t *testing.T) {
			raw, err := os.ReadFile(example)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "graph.yaml")
			write(t, path, string(raw))
			b := browse(t, path, true)
			locked := lockOf(t, path)
			for name, text := range map[string]string{
				"as it is":                     string(raw),
				"in pieces":                    string(raw[:len(raw)*2/3]),
				"a wrong key, and wrong names": strings.NewReplacer("next: ", "nxt: ").Replace(string(raw)),
				"wrong paths":                  strings.NewReplacer("$.entry.", "$.entri.", "$.", "$.entry.").Replace(string(raw)),
				"empty":                        "",
				"no YAML":                      string(raw) + "\n\t- {",
				"another tool":                 strings.NewReplacer("tool: ", "tool: x").Replace(string(raw)),
			} {
				for _, withLock := range []bool{false, true} {
					_ = os.Remove(lock.Path(path))
					if withLock {
						write(t, lock.Path(path), locked)
					}
					draft := findingLines(t, b.ask("POST", "/api/check", map[string]any{"text": text, "tool": ""})["findings"].([]any), path)
					write(t, path, text)
					b.reload()
					want := checkedByCommand(t, path)
					found += len(want)
					if got := findingLines(t, b.ask("GET", "/api/project", nil)["diagnostics"].([]any), path); !slices.Equal(got, want) {
						t.Errorf("%s, lock %v: the page has\n%s\ncheck has\n%s", name, withLock, strings.Join(got, "\n"), strings.Join(want, "\n"))
					}
					if !slices.Equal(draft, want) {
						t.Errorf("%s, lock %v: before it is saved the page has\n%s\ncheck has\n%s", name, withLock, strings.Join(draft, "\n"), strings.Join(want, "\n"))
					}
				}
				write(t, path, string(raw))
				b.reload()
			}
		})
	}
	if found < thorough.Times(100, 300) {
		t.Errorf("only %d findings were compared", found)
	}
}

// lockOf is a lock in which each tool that a file calls of its first server has other arguments.
func lockOf(t *testing.T, path string) string {
	t.Helper()
	p, err := project.Load(t.Context(), path, config.Options{AssumeEnv: true})
	if err != nil {
		t.Fatal(err)
	}
	var entries []lock.Entry
	for server, tools := range lock.Called(p.Graphs) {
		i := slices.IndexFunc(p.File.Servers, func(u *config.Upstream) bool { return u.Name.Value == server })
		for _, tool := range tools {
			entries = append(entries, lock.Pin(p.File.Servers[i], mcpclient.Tool{
				Name: tool, InputSchema: json.RawMessage(`{"type":"object","properties":{"other":{"type":"string"}},"required":["other"],"additionalProperties":false}`),
				OutputSchema: json.RawMessage(`{"type":"object","properties":{"value":{"type":"number"}},"required":["value"],"additionalProperties":false}`),
			}, p.File.Secrets))
		}
	}
	return string(lock.Of(lock.Path(path), entries...).Encode())
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

const savedFile = `server: {name: g, version: 1.0.0}
tools:
- name: a
  nodes: [{id: in, type: entry, next: out}, {id: out, type: exit}]
`

// A text that is not saved starts nothing and reads nothing: the file that it imports, the program that
// it names.
func TestDraftReadsNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "graph.yaml")
	write(t, path, savedFile)
	write(t, filepath.Join(dir, "lib.yaml"), strings.Replace(savedFile, "name: a", "name: from_the_import", 1))
	b := browse(t, path, true)
	text := "imports: {lib: lib.yaml}\nmcpServers:\n  up: {command: touch, args: [started]}\n  web: {url: 'http://127.0.0.1:1/'}\n" + strings.Replace(savedFile, "{id: in, type: entry, next: out}",
		"{id: in, type: entry, next: m}, {id: m, type: mcp, server: up, tool: x, next: w}, {id: w, type: mcp, server: web, tool: y, next: g}, {id: g, type: graph, tool: lib.from_the_import, next: out}", 1)
	t.Chdir(dir)
	for _, op := range []string{"check", "complete", "describe"} {
		for at := 0; at < len(text); at += 40 {
			w := b.do("POST", "/api/"+op, map[string]any{"text": text, "at": at, "tool": "a"})
			if w.Code != http.StatusOK {
				t.Fatalf("%s: %d %s", op, w.Code, w.Body)
			}
			if op == "check" {
				if !strings.Contains(w.Body.String(), "import-not-read") || strings.Contains(w.Body.String(), "not-a-graph") {
					t.Errorf("check: %s", w.Body)
				}
				break
			}
		}
	}
	if _, err := os.Stat("started"); !errors.Is(err, os.ErrNotExist) {
		t.Error("the program was started")
	}
	if got := b.ask("PUT", "/api/source", map[string]any{"text": text, "version": b.ask("GET", "/api/source", nil)["version"]}); got["outcome"] != "saved" {
		t.Fatalf("saving it: %v", got)
	}
	if got := b.ask("POST", "/api/check", map[string]any{"text": text + "\n", "tool": "a"}); strings.Contains(fmt.Sprint(got), "import-not-read") {
		t.Errorf("the import of the saved file is not read: %v", got)
	}
}

// What is saved is the file that was opened, whole, with its permissions; a link to it stays one.
func TestSaveOnThePage(t *testing.T) {
	dir := t.TempDir()
	real, path := filepath.Join(dir, "real.yaml"), filepath.Join(dir, "graph.yaml")
	write(t, real, savedFile)
	if err := errors.Join(os.Symlink("real.yaml", path), os.Chmod(real, 0o640)); err != nil {
		t.Skip(err)
	}
	b := browse(t, path, true)
	version := b.ask("GET", "/api/source", nil)["version"]
	save := func(text string, version any, broken bool) map[string]any {
		t.Helper()
		return b.ask("PUT", "/api/source", map[string]any{"text": text, "version": version, "broken": broken, "path": "/etc/passwd", "file": "other.yaml"})
	}
	content := func() string {
		t.Helper()
		raw, err := os.ReadFile(real)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	changed := strings.Replace(savedFile, "1.0.0", "2.0.0", 1)
	got := save(changed, version, false)
	if got["outcome"] != "saved" || content() != changed {
		t.Fatalf("%v %s", got, content())
	}
	info, err := os.Lstat(real)
	link, err2 := os.Lstat(path)
	if err != nil || err2 != nil || info.Mode().Perm() != 0o640 || link.Mode()&os.ModeSymlink == 0 {
		t.Errorf("mode %v, link %v, %v %v", info.Mode(), link.Mode(), err, err2)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("left behind: %v %v", left, err)
	}
	if got := save(savedFile, version, true); got["outcome"] != "changed" || content() != changed || !strings.Contains(got["diff"].(string), "-server: {name: g, version: 2.0.0}") {
		t.Errorf("an older version: %v", got)
	}
	version = got["version"]
	bad := strings.Replace(changed, "next: out", "next: nowhere", 1)
	if got := save(bad, version, false); got["outcome"] != "errors" || got["errors"] != 1.0 || content() != changed {
		t.Errorf("errors: %v", got)
	}
	if got := save(bad, version, true); got["outcome"] != "saved" || content() != bad {
		t.Errorf("errors that the user accepts: %v", got)
	}
	for _, body := range []map[string]any{{"text": strings.Repeat("x", config.MaxFileBytes+1), "version": version, "broken": true}} {
		if w := b.do("PUT", "/api/source", body); w.Code != http.StatusRequestEntityTooLarge || content() != bad {
			t.Errorf("too long: %d", w.Code)
		}
	}
	if err := os.Chmod(real, 0o440); err != nil {
		t.Fatal(err)
	}
	b.reload()
	w := b.do("PUT", "/api/source", map[string]any{"text": changed, "version": b.ask("GET", "/api/source", nil)["version"]})
	if w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), "is read-only") || content() != bad {
		t.Errorf("a file that is read-only: %d %s", w.Code, w.Body)
	}
}

// Secrets of the file are not shown, and survive that other lines are changed.
func TestSaveKeepsHiddenSecrets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "graph.yaml")
	const secret = "s3cret-t0ken-value"
	text := "mcpServers:\n  up: {command: x, env: {API_TOKEN: " + secret + "}}\n" + savedFile
	write(t, path, text)
	b := browse(t, path, true)
	source := b.ask("GET", "/api/source", nil)
	shown := source["text"].(string)
	if strings.Contains(shown, secret) || !strings.Contains(shown, "[redacted]") {
		t.Fatalf("shown: %s", shown)
	}
	edited := "# first\n" + strings.Replace(shown, "  up:", "    up:", 1)
	if got := b.ask("PUT", "/api/source", map[string]any{"text": edited, "version": source["version"]}); got["outcome"] != "saved" {
		t.Fatalf("%v", got)
	}
	if raw, err := os.ReadFile(path); err != nil || string(raw) != "# first\n"+strings.Replace(text, "  up:", "    up:", 1) {
		t.Errorf("saved %v: %s", err, raw)
	}
	b.reload()
	source = b.ask("GET", "/api/source", nil)
	w := b.do("PUT", "/api/source", map[string]any{"text": strings.Replace(edited, "command: x", "command: y", 1), "version": source["version"]})
	if w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), "in line 3 stands for a secret") {
		t.Errorf("a changed line with a secret: %d %s", w.Code, w.Body)
	}
	if w := b.do("POST", "/api/check", map[string]any{"text": shown + "x: 1\n"}); strings.Contains(w.Body.String(), secret) {
		t.Errorf("check shows it: %s", w.Body)
	}
}

// Of two browsers that save at once one wins, and the other learns of it; nothing is mixed.
func TestSavesAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "graph.yaml")
	write(t, path, savedFile)
	b := browse(t, path, true)
	version := b.ask("GET", "/api/source", nil)["version"]
	const many = 8
	texts, codes := make([]string, many), make(chan string, many)
	for i := range many {
		texts[i] = savedFile + fmt.Sprintf("# %d\n", i)
		go func() {
			w := b.do("PUT", "/api/source", map[string]any{"text": texts[i], "version": version})
			codes <- fmt.Sprint(w.Code, strings.Contains(w.Body.String(), `"saved"`))
		}()
	}
	saved := 0
	for range many {
		switch got := <-codes; got {
		case "200 true":
			saved++
		case "200 false", "409 false":
		default:
			t.Error(got)
		}
	}
	raw, err := os.ReadFile(path)
	if err != nil || saved != 1 || !slices.Contains(texts, string(raw)) {
		t.Errorf("%d were saved, and the file is %s, %v", saved, raw, err)
	}
}

// Without --allow-write nothing is saved, and no text but the file's own is looked at.
func TestNoWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "graph.yaml")
	write(t, path, savedFile)
	b := browse(t, path, false)
	source := b.ask("GET", "/api/source", nil)
	if source["writable"] != false {
		t.Errorf("%v", source)
	}
	for _, path := range []string{"PUT /api/source", "POST /api/check", "POST /api/complete", "POST /api/describe"} {
		method, path, _ := strings.Cut(path, " ")
		w := b.do(method, path, map[string]any{"text": savedFile + "# more", "version": source["version"], "broken": true})
		if w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), "--allow-write") {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	if w := b.do("POST", "/api/describe", map[string]any{"text": source["text"], "at": 2}); w.Code != http.StatusOK {
		t.Errorf("the file itself: %d %s", w.Code, w.Body)
	}
	if raw, err := os.ReadFile(path); err != nil || string(raw) != savedFile {
		t.Errorf("%v %s", err, raw)
	}
}
