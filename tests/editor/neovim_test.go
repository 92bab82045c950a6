package editor

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"toolgraph/tests/testbin"
)

func TestMain(m *testing.M) {
	os.Exit(testbin.Run(m))
}

// neovim is a Neovim without a screen, which is driven from outside by keys and by expressions.
type neovim struct {
	t      *testing.T
	socket string
	dir    string
}

// startNeovim starts Neovim in a project with the lines that docs/editors.md gives for old versions.
func startNeovim(t *testing.T, files map[string]string) *neovim {
	t.Helper()
	if _, err := exec.LookPath("nvim"); err != nil {
		t.Skip("needs Neovim (Debian's package neovim)")
	}
	n := &neovim{t: t, dir: t.TempDir()}
	n.socket = filepath.Join(t.TempDir(), "nvim")
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(n.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	config := filepath.Join(t.TempDir(), "init.lua")
	if err := os.WriteFile(config, []byte(documented(t, "lua", "start_client")), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("nvim", "--clean", "-n", "--headless", "-u", config, "--listen", n.socket)
	cmd.Dir = n.dir
	cmd.Env = withProgram(t)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		n.remote("--remote-send", "<C-\\><C-n>:qa!<CR>")
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		select {
		case <-ended:
		case <-time.After(noEnd):
			cmd.Process.Kill()
			<-ended
			t.Error("Neovim did not end")
		}
		if t.Failed() {
			t.Logf("Neovim printed: %s", said.String())
		}
	})
	for deadline := time.Now().Add(noEnd); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(n.socket); err == nil {
			break
		} else if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
	return n
}

// withProgram is the environment of an editor that finds toolgraph in PATH.
func withProgram(t *testing.T) []string {
	t.Helper()
	return append(os.Environ(), "PATH="+filepath.Dir(testbin.Build(t, "toolgraph"))+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// noEnd ends an editor that hangs.
const noEnd = 2 * time.Minute

// remote sends something to Neovim by its own protocol, and returns what it answers.
func (n *neovim) remote(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), noEnd)
	defer cancel()
	out, err := exec.CommandContext(ctx, "nvim", append([]string{"--server", n.socket}, args...)...).CombinedOutput() // old versions print to standard error
	return strings.TrimSpace(string(out)), err
}

// keys types keys, as :help key-notation writes them, which end in normal mode.
func (n *neovim) keys(keys string) {
	n.t.Helper()
	var none any
	n.lua(fmt.Sprintf("vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes([[%s]], true, false, true), [[xt]], false) or vim.NIL", keys), &none)
}

// send types keys without waiting for what they do.
func (n *neovim) send(keys string) {
	n.t.Helper()
	if _, err := n.remote("--remote-send", keys); err != nil {
		n.t.Fatalf("%s: %v", keys, err)
	}
}

// lua evaluates an expression of Lua.
func (n *neovim) lua(expression string, result any) {
	n.t.Helper()
	quoted := strings.ReplaceAll(expression, "'", "''")
	out, err := n.remote("--remote-expr", "luaeval('vim.json.encode("+quoted+")')")
	if err == nil {
		err = json.Unmarshal([]byte(out), result)
	}
	if err != nil {
		n.t.Fatalf("%s: %v: %s", expression, err, out)
	}
}

// until waits in Neovim until a condition of Lua holds, which it looks at while it goes on with its own work.
func (n *neovim) until(what, condition string) {
	n.t.Helper()
	var held bool
	if n.lua(fmt.Sprintf("(vim.wait(%d, function() return %s end, 10))", noEnd.Milliseconds()/2, condition), &held); !held {
		n.t.Fatalf("%s: not within %v", what, noEnd/2)
	}
}

// at moves the cursor to where the first text is, and then to the second one behind it.
func (n *neovim) at(first, second string) {
	n.t.Helper()
	var line int
	n.lua(fmt.Sprintf("(function() vim.fn.cursor(1, 1) vim.fn.search([[\\V%s]], [[cW]]) return vim.fn.search([[\\V%s]], [[cW]]) end)()", first, second), &line)
	if line == 0 {
		n.t.Fatalf("there is no %q", second)
	}
}

// documented returns the block of code in docs/editors.md that has a text.
func documented(t *testing.T, language, text string) string {
	t.Helper()
	src, err := os.ReadFile("../../docs/editors.md")
	if err != nil {
		t.Fatal(err)
	}
	for block := range strings.SplitSeq(string(src), "```"+language+"\n") {
		if code, _, closed := strings.Cut(block, "```"); closed && strings.Contains(code, text) {
			return code
		}
	}
	t.Fatalf("docs/editors.md has no block of %s with %s", language, text)
	return ""
}

