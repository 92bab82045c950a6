package page

import (
	"net/http"
	"strings"
	"testing"

	"toolgraph/execution/journal"
	"toolgraph/execution/journal/sqlite"
)

// findFile has a node that yields nothing unless entry.list has something.
const findFile = `version: "1.0"
server: {name: test, version: 1.0.0}
tools:
- name: find
  description: finds
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: found}
  - {id: found, type: transform, transform: {expr: '$.entry.list[0]'}, next: look}
  - {id: look, type: transform, transform: {expr: '{"is": $exists($.found), "or": $.found ?? "none"}'}, next: exit}
  - {id: exit, type: exit}
`

// A node that yielded nothing is shown so, in live runs and in kept ones, and is not in
// the context.
func TestNothingIsShown(t *testing.T) {
	store, err := sqlite.Open(t.TempDir(), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	c := openFile(t, findFile, store)
	empty := c.start(`{"tool": "find", "args": {}}`)
	c.until(empty, "finished")
	null := c.start(`{"tool": "find", "args": {"list": [null, 1]}}`)
	c.until(null, "finished")
	c.start(`{"tool": "find", "args": {"list": [1]}}`) // the controller keeps one: the others are read from the store
	for _, run := range []struct{ id, preview, kind string }{{empty, "nothing", "nothing"}, {null, "null", "null"}} {
		_, steps := c.ask("GET", "/api/runs/"+run.id+"/steps", "")
		if !strings.Contains(steps, `"preview":"`+run.preview+`"`) {
			t.Errorf("the steps are %s", steps)
		}
		step := good[detailJSON](c, "GET", "/api/runs/"+run.id+"/steps/1", "")
		if step.Output == nil || step.Output.Kind != run.kind || run.kind == "nothing" && step.Output.Bytes != 0 {
			t.Errorf("step 1 gave %+v", step.Output)
		}
	}
	if context := c.level(empty, "context", 2); len(context.Children) != 1 || context.Children[0].Key != "entry" {
		t.Errorf("the context is %+v", context)
	}
	if status, body := c.ask("GET", "/api/runs/"+empty+"/whole?of=output&at=1", ""); status != http.StatusNoContent || body != "" {
		t.Errorf("the whole of nothing is %d %q", status, body)
	}
	if status, body := c.ask("GET", "/api/runs/"+null+"/whole?of=output&at=1", ""); status != http.StatusOK || body != "null" {
		t.Errorf("the whole of null is %d %q", status, body)
	}
	_, diff := c.ask("GET", "/api/diff?a="+empty+"&b="+null, "")
	if !strings.Contains(diff, `"previews":["nothing","null"]`) {
		t.Errorf("they differ: %s", diff)
	}
}

// An output is taken away, and given where there was none.
func TestEditNothing(t *testing.T) {
	c := openFile(t, findFile, nil)
	for _, e := range []struct{ args, edit, want string }{
		{`{"list": ["a"]}`, `"nothing": true`, `{"is":false,"or":"none"}`},
		{`{}`, `"value": "b"`, `{"is":true,"or":"b"}`},
		{`{}`, `"value": null`, `{"is":true,"or":null}`},
	} {
		id := c.start(`{"tool": "find", "args": ` + e.args + `, "runTo": "look"}`)
		c.until(id, "paused")
		good[info](c, "POST", "/api/runs/"+id+"/edit", `{"node": "found", `+e.edit+`}`)
		good[info](c, "POST", "/api/runs/"+id+"/control", `{"action": "resume"}`)
		c.until(id, "finished")
		if _, whole := c.ask("GET", "/api/runs/"+id+"/whole?of=result", ""); whole != e.want {
			t.Errorf("%s: %s, want %s", e.edit, whole, e.want)
		}
	}
	id := c.start(`{"tool": "find", "args": {}, "runTo": "look"}`)
	c.until(id, "paused")
	for _, body := range []string{`{"node": "found"}`, `{"node": "found", "value": 1, "nothing": true}`} {
		if status, answer := c.ask("POST", "/api/runs/"+id+"/edit", body); status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", body, status, answer)
		}
	}
}
