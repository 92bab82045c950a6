package tests

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/tests/testbin"
)

// doors has a tool for each form of an answer, and exposes those of a server.
const doors = `version: "1.0"
server: {name: doors, version: 1.0.0}
executionLimits: {maxResultBytes: 4000}
mcpServers: {up: {command: $FAKE}, gone: {command: $FAKE}}
expose: [up.structured, up.fail, up.text]
plan: {calls: ["up.*"], confirm: []}
pipeline: true
tools:
  - {name: sized, inputSchema: &n {type: object, properties: {n: {type: number}}}, steps: [{id: a, call: up.structured, args: {n: {expr: args.n}, size: 100}}]}
  - {name: counted, inputSchema: *n, steps: [{id: a, call: up.structured, args: {n: {expr: args.n}, size: 100}}, {id: b, call: up.text, args: {text: é"x"}}, {id: c, expr: '{"n": $count(a.items)}'}]}
  - {name: said, inputSchema: *n, result: text, steps: [{id: a, call: up.text, args: {text: é"x"}}]}
  - {name: asked, prompt: true, inputSchema: {type: object, properties: {}}, steps: [{id: a, call: up.text, args: {text: é"x"}}]}
  - {name: pictures, inputSchema: *n, steps: [{id: a, call: up.image, args: {}}]}
  - {name: broken, inputSchema: *n, steps: [{id: a, call: up.text, args: {text: long}}, {id: b, expr: '$error("no")'}]}
  - {name: pure, inputSchema: *n, steps: [{id: a, expr: '{"a": args.n}'}]}
`

// aUsage is what _meta, lists and exports have of a run.
type aUsage struct {
	ID                                    string
	Calls, BytesIn, BytesOut, TokensSaved int
}

// recordedUsage returns what the runs of a store have used, by their ids.
func recordedUsage(t *testing.T, state string) map[string]aUsage {
	t.Helper()
	var list struct {
		Runs []struct {
			ID    string
			Usage *aUsage
		}
	}
	if err := json.Unmarshal([]byte(output(t, testbin.Build(t, "toolgraph"), "runs", "list", "--json", "--state", state)), &list); err != nil {
		t.Fatal(err)
	}
	all := map[string]aUsage{}
	for _, r := range list.Runs {
		if r.Usage == nil {
			t.Errorf("run %s has no usage", r.ID)
			continue
		}
		r.Usage.ID = r.ID
		all[r.ID] = *r.Usage
	}
	return all
}

// What is recorded of a run is what its client gets in _meta, whatever the form of its answer is.
func TestRecordedUsageIsThatOfTheAnswer(t *testing.T) {
	t.Parallel()
	state, file := t.TempDir(), filepath.Join(t.TempDir(), "graph.yaml")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(doors, "$FAKE", testbin.Build(t, "toolgraph/tests/fakeserver"))), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startCommand(t, nil, "serve", file, "--state", state)
	s.handshake()
	answered, names := map[string]aUsage{}, map[string]string{}
	for _, c := range []struct{ name, method, params, has string }{
		{"value", "tools/call", `{"name":"sized","arguments":{"n":5}}`, `"structuredContent"`},
		{"value", "tools/call", `{"name":"counted","arguments":{"n":5}}`, `{\"n\":5}`},
		{"text", "tools/call", `{"name":"said","arguments":{}}`, `é\"x\"`},
		{"prompt", "prompts/get", `{"name":"asked"}`, `"messages"`},
		{"content", "tools/call", `{"name":"pictures","arguments":{}}`, `"image"`},
		{"failure", "tools/call", `{"name":"broken","arguments":{}}`, `"isError":true`},
		{"summary", "tools/call", `{"name":"sized","arguments":{"n":100}}`, `"resource_link"`},
		{"exposed", "tools/call", `{"name":"up__structured","arguments":{"n":5,"size":100}}`, `"structuredContent"`},
		{"exposed text", "tools/call", `{"name":"up__text","arguments":{"text":"é\"x\""}}`, `"content"`},
		{"exposed failure", "tools/call", `{"name":"up__fail","arguments":{"text":"no"}}`, `"isError":true`},
		{"exposed summary", "tools/call", `{"name":"up__structured","arguments":{"n":100,"size":100}}`, `"resource_link"`},
		{"pipeline", "tools/call", `{"name":"pipeline","arguments":{"steps":[{"tool":"counted","args":{"n":3}},{"tool":"said","args":{}}]}}`, `variables`},
		{"failed pipeline", "tools/call", `{"name":"pipeline","arguments":{"steps":[{"tool":"broken","args":{"n":3}},{"tool":"said","args":{}}]}}`, `"isError":true`},
		{"plan", "tools/call", `{"name":"run_plan","arguments":{"steps":[{"id":"a","call":"up.structured","args":{"n":5,"size":100}},{"id":"b","expr":"$count(a.items)"}]}}`, `5`},
		{"failed plan", "tools/call", `{"name":"run_plan","arguments":{"steps":[{"id":"a","call":"up.text","args":{"text":"x"}},{"id":"b","expr":"$error(\"no\")"}]}}`, `"isError":true`},
	} {
		r := s.request(c.method, c.params)
		var result struct {
			Meta struct {
				Run *aUsage `json:"toolgraph/run"`
			} `json:"_meta"`
		}
		if err := json.Unmarshal(r.Result, &result); err != nil || result.Meta.Run == nil || !strings.Contains(string(r.Result), c.has) {
			t.Fatalf("%s: %s %+v", c.name, r.Result, r.Error)
		}
		answered[result.Meta.Run.ID] = *result.Meta.Run
		names[result.Meta.Run.ID] = c.name
	}
	s.request("tools/call", `{"name":"pure","arguments":{"n":1}}`) // has no calls, so the answer reports nothing
	s.end()                                                        // all is written
	recorded := recordedUsage(t, state)
	for id, want := range answered {
		if got := recorded[id]; got != want || got.Calls == 0 || got.BytesIn == 0 || got.BytesOut == 0 {
			t.Errorf("%s: recorded is %+v, the answer has %+v", names[id], got, want)
		}
	}
	for id, got := range recorded {
		if _, known := answered[id]; !known && got != (aUsage{ID: id, BytesOut: len(`{"a":1}`)}) {
			t.Errorf("without calls: %+v", got)
		}
	}
	agree(t, state, answered)
}

