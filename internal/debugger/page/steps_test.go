package page

import (
	"fmt"
	"strings"
	"testing"

	"toolgraph/execution"
	"toolgraph/graph"
)

// stepsFile has a block for each item, a step that is repeated, one that is not run, a change, and failures.
const stepsFile = `version: "1.0"
server: {name: test, version: 1.0.0}
mcpServers: {up: {command: up, env: {TOKEN: "${TOKEN}"}}}
tools:
- name: survey
  description: surveys
  inputSchema: {type: object, properties: {n: {type: integer}, deep: {type: boolean, default: false}}}
  steps:
  - {id: first, call: up.inc, args: {n: {expr: args.n}}, effect: read}
  - id: rows
    each: '[1..args.n]'
    as: row
    maxParallel: 1
    steps:
    - {id: next, call: up.inc, args: {n: {expr: $row}}, effect: read}
    - {id: odd, if: $row = 2, call: up.busy, effect: read}
    - {id: sum, expr: next + first}
    return: sum
    onError: skip
  - {id: deeper, if: 'args.deep and "s3cret-t0ken-value" != ""', call: up.inc, args: {n: 1}, effect: read}
  - {id: job, call: up.inc, args: {n: {expr: $n}}, effect: read, after: [first], repeat: {until: $result = 3, delayMs: 0}}
  - {id: saved, call: up.inc, args: {n: {expr: $sum(rows)}}, effect: write}
  - {id: last, expr: first, after: [saved]}
  return: '{"saved": saved, "job": job}'
- name: fails
  description: fails
  steps:
  - {id: all, each: '[1, 2]', maxParallel: 1, steps: [{id: one, expr: $item}, {id: two, steps: [{id: bad, expr: '$item = 2 ? $error("no") : one'}]}]}
  - {id: never, expr: all}
`

func openSteps(t *testing.T) *client {
	t.Helper()
	return openFile(t, stepsFile, nil, func(s *Server) { s.project.Engine = execution.New(busy{}, execution.WithSequentialParts()) })
}

// The steps of a tool are the nodes of its drawing, with an arrow for each read; others keep the order of what changes.
func TestDrawingOfSteps(t *testing.T) {
	c := openSteps(t)
	drawn := good[drawing](c, "GET", "/api/graphs/survey", "")
	if got, want := edgesOf(drawn.Edges), "first-read>rows first-after>job rows-read>saved job-order>saved deeper-order>saved first-read>last saved-after>last "+
		"entry-order>first entry-order>deeper job-read>exit saved-read>exit last-order>exit"; got != want {
		t.Errorf("the arrows are\n%s\nwant\n%s", got, want)
	}
	var ids []string
	for _, n := range drawn.Nodes {
		ids = append(ids, n.ID)
	}
	rows := drawn.Nodes[2]
	if got := strings.Join(ids, " "); got != "entry first rows deeper job saved last exit" || rows.Name != "rows" || !rows.Each || rows.OnError != "skip" || rows.Changes {
		t.Errorf("the nodes are %s; rows is %+v", got, rows)
	}
	if got := edgesOf(rows.Edges); got != "rows.next-read>rows.sum" || len(rows.Steps) != 3 || rows.Steps[1].ID != "rows.odd" || rows.Steps[1].Name != "odd" || rows.Steps[1].If != "$row = 2" || rows.Steps[1].Line != 16 {
		t.Errorf("the block is %s %+v", got, rows.Steps)
	}
	if deeper, job, saved := drawn.Nodes[3], drawn.Nodes[4], drawn.Nodes[5]; strings.Contains(deeper.If, token) || !strings.Contains(deeper.If, "[redacted]") || !job.Repeat || !saved.Changes {
		t.Errorf("%+v, %+v, %+v", deeper, job, saved)
	}
}

func edgesOf(edges []graph.Edge) string {
	var all []string
	for _, e := range edges {
		all = append(all, fmt.Sprintf("%s-%s>%s", e.From, e.Kind, e.To))
	}
	return strings.Join(all, " ")
}

// statesOf writes the states of steps that the drawing of a run shows.
func (c *client) statesOf(id, near string) (states string, shown map[string]string) {
	c.t.Helper()
	latest := good[latestJSON](c, "GET", "/api/runs/"+id+"/latest?at=9&near="+near, "")
	for _, node := range []string{"first", "rows", "rows.next", "rows.odd", "rows.sum", "deeper", "job", "saved"} {
		n := latest.Nodes[node]
		state := n.State
		if n.Skipped {
			state = "skipped"
		}
		if n.Parts > 0 {
			state += fmt.Sprintf(" %d/%d", n.Ended, n.Parts)
		}
		states += node + "=" + state + " "
	}
	return states, latest.Shown
}

