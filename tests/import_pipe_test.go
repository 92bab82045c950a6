package tests

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"toolgraph/tests/testbin"
)

// F27: the pipe that Context Pipe publishes, imported, runs on stand-ins for its two servers and two
// programs: each of its four stages is in the history. With a wrong API key the run fails with the
// help of its node.
func TestF27Seed000WebResearchPipe(t *testing.T) {
	t.Parallel()
	p := newWebResearch(t)
	p.run(0, "import", "context-pipe", "pipes.json", "-o", "graph.yaml")

	const text = "[8 words]\nA pipe moves text.\n"
	if out, _ := p.run(0, "run", "graph.yaml", "web-research-pipe", "input=https://example.com", "--allow-exec"); out != text {
		t.Errorf("the pipe gives %q", out)
	}
	out, _ := p.run(0, "runs", "show", "last", "--json")
	var shown struct {
		History []struct {
			Node   string `json:"nodeId"`
			Output struct {
				Value any `json:"value"`
			} `json:"output"`
		} `json:"history"`
	}
	if err := json.Unmarshal([]byte(out), &shown); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	var stages []string
	for _, r := range shown.History {
		if output, isText := r.Output.Value.(string); isText {
			stages = append(stages, r.Node+": "+output)
		}
	}
	if want := []string{
		"scrape: <h1>https://example.com</h1><p>A pipe moves text.</p><p>It rains.</p>",
		"markitdown: # https://example.com\n\nA pipe moves text.\n\nIt rains.\n",
		"index: [8 words]\n# https://example.com\n\nA pipe moves text.\n\nIt rains.\n",
		"semantic_sift_cli: " + text, "exit: " + text,
	}; !slices.Equal(stages, want) {
		t.Errorf("the history has %q in %s", stages, out)
	}

	p.env = append(p.env, "FIRECRAWL_API_KEY=wrong-key")
	_, failure := p.run(1, "run", "graph.yaml", "web-research-pipe", "input=https://example.com", "--allow-exec")
	for _, want := range []string{
		`node "scrape"`, "unauthorized: the API key is not valid",
		"Firecrawl MCP server not reachable. Check FIRECRAWL_API_KEY and server config.",
	} {
		if !strings.Contains(failure, want) {
			t.Errorf("%q is missing in %s", want, failure)
		}
	}
	if strings.Contains(failure, "wrong-key") {
		t.Errorf("the key is in %s", failure)
	}
}

// Without --allow-exec no program of an imported pipe is started.
func TestF27ProgramsNeedPermission(t *testing.T) {
	t.Parallel()
	p := newWebResearch(t)
	p.run(0, "import", "context-pipe", "pipes.json", "-o", "graph.yaml")
	_, failure := p.run(1, "run", "graph.yaml", "web-research-pipe", "input=https://example.com")
	if !strings.Contains(failure, `node "markitdown"`) || !strings.Contains(failure, "--allow-exec") {
		t.Errorf("the failure is %s", failure)
	}
}

// webResearch is a directory with pipes.json, and stand-ins for its programs on PATH.
type webResearch struct {
	*testing.T
	dir string
	env []string
}

func newWebResearch(t *testing.T) *webResearch {
	t.Helper()
	dir, bin := t.TempDir(), t.TempDir()
	stand, err := os.ReadFile(testbin.Build(t, "toolgraph/tests/webresearch"))
	if err != nil {
		t.Fatal(err)
	}
	ending := ""
	if runtime.GOOS == "windows" {
		ending = ".exe"
	}
	for _, name := range []string{"python", "markitdown", "semantic-sift-cli"} {
		if err := os.WriteFile(filepath.Join(bin, name+ending), stand, 0o700); err != nil { //nolint:gosec // it is run
			t.Fatal(err)
		}
	}
	pipes, err := os.ReadFile(filepath.Join("..", "internal", "interop", "importer", "testdata", "web-research.json"))
	if err != nil {
		t.Fatal(err)
	}
	// The published file names a Python of another machine.
	pipes = bytes.ReplaceAll(pipes, []byte("C:/path/to/venv/Scripts/python.exe"), []byte("python"))
	if err := os.WriteFile(filepath.Join(dir, "pipes.json"), pipes, 0o600); err != nil {
		t.Fatal(err)
	}
	return &webResearch{t, dir, []string{
		"PATH=" + bin + string(filepath.ListSeparator) + os.Getenv("PATH"), "FIRECRAWL_API_KEY=right-key", "TOOLGRAPH_STATE=" + filepath.Join(dir, "state"),
	}}
}

// run runs toolgraph in the directory; it must end with this code.
func (p *webResearch) run(code int, args ...string) (stdout, stderr string) {
	p.Helper()
	cmd := exec.CommandContext(p.Context(), testbin.Build(p.T, "toolgraph"), args...)
	cmd.Dir, cmd.Env = p.dir, append(os.Environ(), p.env...)
	var out, failure bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &failure
	_ = cmd.Run() // the code is checked below
	if got := cmd.ProcessState.ExitCode(); got != code {
		p.Fatalf("%v ended with %d, expected %d:\n%s%s", args, got, code, out.String(), failure.String())
	}
	return out.String(), failure.String()
}