// agree checks that the sums of stats are those of the answers, and one run whose calls made no call.
func agree(t *testing.T, state string, answered map[string]aUsage) {
	t.Helper()
	var stats struct {
		Total  struct{ Runs, Failures, Calls, BytesIn, BytesOut, TokensSaved int }
		Groups struct {
			Server []struct {
				Name           string
				Calls, BytesIn int
				BytesOut       *int
			}
		}
	}
	if err := json.Unmarshal([]byte(output(t, testbin.Build(t, "toolgraph"), "stats", "--by", "server", "--json", "--state", state)), &stats); err != nil {
		t.Fatal(err)
	}
	var want aUsage
	for _, u := range answered {
		want.Calls, want.BytesIn, want.BytesOut, want.TokensSaved = want.Calls+u.Calls, want.BytesIn+u.BytesIn, want.BytesOut+u.BytesOut, want.TokensSaved+u.TokensSaved
	}
	got := stats.Total
	if got.Runs != len(answered)+1 || got.Calls != want.Calls || got.BytesIn != want.BytesIn || got.BytesOut != want.BytesOut+len(`{"a":1}`) || got.TokensSaved != want.TokensSaved {
		t.Errorf("the figures are %+v, expected %+v of %d runs", got, want, len(answered))
	}
	by := stats.Groups.Server
	if len(by) != 1 || by[0].Name != "up" || by[0].Calls != want.Calls || by[0].BytesIn != want.BytesIn || by[0].BytesOut != nil {
		t.Errorf("by server: %+v", by)
	}
}

// A run of the command line records what it prints, whole, and so does one that fails.
func TestRecordedUsageIsThatOfTheCommand(t *testing.T) {
	t.Parallel()
	state, file := t.TempDir(), filepath.Join(t.TempDir(), "graph.yaml")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(doors, "$FAKE", testbin.Build(t, "toolgraph/tests/fakeserver"))), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"sized", "n=5"}, {"sized", "n=100"}, {"said"}, {"broken"}} {
		cmd := exec.CommandContext(t.Context(), testbin.Build(t, "toolgraph"), append([]string{"run", file, "--json", "--state", state}, args...)...)
		var errOut strings.Builder
		cmd.Stderr = &errOut
		if err := cmd.Run(); (err != nil) != (args[0] == "broken") {
			t.Fatalf("%v: %v %s", args, err, errOut.String())
		}
		lines := strings.Split(strings.TrimSpace(errOut.String()), "\n")
		var printed aUsage
		if err := json.Unmarshal([]byte(lines[len(lines)-1]), &printed); err != nil {
			t.Fatalf("%v: %v %s", args, err, errOut.String())
		}
		if got := recordedUsage(t, state)[printed.ID]; got != printed || got.Calls != 1 {
			t.Errorf("%v: recorded is %+v, printed %+v", args, got, printed)
		}
	}
}
