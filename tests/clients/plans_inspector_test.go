package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// The Inspector's command line has no user to ask: a plan that writes is refused before its first call, in every era.
func TestPlansThroughTheInspector(t *testing.T) {
	i := newInspector(t)
	s := newSurroundings(t)
	for era, refused := range map[string]int{"legacy": 5, "auto": 1, "modern": 1} { // the newer eras have a protocol error for it
		t.Run(era, func(t *testing.T) {
			p := newPlanning(t)
			out, code := i.run(t, s, nil, p.graph, "--protocol-era", era, "--method", "tools/list", "--strict")
			if code != 0 || !strings.Contains(out, `"run_plan"`) || !strings.Contains(out, `"search_tools"`) {
				t.Errorf("tools/list ended with %d: %s", code, out)
			}
			var results []shown
			for n, c := range planCalls() {
				args, err := json.Marshal(c.Args)
				if err != nil {
					t.Fatal(err)
				}
				out, code := i.run(t, s, nil, p.graph, "--protocol-era", era, "--method", "tools/call", "--tool-name", c.Tool, "--tool-args-json", string(args), "--format", "json")
				if want := []int{0, 0, refused, refused, 5}[n]; code != want || strings.Contains(out, intermediate) {
					t.Errorf("call %d ended with %d, want %d: %s", n, code, want, out)
				}
				var said struct {
					Result result
					Error  struct{ Message string }
				}
				if err := json.Unmarshal([]byte(out), &said); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
				said.Result.Thrown = said.Error.Message
				results = append(results, said.Result.show())
			}
			p.check(t, outcomes[""], results, nil)
		})
	}
}

// mcpdo is the Inspector's other command line, whose daemon holds connections and questions between commands.
type mcpdo struct {
	*testing.T
	node, script, connection string
	env                      []string
}

// newMcpdo is a client with a daemon of its own, which ends with the test.
func newMcpdo(t *testing.T, i inspector, s surroundings, connection string) mcpdo {
	t.Helper()
	dir, err := os.MkdirTemp("", "do") // a short name, as sockets have
	if err != nil {
		t.Fatal(err)
	}
	m := mcpdo{t, i.node, filepath.Join(filepath.Dir(i.script), "..", "..", "mcpdo", "build", "mcp-bin.js"), connection, slices.Clip(s.env)}
	m.env = append(m.env, "HOME="+dir, "TMPDIR="+dir, "MCP_CATALOG_PATH="+filepath.Join(dir, "catalog.json"), "MCP_INSPECTOR_SECRET_STORE=memory")
	exports, _ := m.run("private")
	for _, e := range regexp.MustCompile(`export (\w+)='(.*)'`).FindAllStringSubmatch(exports, -1) {
		m.env = append(m.env, e[1]+"="+e[2])
	}
	t.Cleanup(func() {
		m.run("daemon", "stop")
		for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			if out, _ := m.run("daemon", "status"); strings.Contains(out, `"running": false`) {
				break
			}
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return m
}

// run runs a command and returns its output and exit code.
func (m mcpdo) run(words ...string) (string, int) {
	m.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command(m.node, append([]string{m.script, "--format", "json", "--connection", m.connection}, words...)...) //nolint:gosec // of the test itself
	cmd.Env, cmd.Stderr = m.env, &stderr
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		m.Fatalf("%v: %v: %s", words, err, &stderr)
	}
	if cmd.ProcessState.ExitCode() == 1 {
		m.Errorf("%v: %s", words, &stderr)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// call calls a tool, gives the answer to each question, and returns what the client shows, and the questions.
func (m mcpdo) call(c call, answer ...string) (shown, []string) {
	m.Helper()
	args, err := json.Marshal(c.Args)
	if err != nil {
		m.Fatal(err)
	}
	var questions []string
	for out, _ := m.run("tools/call", c.Tool, string(args)); ; {
		var said struct {
			result
			Pending struct {
				ID      string `json:"elicitationId"`
				Message string `json:"message"`
			} `json:"elicitationPending"`
		}
		if err := json.Unmarshal([]byte(out), &said); err != nil || strings.Contains(out, intermediate) {
			m.Fatalf("%v: %s", err, out)
		}
		if said.Pending.ID == "" {
			return said.show(), questions
		}
		questions = append(questions, said.Pending.Message)
		out, _ = m.run(append([]string{"elicitation/respond", said.Pending.ID}, answer...)...)
	}
}

// The Inspector's mcpdo shows the question, and its next command answers it.
func TestPlansThroughMcpdo(t *testing.T) {
	i := newInspector(t)
	s := newSurroundings(t)
	for _, era := range []string{"legacy", "modern"} {
		for answer, words := range map[string][]string{"accept": {"{}"}, "decline": {"--decline"}} {
			t.Run(era+"/"+answer, func(t *testing.T) {
				p := newPlanning(t)
				m := newMcpdo(t, i, s, "jobs")
				if out, code := m.run("connect", "--era", era, p.binary, "--", "-g", p.graph, "--no-history"); code != 0 || !strings.Contains(out, `"protocolEra": "`+era+`"`) {
					t.Fatalf("connect ended with %d: %s", code, out)
				}
				if out, _ := m.run("tools/list"); !strings.Contains(out, `"run_plan"`) || !strings.Contains(out, `"search_tools"`) {
					t.Errorf("tools/list: %s", out)
				}
				var results []shown
				var questions []string
				for _, c := range planCalls() {
					r, asked := m.call(c, words...)
					results, questions = append(results, r), append(questions, asked...)
				}
				p.check(t, outcomes[answer], results, questions)
			})
		}
	}
}