const notes = `version: "1.0"
server: {name: notes, version: 1.0.0}
mcpServers:
  files: {command: toolgraph, args: [demo-server, .]}
tools:
  - name: largest
    description: The largest note.
    inputSchema: {type: object, properties: {folder: {type: string}}, required: [folder]}
    nodes:
      - {id: entry, type: entry, next: list}
      - {id: list, type: mcp, server: files, tool: list_directory, args: {path: {expr: $.entry.folder}}, next: pick}
      - {id: pick, type: transform, transform: {expr: '$.list.entries^(>size)[0]'}, next: done}
      - {id: exit, type: exit}
`

const notesTest = `tests:
  - name: the largest
    tool: largest
    args: {folder: notes}
    mocks: {list: {result: {entries: [{name: a.md, size: 3}]}}}
    expect: {path: [entry, list, pick, exit]}
`

// Neovim 0.7.2, as Debian has it, shows a finding, completes, shows a hover, goes to a definition and renames.
func TestNeovim(t *testing.T) {
	t.Parallel()
	n := startNeovim(t, map[string]string{"notes.yaml": notes, "notes.test.yaml": notesTest})
	n.keys(":edit notes.yaml<CR>")
	n.until("a finding", "#vim.diagnostic.get(0) > 0")
	var found []struct {
		Line int    `json:"lnum"`
		From int    `json:"col"`
		To   int    `json:"end_col"`
		Code string `json:"code"`
	}
	n.lua("vim.diagnostic.get(0)", &found)
	line := strings.Split(notes, "\n")[11]
	if f := found[0]; len(found) != 1 || f.Line != 11 || line[f.From:f.To] != "done" || f.Code != "unknown-node" {
		t.Errorf("the findings are %+v", found)
	}

	n.at("next: done", "done")
	n.keys("cwexit<Esc>")
	n.until("no finding", "#vim.diagnostic.get(0) == 0")

	n.at("$.list.entries", "list")
	n.send("i<C-x><C-o>")
	var words []string
	for deadline := time.Now().Add(noEnd); len(words) == 0; {
		if time.Now().After(deadline) {
			t.Fatalf("no completions within %v", noEnd)
		}
		n.lua("vim.tbl_map(function(item) return item.word end, vim.fn.complete_info({[[items]]}).items)", &words)
	}
	checkCompletions(t, words)
	n.send("<C-e><Esc>")
	for mode := ""; mode != "n"; {
		n.lua("vim.fn.mode()", &mode)
	}

	n.at("$.entry.folder", "folder")
	n.keys("K")
	const float = "vim.tbl_filter(function(w) return vim.api.nvim_win_get_config(w).relative ~= [[]] end, vim.api.nvim_list_wins())[1]"
	n.until("a hover", float+" ~= nil")
	var hover []string
	n.lua("vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf("+float+"), 0, -1, false)", &hover)
	checkHover(t, strings.Join(hover, "\n"))

	n.at("$.list.entries", "list")
	n.keys("gd")
	n.until("the definition", "vim.fn.line([[.]]) == 11")

	n.keys(":lua vim.lsp.buf.rename('entries_of')<CR>")
	n.until("the new name", "vim.fn.search([[$.entries_of.entries]], [[n]]) > 0")
	n.keys(":wall<CR>")
	n.until("both files are saved", "#vim.fn.getbufinfo({bufmodified = 1}) == 0")
	checkRenamed(t, n.dir)
}

// checkCompletions compares what is offered behind $. in the expression of pick.
func checkCompletions(t *testing.T, words []string) {
	t.Helper()
	for _, want := range []string{"entry", "list"} {
		if !slices.Contains(words, want) {
			t.Errorf("the completions behind $. are %q, expected %s among them", words, want)
		}
	}
}

// checkHover compares the hover of folder in $.entry.folder.
func checkHover(t *testing.T, text string) {
	t.Helper()
	if !strings.Contains(text, "folder") || !strings.Contains(text, "string") {
		t.Errorf("the hover is %q", text)
	}
}

// checkRenamed compares the files of a project in which the node list has become entries_of.
func checkRenamed(t *testing.T, dir string) {
	t.Helper()
	for name, want := range map[string]string{
		"notes.yaml":      strings.NewReplacer("next: done", "next: exit", "next: list", "next: entries_of", "id: list,", "id: entries_of,", "$.list.", "$.entries_of.").Replace(notes),
		"notes.test.yaml": strings.NewReplacer("mocks: {list:", "mocks: {entries_of:", "[entry, list,", "[entry, entries_of,").Replace(notesTest),
	} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("%s is\n%s\nexpected\n%s", name, got, want)
		}
	}
}
