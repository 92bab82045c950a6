package tests

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolgraph/tests/testbin"
)

// diagnosticsPage has an entry for every code, and its examples are tests.
var diagnosticsPage = filepath.Join("..", "docs", "diagnostics.md")

// entry is what the page says of one code.
type entry struct {
	code     string
	line     int
	severity string   // the words before the first full stop: Error, Warning or Error or warning
	hidden   string   // why there is no example; "" when there are some
	examples []*block // the yaml blocks, each with the blocks that belong to it
}

// block is a fenced block of the page.
type block struct {
	kind        string
	first, past int      // the lines of its text, as indexes
	lines       []string // its text
	more        []*block // after a yaml block: the servers (json), the findings (text), the remedy (diff)
}

// text is "" for a block that is not there.
func (b *block) text() string {
	if b == nil {
		return ""
	}
	return strings.Join(b.lines, "\n") + "\n"
}

// get is the block of a kind that belongs to b, or nil.
func (b *block) get(kind string) *block {
	for _, m := range b.more {
		if m.kind == kind {
			return m
		}
	}
	return nil
}

func readPage(t *testing.T) (lines []string, entries []*entry) {
	t.Helper()
	raw, err := os.ReadFile(diagnosticsPage)
	if err != nil {
		t.Fatal(err)
	}
	lines = strings.Split(string(raw), "\n")
	entries, err = parsePage(lines)
	if err != nil {
		t.Fatalf("%s:%v", diagnosticsPage, err)
	}
	return lines, entries
}

const noExample = "<!-- no example: "

// parsePage reads the entries: a heading "## code" begins each.
func parsePage(lines []string) ([]*entry, error) {
	var entries []*entry
	var now *entry
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		code, isEntry := strings.CutPrefix(line, "## ")
		switch {
		case isEntry:
			now = &entry{code: code, line: i + 1}
			entries = append(entries, now)
		case strings.HasPrefix(line, "# "):
			now = nil
		case strings.HasPrefix(line, "```"):
			b := &block{kind: line[3:], first: i + 1}
			for i++; i < len(lines) && lines[i] != "```"; i++ {
				b.lines = append(b.lines, lines[i])
			}
			b.past = i
			if err := now.take(b); err != nil {
				return nil, fmt.Errorf("%d: %w", b.first, err)
			}
		case now == nil || line == "":
		case strings.HasPrefix(line, noExample):
			now.hidden = strings.TrimSuffix(line[len(noExample):], " -->")
		case now.severity == "":
			now.severity, _, _ = strings.Cut(line, ".")
		}
	}
	return entries, nil
}

// take adds a block to an entry, which may be nil.
func (e *entry) take(b *block) error {
	switch {
	case e == nil:
		return nil
	case b.kind == "yaml":
		e.examples = append(e.examples, b)
		return nil
	case b.kind != "json" && b.kind != "text" && b.kind != "diff":
		return fmt.Errorf("found a block of %q, expected yaml, json, text or diff", b.kind)
	case len(e.examples) == 0:
		return fmt.Errorf("found a block of %s before the yaml block that it belongs to", b.kind)
	}
	owner := e.examples[len(e.examples)-1]
	if owner.get(b.kind) != nil {
		return fmt.Errorf("found a second block of %s after one yaml block", b.kind)
	}
	owner.more = append(owner.more, b)
	return nil
}

// checkedFile is a graph file, and a file of servers unless it is "". found is what toolgraph check prints of it.
type checkedFile struct{ graph, servers, found string }

