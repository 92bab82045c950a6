package clients

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolgraph/tests/examplefile"
	"toolgraph/tests/testbin"
)

// job is what testdata/sdk.mjs is to do.
type job struct {
	Command   []string          `json:"command"`
	Directory string            `json:"directory"`
	Env       map[string]string `json:"env"`
	Calls     []call            `json:"calls"`
	SDK       int               `json:"sdk"`     // its major version, 0 for 1
	Timeout   int               `json:"timeout"` // of a call in ms, which begins anew with each progress; 0 for none
	Prompts   []prompt          `json:"prompts,omitempty"`
	Answer    string            `json:"answer"` // accept or decline, to every question; "" for a client that cannot be asked
}

// seen is what the client has seen.
type seen struct {
	Protocol string   `json:"protocol"` // as version 2 reports it
	Tools    []string `json:"tools"`
	Results  []result `json:"results"` // of each call
	Progress []struct {
		Progress float64 `json:"progress"`
		Message  string  `json:"message"`
	} `json:"progress"` // of calls with a timeout
	Prompts   []gotPrompt `json:"prompts"` // of each prompt
	Questions []string    `json:"questions"`
	Received  []string    `json:"received"` // every message of the server
}

type call struct {
	Tool string         `json:"tool"`
	Args map[string]any `json:"args"`
}

// result is a tool's result as a client hands it out.
type result struct {
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
	StructuredContent json.RawMessage `json:"structuredContent"`
	IsError           bool            `json:"isError"`
	Thrown            string          `json:"thrown"` // the client gave no result but this error
}

// text is the value as JSON: structuredContent, else the only text.
func (r result) text() string {
	switch {
	case r.Thrown != "":
		return "the client says: " + r.Thrown
	case len(r.StructuredContent) > 0:
		return string(r.StructuredContent)
	case len(r.Content) == 1:
		return r.Content[0].Text
	}
	return ""
}

// bySDK does a job in the folder over node_modules.
func bySDK(t *testing.T, modules string, env []string, j job) seen {
	t.Helper()
	script, err := filepath.Abs("testdata/sdk.mjs")
	if err != nil {
		t.Fatal(err)
	}
	in, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "node", script)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stderr = filepath.Dir(modules), env, bytes.NewReader(in), &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, &stderr)
	}
	var said seen
	if err := json.Unmarshal(out, &said); err != nil || len(said.Results) != len(j.Calls) {
		t.Fatalf("%v: %s", err, out)
	}
	return said
}

func TestExamplesThroughTheTypeScriptSDK(t *testing.T) {
	for _, sdk := range []struct {
		version            int
		packages, protocol string
	}{{1, sdkPackage, ""}, {2, newerSDKPackage, "2026-07-28"}} {
		t.Run(sdk.packages, func(t *testing.T) {
			modules := modules(t, sdk.packages)
			s := newSurroundings(t)
			s.each(t, func(t *testing.T, c examplefile.Case) {
				got := bySDK(t, modules, s.env, job{
					Command: []string{s.binary, "-g", filepath.Base(c.Graph)}, Directory: s.examples, Env: c.Env,
					Calls: []call{{c.Tool, c.Args}}, SDK: sdk.version,
				})
				if !slices.Contains(got.Tools, c.Tool) || got.Protocol != sdk.protocol {
					t.Errorf("over %q the client sees the tools %v, not %s", got.Protocol, got.Tools, c.Tool)
				}
				if err := c.Expect.Match(got.Results[0].text(), got.Results[0].IsError); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestManyCallsOverOneSession(t *testing.T) {
	modules := modules(t, sdkPackage)
	s := newSurroundings(t)
	j := job{Command: []string{s.binary, "-g", "01-count-files.yaml"}, Directory: s.examples}
	for range 20 {
		j.Calls = append(j.Calls, call{"count_files", map[string]any{"directory": "data/notes"}},
			call{"count_files", map[string]any{"directory": 1}}, call{"no_such_tool", nil})
	}
	for i, r := range bySDK(t, modules, s.env, j).Results {
		switch i % 3 {
		case 0:
			if r.IsError || !strings.Contains(r.text(), `"files":4`) {
				t.Errorf("call %d: %s", i, r.text())
			}
		case 1:
			if !r.IsError || !strings.Contains(r.text(), "directory") {
				t.Errorf("call %d: %s", i, r.text())
			}
		case 2:
			if !strings.Contains(r.Thrown, "-32602") {
				t.Errorf("call %d: %s", i, r.text())
			}
		}
	}
}

// A host that gives up a call after four silent seconds hears of a slow upstream server's
// progress, and waits; one whose upstream server is silent gives up.
func TestSlowUpstreamBehindAnImpatientHost(t *testing.T) {
	for _, sdk := range []struct {
		version  int
		packages string
	}{{1, sdkPackage}, {2, newerSDKPackage}} {
		t.Run(sdk.packages, func(t *testing.T) {
			modules := modules(t, sdk.packages)
			graph := filepath.Join(t.TempDir(), "graph.yaml")
			source := `version: "1.0"
server: {name: test, version: 1.0.0}
mcpServers: {up: {command: ` + testbin.Build(t, "toolgraph/tests/fakeserver") + `}}
tools:
- name: slow
  description: takes nine seconds, and reports each
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: up, tool: report, args: {n: 9, ms: 1000, message: a page}, next: exit}
  - {id: exit, type: exit}
- name: silent
  description: takes a minute, and reports nothing
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: up, tool: sleep, args: {ms: 60000}, next: exit}
  - {id: exit, type: exit}
`
			if err := os.WriteFile(graph, []byte(source), 0o600); err != nil {
				t.Fatal(err)
			}
			got := bySDK(t, modules, os.Environ(), job{
				Command: []string{testbin.Build(t, "toolgraph"), "-g", graph}, Directory: t.TempDir(), SDK: sdk.version,
				Calls: []call{{"slow", map[string]any{}}, {"silent", map[string]any{}}}, Timeout: 4000,
			})
			if slow := got.Results[0]; slow.text() != `"done"` || len(got.Progress) < 9 {
				t.Errorf("the slow call gave %q after %d notifications", slow.text(), len(got.Progress))
			}
			if silent := got.Results[1]; !strings.Contains(strings.ToLower(silent.Thrown), "timed out") {
				t.Errorf("the host has no such timeout: %q", silent.text())
			}
			for i, p := range got.Progress {
				if i > 0 && strings.HasSuffix(p.Message, "a page") && p.Progress <= got.Progress[i-1].Progress {
					t.Errorf("the progress %v comes after %v", p.Progress, got.Progress[i-1].Progress)
				}
			}
		})
	}
}