// A live run of steps: states, what is held, what a step waits for and would give, an edit, and how it ends.
func TestLiveSteps(t *testing.T) {
	c := openSteps(t)
	c.breakAt("survey", `{"node": "rows.sum", "condition": "$row = 3 and first = 4"}`)
	c.breakAt("survey", `{"node": "saved"}`)
	id := c.start(`{"tool": "survey", "args": {"n": 3}}`)
	held := c.until(id, "paused")
	if got := heldOf(held); got != "1.rows.2.sum=breakpoint" {
		t.Fatalf("held at %s", got)
	}
	states, shown := c.statesOf(id, "")
	if want := "first=ended rows=paused 2/3 rows.next=ended rows.odd=skipped rows.sum=paused deeper=waits job=waits saved=waits "; states != want || shown["rows"] != "rows.2" {
		t.Errorf("the states are %s of %v, want %s", states, shown, want)
	}
	if states, shown := c.statesOf(id, "job@2%20rows.1.next"); shown["rows"] != "rows.1" || !strings.Contains(states, "rows.odd=failed rows.sum=waits") {
		t.Errorf("item 1: %s of %v", states, shown)
	}
	step := func(part string) detailJSON {
		return good[detailJSON](c, "GET", "/api/runs/"+id+"/steps/1?marks=1&part="+part, "")
	}
	if sum := step("rows.2.sum"); !sum.Pending || sum.Foreseen == nil || sum.Foreseen.Text != "8" || sum.ItemName != "$row" || sum.Item.Text != "3" || sum.Node != "rows.sum" {
		t.Errorf("the step that is held: %+v", sum)
	}
	if saved := step("saved"); fmt.Sprint(saved.WaitsFor) != "[rows deeper job]" || saved.State != "waits" || saved.Input != nil {
		t.Errorf("what waits: %+v", saved)
	}
	if deeper := step("deeper"); deeper.WouldRun == nil || *deeper.WouldRun || deeper.Input != nil {
		t.Errorf("what would not run: %+v", deeper)
	}
	for place, want := range map[string]string{"rows.2.sum": `{"args":{"n":3,"deep":false},"first":4,"next":4,"$index":2,"$row":3}`, "job": `{"args":{"n":3,"deep":false},"first":4}`} {
		if status, got := c.ask("GET", "/api/runs/"+id+"/whole?of=context&at=1&part="+place, ""); status != 200 || got != want {
			t.Errorf("what %s sees: %d %s", place, status, got)
		}
	}
	if got := good[evaluatedJSON](c, "POST", "/api/runs/"+id+"/evaluate", `{"kind": "jsonata", "source": "next + $row + first", "at": 1, "part": "rows.2.sum"}`); got.Value == nil || got.Value.Text != "11" {
		t.Errorf("evaluated: %+v", got)
	}
	if next := step("rows.2.next"); !next.Editable || next.Output.Text != "4" {
		t.Errorf("the step above: %+v", next)
	}
	if first := step("first"); first.Editable {
		t.Error("a value can be edited that a step in progress reads")
	}
	good[info](c, "POST", "/api/runs/"+id+"/edit", `{"node": "rows.next", "value": 40}`)
	if next := step("rows.2.next"); !next.Edited || next.Output.Text != "40" || next.Output.Was != "4" || len(next.Expressions) == 0 {
		t.Errorf("the edited step: %+v", next)
	}
	if status, body := c.ask("POST", "/api/runs/"+id+"/edit", `{"node": "first", "value": 1}`); status != 409 || !strings.Contains(body, `step \"rows\" has begun`) {
		t.Errorf("%d %s", status, body)
	}
	c.control(id, "resume")
	c.until(id, "paused")
	if rows := step("rows"); rows.Editable != true || rows.Output.Text != "" || rows.Parts != 3 || rows.PartsAre != "item" || rows.Caught != 1 {
		t.Errorf("the block: %+v", rows)
	}
	c.control(id, "resume")
	c.until(id, "finished")
	if status, got := c.ask("GET", "/api/runs/"+id+"/whole?of=result", ""); status != 200 || got != `{"saved":51,"job":3}` {
		t.Errorf("the result: %d %s", status, got)
	}
}