// checkFiles runs toolgraph check on files, each in a directory of its own: one process for all without servers, and one
// for each of the others.
func checkFiles(t *testing.T, files []*checkedFile) {
	t.Helper()
	const name = "graph.yaml"
	cmd := programCommand(t, testbin.Build(t, "toolgraph"), "check")
	alone := map[string]*checkedFile{} // those without servers, by their directories
	for i, file := range files {
		dir := fmt.Sprintf("f%04d", i)
		write := func(name, text string) {
			if err := os.WriteFile(filepath.Join(cmd.Dir, dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Mkdir(filepath.Join(cmd.Dir, dir), 0o700); err != nil {
			t.Fatal(err)
		}
		write(name, file.graph)
		if file.servers == "" {
			alone[dir] = file
			cmd.Args = append(cmd.Args, filepath.Join(dir, name))
			continue
		}
		write("servers.json", file.servers)
		of := exec.Command(cmd.Path, "check", name, "--mcp", "servers.json")
		of.Dir, of.Env = filepath.Join(cmd.Dir, dir), cmd.Env
		file.found = findings(t, of)
	}
	for line := range strings.Lines(findings(t, cmd)) {
		dir, _, _ := strings.Cut(line, string(filepath.Separator))
		file := alone[dir]
		if file == nil {
			t.Fatalf("check prints a line of no file: %s", line)
		}
		file.found += strings.ReplaceAll(line, dir+string(filepath.Separator), "")
	}
}

// findings runs toolgraph check.
func findings(t *testing.T, check *exec.Cmd) string {
	t.Helper()
	out, err := check.Output()
	if code := check.ProcessState.ExitCode(); code != 0 && code != 3 {
		t.Fatalf("check ended with %v", err)
	}
	return string(out)
}

// programCommand runs in a place of its own, with nothing set in its environment.
func programCommand(t *testing.T, toolgraph string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(toolgraph, args...)
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"HOME=" + cmd.Dir}
	return cmd
}

// The examples give the findings that the page shows, and its remedies cure them.
// UPDATE_GOLDEN=1 writes the findings into the page.
func TestDiagnosticsPage(t *testing.T) {
	t.Parallel()
	lines, entries := readPage(t)
	update := os.Getenv("UPDATE_GOLDEN") != ""
	var blocks []*block // in the page's order
	var checked []*checkedFile
	examples, cured := map[*block]*checkedFile{}, map[*block]*checkedFile{}
	for _, e := range entries {
		for _, b := range e.examples {
			example, remedy := b.files(t)
			examples[b], cured[b] = example, remedy
			checked = append(checked, example, remedy)
		}
	}
	checkFiles(t, checked)
	for _, e := range entries {
		for _, b := range e.examples {
			text := b.get("text")
			if text == nil {
				t.Errorf("%s:%d: the example of %s has no text block", diagnosticsPage, b.first, e.code)
				continue
			}
			blocks = append(blocks, text)
			got := examples[b].found
			if update {
				text.lines = strings.Split(strings.TrimSuffix(got, "\n"), "\n")
			} else if got != text.text() {
				t.Errorf("%s:%d: check gives\n%s", diagnosticsPage, b.first, got)
			}
			e.checkExample(t, text.lines)
			if left := cured[b].found; left != "" {
				t.Errorf("%s:%d: the remedy leaves\n%s", diagnosticsPage, b.first, left)
			}
		}
	}
	if update {
		for _, b := range slices.Backward(blocks) {
			lines = slices.Replace(lines, b.first, b.past, b.lines...)
		}
		if err := os.WriteFile(diagnosticsPage, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// checkExample demands that findings have the entry's code, with its severity.
func (e *entry) checkExample(t *testing.T, findings []string) {
	t.Helper()
	shown := false
	for _, f := range findings {
		if !strings.HasSuffix(f, "["+e.code+"]") {
			continue
		}
		shown = true
		severity := "error"
		if strings.Contains(f, ": warning: ") {
			severity = "warning"
		}
		if !strings.Contains(strings.ToLower(e.severity), severity) {
			t.Errorf("the page calls %s %q, and this is no such finding: %s", e.code, e.severity, f)
		}
	}
	if !shown {
		t.Errorf("the example does not give %s but\n%s", e.code, strings.Join(findings, "\n"))
	}
}

// files returns the example and what the diff block makes of it, which must cure it.
func (b *block) files(t *testing.T) (example, cured *checkedFile) {
	t.Helper()
	remedy := b.get("diff")
	if remedy == nil {
		t.Fatalf("%s:%d: the example has no diff block that mends it", diagnosticsPage, b.first)
	}
	before, after, err := remedy.change()
	if err != nil {
		t.Fatalf("%s:%v", diagnosticsPage, err)
	}
	graph, servers := "\n"+b.text(), "\n"+b.get("json").text()
	if n := strings.Count(graph, before) + strings.Count(servers, before); n != 1 {
		t.Fatalf("%s:%d: what the diff changes stands %d times in the example", diagnosticsPage, remedy.first, n)
	}
	return &checkedFile{graph: graph[1:], servers: servers[1:]}, &checkedFile{
		graph: strings.Replace(graph, before, after, 1)[1:], servers: strings.Replace(servers, before, after, 1)[1:],
	}
}

// change is the lines of a diff before and after, each after a line end.
func (b *block) change() (before, after string, err error) {
	for i, line := range b.lines {
		if line == "" || line[0] != ' ' && line[0] != '-' && line[0] != '+' {
			return "", "", fmt.Errorf("%d: a line of a diff begins with a blank, - or +", b.first+i+1)
		}
		if line[0] != '+' {
			before += "\n" + line[1:]
		}
		if line[0] != '-' {
			after += "\n" + line[1:]
		}
	}
	return before + "\n", after + "\n", nil
}

// Every entry has a severity and either examples or the reason why it has none.
func TestDiagnosticsPageForm(t *testing.T) {
	t.Parallel()
	_, entries := readPage(t)
	seen := map[string]int{}
	for _, e := range entries {
		at := fmt.Sprintf("%s:%d: %s", diagnosticsPage, e.line, e.code)
		if first := seen[e.code]; first != 0 {
			t.Errorf("%s has an entry in line %d already", at, first)
		}
		seen[e.code] = e.line
		if !slices.Contains([]string{"Error", "Warning", "Error or warning"}, e.severity) {
			t.Errorf("%s begins with %q, expected Error, Warning, or Error or warning", at, e.severity)
		}
		if (e.hidden == "") == (len(e.examples) == 0) {
			t.Errorf("%s has %d examples and the reason %q for none, expected one or the other", at, len(e.examples), e.hidden)
		}
	}
}
