package page

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// A run is held in its loop, stepped, edited and let go; what it gave shows the edit.
func TestHoldStepEditGoOn(t *testing.T) {
	c := open(t, nil)
	c.breakAt("count", `{"node": "add", "condition": "$.add = 2"}`)
	id := c.start(`{"tool": "count", "args": {"n": 5}}`)
	held := c.until(id, "paused")
	if held.PausedBy != "breakpoint" || held.Next == nil || held.Next.Node != "add" {
		t.Fatalf("held %+v", held)
	}
	good[info](c, "POST", "/api/runs/"+id+"/control", `{"action": "step"}`)
	held = c.until(id, "paused")
	if held.Next.Node != "more" || held.PausedBy != "step" {
		t.Errorf("after a step: %+v", held)
	}
	at := held.Steps
	if got := c.level(id, "context", at, "add"); got.Text != "3" {
		t.Errorf("the context has add = %q", got.Text)
	}
	edited := good[info](c, "POST", "/api/runs/"+id+"/edit", `{"node": "add", "value": 4}`)
	if edited.Steps != at+1 {
		t.Errorf("an edit made %d records of %d", edited.Steps, at)
	}
	if got := c.level(id, "context", at, "add"); got.Text != "3" {
		t.Errorf("before the edit, add = %q", got.Text)
	}
	if got := c.level(id, "context", at+1, "add"); got.Text != "4" {
		t.Errorf("after the edit, add = %q", got.Text)
	}
	path := good[pathJSON](c, "GET", "/api/runs/"+id+"/path", "")
	if len(path.Edits) != 1 || path.Edits[0] != at {
		t.Errorf("edits at %v, expected at %d", path.Edits, at)
	}
	good[info](c, "POST", "/api/runs/"+id+"/control", `{"action": "resume"}`)
	c.until(id, "finished")
	status, whole := c.ask("GET", "/api/runs/"+id+"/whole?of=result", "")
	if want := `{"n":5,"turns":4,"note":"none"}`; status != http.StatusOK || whole != want {
		t.Errorf("%d %s, expected %s", status, whole, want)
	}
	if status, _ := c.ask("POST", "/api/runs/"+id+"/control", `{"action": "step"}`); status != http.StatusConflict {
		t.Errorf("a step of a run that is over: %d", status)
	}
}

func TestRunToPauseStop(t *testing.T) {
	c := open(t, nil)
	id := c.start(`{"tool": "count", "args": {"n": 90000}, "pause": true}`)
	if held := c.until(id, "paused"); held.PausedBy != "start" || held.Steps != 0 {
		t.Errorf("held %+v", held)
	}
	good[info](c, "POST", "/api/runs/"+id+"/control", `{"action": "run-to", "node": "add"}`)
	if held := c.until(id, "paused"); held.PausedBy != "run-to" || held.Steps != 3 {
		t.Errorf("held %+v", held)
	}
	good[info](c, "POST", "/api/runs/"+id+"/control", `{"action": "resume"}`)
	good[info](c, "POST", "/api/runs/"+id+"/control", `{"action": "pause"}`)
	c.until(id, "paused")
	good[info](c, "POST", "/api/runs/"+id+"/control", `{"action": "stop"}`)
	if over := c.until(id, "cancelled"); over.Ended == nil {
		t.Error("a run that was stopped has not ended")
	}
	if status, body := c.ask("POST", "/api/runs/"+id+"/control", `{"action": "jump"}`); status != http.StatusConflict {
		t.Errorf("%d %s", status, body)
	}
}

// What stands by the fields is the server's own check.
func TestArgumentsThatDoNotFit(t *testing.T) {
	c := open(t, nil)
	for args, want := range map[string]string{
		`{}`:                                     `"path":["n"]`,
		`{"n": "x"}`:                             `"path":["n"]`,
		`{"n": -1}`:                              `"path":["n"]`,
		`{"n": 1, "deep": {"list": [1, "two"]}}`: `"path":["deep","list","1"]`,
		`[]`:                                     `"path":[]`,
	} {
		status, body := c.ask("POST", "/api/runs", `{"tool": "count", "args": `+args+`}`)
		if status != http.StatusUnprocessableEntity || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s, expected %s", args, status, body, want)
		}
	}
	if status, _ := c.ask("POST", "/api/runs", `{"tool": "none", "args": {}}`); status != http.StatusNotFound {
		t.Errorf("a tool that is not there: %d", status)
	}
}

