package page

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/execution/journal/sqlite"
	"toolgraph/expressions/value"
)

// shownOf runs a tool and returns what a view shows of the run.
func shownOf(t *testing.T, p Project, tool, args string, values bool) (raw []byte, result *execution.Result) {
	t.Helper()
	v, result, failed := ran(t, p, tool, args)
	shown := Shown{Project: p.Project, Tool: tool, Args: v, Run: result, Err: failed, Values: values}
	var err error
	if raw, err = shown.JSON(t.Context()); err != nil || !json.Valid(raw) {
		t.Fatalf("%v: %.200s", err, raw)
	}
	return raw, result
}

// walkFile has blocks, items, turns and a step that fails.
const walkFile = `version: "1.0"
server: {name: test, version: 1.0.0}
mcpServers: {up: {command: up}}
tools:
- name: walk
  description: walks
  inputSchema: {type: object, properties: {n: {type: integer}, fail: {type: boolean, default: false}}}
  steps:
  - {id: list, expr: '[1..args.n]'}
  - id: each
    each: list
    as: one
    steps:
    - {id: more, call: up.inc, args: {n: {expr: $one}}, effect: read}
    - {id: odd, if: more % 2 = 1, expr: 'args.fail and more = 3 ? $error("no 3") : more'}
  - {id: turn, call: up.inc, args: {n: {expr: '$exists($previous) ? $previous : 0'}}, effect: read, repeat: {until: $result = 3, times: 5, delayMs: 0}}
  - {id: total, expr: $count(each)}
`

// A view shows what the page shows of the run once it is recorded.
func TestShownAsOnThePage(t *testing.T) {
	for file, calls := range map[string]map[string][]string{
		framesFile: {"trip": {`{"n":3}`}, "each": {`{"n":120}`}},
		walkFile:   {"walk": {`{"n":3}`, `{"n":2,"fail":true}`}},
	} {
		store, err := sqlite.Open(t.TempDir(), journal.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = store.Close() })
		c := openFile(t, file, store)
		p := projectOf(t, file, store)
		for tool, all := range calls {
			for _, args := range all {
				raw, result := shownOf(t, p, tool, args, true)
				var shown struct {
					Run, Graph, Path, Latest map[string]any
					Steps, Parts             map[string]map[string]any
				}
				if err := json.Unmarshal(raw, &shown); err != nil {
					t.Fatal(err)
				}
				run := "/api/runs/" + result.RunID
				same := func(what string, got any, path string) {
					t.Helper()
					want := good[map[string]any](c, "GET", path, "")
					if what == "run" {
						for _, differs := range []string{"started", "ended", "ms", "rev", "usage", "graph", "args"} { // the end of the last step; bytesOut is that of the client; args have no defaults
							delete(want, differs)
							delete(got.(map[string]any), differs)
						}
					}
					if roughly(got) != roughly(want) {
						t.Errorf("%s %s: %s\nview %s\npage %s", tool, args, what, roughly(got), roughly(want))
					}
				}
				same("run", shown.Run, run)
				same("path", shown.Path, run+"/path")
				same("latest", shown.Latest, run+"/latest?at=99")
				for frame, list := range shown.Steps {
					same("steps "+frame, list, run+"/steps?frame="+frame)
				}
				for at, list := range shown.Parts {
					p := placeAt(execution.Address(at))
					same("parts "+at, list, fmt.Sprintf("%s/parts?frame=%s&at=%d&part=%s", run, p.Frame, p.At, p.Part))
				}
				if len(shown.Steps) == 0 || !reflect.DeepEqual(shown.Graph, good[map[string]any](c, "GET", "/api/graphs/"+tool, "")) {
					t.Errorf("%s: the graph is another one, or there are no steps: %s", tool, raw)
				}
			}
		}
	}
}

// roughly is JSON without the items that only the page evaluates, and with times as 0: the store rounds them.
func roughly(v any) string {
	var plain func(any) any
	plain = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			out := map[string]any{}
			for key, one := range v {
				switch key {
				case "item":
				case "start", "ms":
					out[key] = 0
				default:
					out[key] = plain(one)
				}
			}
			return out
		case []any:
			out := make([]any, len(v))
			for i, one := range v {
				out[i] = plain(one)
			}
			return out
		}
		return v
	}
	raw, _ := json.Marshal(plain(v))
	return string(raw)
}