// The parts of a run of steps are listed at any depth, in the order of the file; an expression is shown where it was
// evaluated, with what it read.
func TestPartsOfSteps(t *testing.T) {
	c := openSteps(t)
	id := c.start(`{"tool": "survey", "args": {"n": 3}}`)
	c.until(id, "finished")
	list := func(part string) string {
		var all []string
		for _, p := range good[partsJSON](c, "GET", "/api/runs/"+id+"/parts?at=1&part="+part, "").Parts {
			all = append(all, fmt.Sprintf("%s:%s:%s%s", p.Part, p.Node, p.Item, map[bool]string{true: ":skipped"}[p.Skipped]))
		}
		return strings.Join(all, " ")
	}
	for part, want := range map[string]string{
		"":           "first:first: rows:rows: deeper:deeper::skipped job:job: saved:saved: last:last:",
		"rows":       "rows.0:rows:1 rows.1:rows:2 rows.2:rows:3",
		"rows.0":     "rows.0.next:rows.next: rows.0.odd:rows.odd::skipped rows.0.sum:rows.sum:",
		"rows.0.sum": "rows.0.next:rows.next: rows.0.odd:rows.odd::skipped rows.0.sum:rows.sum:", // those beside it
		"job":        "job@1:job: job@2:job:",
	} {
		if got := list(part); got != want {
			t.Errorf("the parts of %q are %s, want %s", part, got, want)
		}
	}
	for part, want := range map[string]string{
		"rows":       `Items=[1,2,3] args.n=3; Return=-`,
		"rows.2":     `Return=8 sum=8`,
		"rows.0.odd": `If=false $row=1`,
		"job@2":      `Argument=2 $n=2; Repeat until=true $result=3`,
		"rows.2.sum": `Expression=- next=4 first=4`,
	} {
		var all []string
		step := good[detailJSON](c, "GET", "/api/runs/"+id+"/steps/1?part="+part, "")
		for _, e := range step.Expressions {
			text := e.Label + "=-"
			if e.Gives != nil {
				text = e.Label + "=" + *e.Gives
			}
			for _, r := range e.Reads {
				text += " " + r.Path + "=" + r.Preview
			}
			all = append(all, text)
		}
		if got := strings.Join(all, "; "); got != want {
			t.Errorf("the expressions of %s are %s, want %s", part, got, want)
		}
	}
	if input := good[detailJSON](c, "GET", "/api/runs/"+id+"/steps/1?part=job@2", "").Input; input == nil || input.Children[0].Text != "2" {
		t.Errorf("the arguments of a turn: %+v", input)
	}
	if whole := good[detailJSON](c, "GET", "/api/runs/"+id+"/steps/1", ""); whole.Expressions[0].Label != "Return" || whole.NotRun != 1 || whole.Parts != 6 || whole.PartsAre != "" {
		t.Errorf("the steps as a whole: %+v", whole)
	}
	found := good[foundJSON](c, "GET", "/api/runs/"+id+"/find?node=odd&at=1&part=rows.1", "")
	if found.Total != 3 || found.Before != 1 || found.Rows[1].Part != "rows.1.odd" || found.At {
		t.Errorf("found %+v", found)
	}
	if found := good[foundJSON](c, "GET", "/api/runs/"+id+"/find?failed=1", ""); found.Total != 2 || found.Rows[0].Part != "rows.1" || found.Rows[1].Part != "rows.1.odd" {
		t.Errorf("failures: %+v", found)
	}
	for path, want := range map[string]int{"/steps/1?part=none": 200, "/steps/1?part=rows.9": 200, "/steps/1?part=first.0": 404, "/parts?at=1&part=job@9": 200, "/latest?at=9&near=../..": 200, "/steps/1?part=rows@@": 400} {
		if status, body := c.ask("GET", "/api/runs/"+id+path, ""); status != want {
			t.Errorf("%s: %d %s, want %d", path, status, body, want)
		}
	}
}

// A run that failed in a block leads to the innermost step; steps after it were not run.
func TestFailedSteps(t *testing.T) {
	c := openSteps(t)
	id := c.start(`{"tool": "fails", "args": {}}`)
	run := c.until(id, "error")
	if run.FailedAt != "1.all.1.two.bad" || run.Error.Node != "all.two.bad" {
		t.Errorf("failed at %s: %+v", run.FailedAt, run.Error)
	}
	latest := good[latestJSON](c, "GET", "/api/runs/"+id+"/latest?at=9", "")
	if n := latest.Nodes; n["all.two.bad"].State != "failed" || n["never"].State != "none" || latest.Shown["all"] != "all.1" || latest.Shown["all.two"] != "all.1.two" {
		t.Errorf("%+v", latest)
	}
}