// A step shows its expressions, what each read, and which edge was taken.
func TestStepTellsWhatItRead(t *testing.T) {
	c := open(t, nil)
	id := c.start(`{"tool": "count", "args": {"n": 2}}`)
	c.until(id, "finished")
	turn := good[detailJSON](c, "GET", "/api/runs/"+id+"/steps/2", "")
	if turn.Node != "more" || len(turn.Expressions) != 2 || !turn.Expressions[0].Taken || turn.Expressions[1].Taken {
		t.Fatalf("%+v", turn)
	}
	reads := fmt.Sprint(turn.Expressions[0].Reads)
	if reads != "[{$exists($.add) ? $.add : 0  0 false false} {$.entry.n  2 false false}]" {
		t.Errorf("the rule read %s", reads)
	}
	call := good[detailJSON](c, "GET", "/api/runs/"+id+"/steps/5", "")
	if call.Node != "add" || call.Server != "up" || call.Tool != "inc" || call.Input == nil || call.Input.Children[0].Text != "1" || call.Output.Text != "2" {
		t.Errorf("%+v", call)
	}
	if call.Line == 0 || call.Expressions[0].Line == 0 {
		t.Errorf("no places: %+v", call)
	}
	for _, n := range []string{"99", "-1", "x"} {
		if status, _ := c.ask("GET", "/api/runs/"+id+"/steps/"+n, ""); status != http.StatusNotFound {
			t.Errorf("step %s: %d", n, status)
		}
	}
}

func TestFailureHasItsPlace(t *testing.T) {
	c := open(t, nil)
	id := c.start(`{"tool": "fail", "args": {"x": 1}}`)
	failed := c.until(id, "error")
	if failed.Error == nil || failed.Error.Node != "bad" || failed.Error.Line != 31 || strings.Contains(failed.Error.Message, "^") {
		t.Fatalf("%+v", failed.Error)
	}
	step := good[detailJSON](c, "GET", "/api/runs/"+id+"/steps/1", "")
	if step.Error == nil || !strings.Contains(step.Error.Caret, "^") || !strings.Contains(step.Error.Caret, "$.entry.x + {}") {
		t.Errorf("%+v", step.Error)
	}
}

func TestEvaluate(t *testing.T) {
	c := open(t, nil)
	id := c.start(`{"tool": "count", "args": {"n": 3}}`)
	c.until(id, "finished")
	for _, e := range []struct {
		body  string
		value string
		fault string
	}{
		{`{"kind": "jsonata", "source": "$.add * 10", "at": 4}`, "10", ""},
		{`{"kind": "jsonata", "source": "$.add * 10", "at": 6}`, "20", ""},
		{`{"kind": "jsonata", "source": "$executionCount('add')", "at": 9}`, "3", ""},
		{`{"kind": "jsonata", "source": "{'a': [1, {'b': 'c'}]}", "at": 0, "path": ["a", 1, "b"]}`, "c", ""},
		{`{"kind": "rule", "source": "{\"<\": [{\"var\": \"add\"}, 2]}", "at": 4}`, "true", ""},
		{`{"kind": "jsonata", "source": "$.add +", "at": 4}`, "", "^"},
		{`{"kind": "jsonata", "source": "1 + {}", "at": 4}`, "", "^"},
		{`{"kind": "rule", "source": "{\"no\": 1}", "at": 4}`, "", ""},
		{`{"kind": "rule", "source": "{", "at": 4}`, "", "^"},
		{`{"kind": "jsonata", "source": "($f := function($n) { $f($n + 1) }; $f(1))", "at": 4}`, "", ""},
	} {
		got := good[evaluatedJSON](c, "POST", "/api/runs/"+id+"/evaluate", e.body)
		switch {
		case e.value != "" && (got.Value == nil || got.Value.Text != e.value):
			t.Errorf("%s: %+v %+v, expected %s", e.body, got.Value, got.Error, e.value)
		case e.value == "" && (got.Error == nil || !strings.Contains(got.Error.Caret, e.fault)):
			t.Errorf("%s: %+v, expected an error with a caret", e.body, got.Error)
		}
	}
}

// A run with many steps is opened by pages and previews: no answer grows with it but
// the path, which has a number a step.
func TestManySteps(t *testing.T) {
	c := open(t, nil)
	id := c.start(`{"tool": "count", "args": {"n": 5000}}`)
	over := c.until(id, "finished")
	if over.Steps != 10005 {
		t.Errorf("%d steps", over.Steps)
	}
	_, path := c.ask("GET", "/api/runs/"+id+"/path", "")
	if len(path) > 40_000 {
		t.Errorf("the path has %d bytes", len(path))
	}
	_, rest := c.ask("GET", "/api/runs/"+id+"/path?from=10004", "")
	if want := `{"names":["exit"],"path":[0],"edits":[]}` + "\n"; rest != want {
		t.Errorf("the rest of the path is %s", rest)
	}
	_, steps := c.ask("GET", "/api/runs/"+id+"/steps?from=9900&limit=100", "")
	if len(steps) > 20_000 || strings.Count(steps, `"index":`) != 100 {
		t.Errorf("a page of steps has %d bytes", len(steps))
	}
}