// S10: a view has no secret, whole or cut; and without values nothing of what steps gave, nor of the expressions.
func TestS10NoSecretInAView(t *testing.T) {
	p := projectOf(t, framesFile, nil)
	say := strings.Repeat("x", previewShown-25) + token // a preview would cut it in two
	for _, values := range []bool{true, false} {
		raw, _ := shownOf(t, p, "trip", fmt.Sprintf(`{"n":2,"say":%q}`, say), values)
		if strings.Contains(string(raw), token[:8]) {
			t.Errorf("values %v: a secret: %s", values, raw)
		}
		for _, piece := range []string{"xxxx", "no stop", "$count", "$.entry.n"} {
			if strings.Contains(string(raw), piece) != values {
				t.Errorf("values %v: %q is there: %v", values, piece, !values)
			}
		}
	}
	p = projectOf(t, walkFile, nil)
	if raw, _ := shownOf(t, p, "walk", `{"n":3}`, false); strings.Contains(string(raw), "args.") || strings.Contains(string(raw), "more %") {
		t.Errorf("expressions of steps: %s", raw)
	}
	const turnFile = `version: "1.0"
server: {name: test, version: 1.0.0}
tools:
- name: turn
  description: turns
  nodes:
  - {id: entry, type: entry, next: way}
  - {id: way, type: switch, conditions: [{rule: {"==": [{var: entry.colour}, vermilion]}, next: exit}], next: other}
  - {id: other, type: transform, transform: {expr: '1'}, next: exit}
  - {id: exit, type: exit}
`
	p = projectOf(t, turnFile, nil)
	for _, values := range []bool{true, false} {
		if raw, _ := shownOf(t, p, "turn", `{}`, values); strings.Contains(string(raw), "vermilion") != values {
			t.Errorf("values %v: the condition: %s", values, raw)
		}
	}
}

// What a view shows is bounded, whatever runs hold.
func TestShownIsBounded(t *testing.T) {
	p := projectOf(t, framesFile, nil)
	if raw, _ := shownOf(t, p, "trip", fmt.Sprintf(`{"n":3,"say":%q}`, strings.Repeat("<", 1<<20)), true); len(raw) > 20_000 {
		t.Errorf("huge values: %d bytes", len(raw))
	}
	raw, _ := shownOf(t, p, "trip", `{"n":1000}`, true)
	var lists struct {
		Steps, Parts map[string]struct{ Steps, Parts []any }
	}
	if err := json.Unmarshal(raw, &lists); err != nil {
		t.Fatal(err)
	}
	rows := 0
	for _, list := range []map[string]struct{ Steps, Parts []any }{lists.Steps, lists.Parts} {
		for _, one := range list {
			rows += len(one.Steps) + len(one.Parts)
		}
	}
	if len(raw) > mostShownBytes || rows < mostShownRows || rows > mostShownRows+10 { // the last list has four
		t.Errorf("%d bytes, %d rows", len(raw), rows)
	}
	var src strings.Builder
	src.WriteString("version: \"1.0\"\nserver: {name: test, version: 1.0.0}\ntools:\n- name: long\n  description: long\n  steps:\n")
	for i := range 300 {
		fmt.Fprintf(&src, "  - {id: s%d, expr: '\"%s\"'}\n", i, strings.Repeat("y", 900))
	}
	raw, _ = shownOf(t, projectOf(t, src.String(), nil), "long", `{}`, true)
	if len(raw) > mostShownBytes || strings.Contains(string(raw), `"nodes":[`) || !strings.Contains(string(raw), `"status":"finished"`) {
		t.Errorf("%d bytes: %.300s", len(raw), raw)
	}
}

// A plan with a mistake has no drawing; one that was only checked has no run.
func TestShownPlans(t *testing.T) {
	p := projectOf(t, strings.Replace(walkFile, "tools:", "plan: {calls: [\"up.*\"]}\ntools:", 1), nil)
	for args, want := range map[string]string{
		`{"steps":[{"id":"a","call":"up.inc","args":{"n":1}}]}`: `{"graph":{"tool":"run_plan"`,
		`{"steps":[{"id":"a","expr":"("}]}`:                     ``,
	} {
		v, _ := value.Decode([]byte(args))
		raw, err := (&Shown{Project: p.Project, Tool: "run_plan", Args: v}).JSON(t.Context())
		if err != nil || !strings.HasPrefix(string(raw), want) || want == "" && raw != nil {
			t.Errorf("%s: %v %s", args, err, raw)
		}
	}
}
