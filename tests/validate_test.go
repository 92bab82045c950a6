package tests

import (
	"encoding/json"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"toolgraph/tests/testbin"
)

// misfitGraph has a tool whose value does not fit its outputSchema, and whose arguments
// have a default.
const misfitGraph = `version: "1.0"
server: {name: misfit, version: 1.0.0}
tools:
  - name: misfit
    description: gives a text where it says a number
    inputSchema: {type: object, properties: {n: {type: integer}, size: {type: integer, default: 10}}, required: [n]}
    outputSchema: {type: object, properties: {n: {type: integer}}}
    nodes:
      - {id: in, type: entry, next: make}
      - {id: make, type: transform, transform: {expr: '{"n": "size " & $.in.size}'}, next: out}
      - {id: out, type: exit}
`

const misfitText = `does not fit its outputSchema: result.n: expected an integer, got the string \"size 10\"`

// recorded are the statuses of the recorded runs; it waits until there are as many.
func recorded(t *testing.T, state string, want int) []string {
	t.Helper()
	var statuses []string
	for end := time.Now().Add(answerTimeout); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		out, err := exec.Command(testbin.Build(t, "toolgraph"), "runs", "list", "--state", state, "--format", "json").Output()
		if err != nil {
			t.Fatal(err)
		}
		var list struct{ Runs []struct{ Status string } }
		mustUnmarshal(t, out, &list)
		statuses = nil
		for _, run := range list.Runs {
			statuses = append(statuses, run.Status)
		}
		if len(statuses) >= want && !strings.Contains(strings.Join(statuses, " "), "running") {
			break
		}
	}
	return statuses
}

// Each door makes one run whose value does not fit, and one whose arguments do not: the
// first is a failure and recorded as one, the second is refused and is no run.
func TestV18EveryDoor(t *testing.T) {
	t.Parallel()
	toolgraph := testbin.Build(t, "toolgraph")
	command := func(args ...string) string {
		out, err := exec.Command(toolgraph, args...).CombinedOutput()
		if err == nil {
			t.Errorf("%v succeeded", args)
		}
		quoted, _ := json.Marshal(string(out))
		return string(quoted)
	}
	for name, door := range map[string]func(t *testing.T, graph, state string) (misfit, refused string){
		"run": func(_ *testing.T, graph, state string) (string, string) {
			return command("run", graph, "misfit", "n=1", "--state", state), command("run", graph, "misfit", "--args", `{"n":"x"}`, "--state", state)
		},
		"serve": func(t *testing.T, graph, state string) (string, string) {
			s := startCommand(t, nil, "-g", graph, "--state", state)
			s.handshake()
			call := func(args string) string {
				r := s.call("misfit", args)
				if !r.IsError {
					t.Errorf("a call with %s succeeded", args)
				}
				quoted, _ := json.Marshal(r.text(t))
				return string(quoted)
			}
			return call(`{"n":1}`), call(`{"n":"x"}`)
		},
		"ui": func(t *testing.T, graph, state string) (string, string) {
			p, _, _ := startUI(t, graph, "--state", state, "--no-open")
			var run struct{ ID string }
			if err := json.Unmarshal([]byte(p.ask("POST", "api/runs", `{"tool": "misfit", "args": {"n": 1}}`)), &run); err != nil {
				t.Fatal(err)
			}
			resp, err := p.client.Post(p.base+"api/runs", "application/json", strings.NewReader(`{"tool": "misfit", "args": {"n": "x"}}`))
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			var refusal json.RawMessage
			if err := json.NewDecoder(resp.Body).Decode(&refusal); err != nil || resp.StatusCode != http.StatusUnprocessableEntity {
				t.Errorf("%d, %v", resp.StatusCode, err)
			}
			return p.until("api/runs/"+run.ID, `"ended":"`), string(refusal)
		},
		"toolkit": func(t *testing.T, graph, state string) (string, string) {
			a := newAgent(t, "-g", graph, "--allow-run", "--state", state)
			return a.raw("runGraphTool", `{"toolName": "misfit", "arguments": {"n": 1}}`), a.raw("runGraphTool", `{"toolName": "misfit", "arguments": {"n": "x"}}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newGraphFile(t, misfitGraph)
			state := t.TempDir()
			misfit, refused := door(t, f.path, state)
			if !strings.Contains(misfit, misfitText) {
				t.Errorf("the value: %s", misfit)
			}
			if !strings.Contains(refused, `arguments.n: expected an integer, got the string \"x\"`) {
				t.Errorf("the arguments: %s", refused)
			}
			if got := recorded(t, state, 1); len(got) != 1 || got[0] != "error" {
				t.Errorf("the recorded runs are %v", got)
			}
			// What is recorded is what resume gives, and what a replay comes to.
			for _, again := range []string{"resume", "replay"} {
				if got := command(again, "last", "--state", state); !strings.Contains(got, misfitText) {
					t.Errorf("%s: %s", again, got)
				}
			}
		})
	}
	f := newGraphFile(t, misfitGraph)
	if got := command("run", f.path, "misfit", "n=1", "--dry-run"); !strings.Contains(got, misfitText) {
		t.Errorf("a dry run: %s", got)
	}
	f.write(misfitGraph)
	if got := command("debug", f.path, "misfit", "--args", `{"n":"x"}`, "--no-history"); !strings.Contains(got, `arguments.n: expected an integer`) {
		t.Errorf("debug: %s", got)
	}
}

// One kilobyte of arguments keeps no server busy and fills no memory, whatever the schema
// makes of them.
func TestV01OverTheWire(t *testing.T) {
	t.Parallel()
	s := start(t, `version: "1.0"
server: {name: tree, version: 1.0.0}
tools:
  - name: tree
    description: takes a tree
    inputSchema:
      type: object
      properties: {tree: {$ref: "#/$defs/node"}}
      $defs:
        node:
          oneOf:
            - {type: object, properties: {child: {$ref: "#/$defs/node"}, left: {}}}
            - {type: object, properties: {child: {$ref: "#/$defs/node"}, right: {}}}
    nodes:
      - {id: in, type: entry, next: out}
      - {id: out, type: exit}
`)
	r := s.call("tree", `{"tree":`+strings.Repeat(`{"child":`, 40)+`"x"`+strings.Repeat("}", 41))
	if text := r.text(t); !r.IsError || !strings.Contains(text, `child: expected an object, got the string "x"`) {
		t.Errorf("got %s", text)
	}
	if mb := peakMB(t, s.cmd.Process.Pid); mb > 200 {
		t.Errorf("the server took %d MB", mb)
	}
}
