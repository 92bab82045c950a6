package page

import (
	"fmt"
	"strings"
	"testing"

	"toolgraph/execution"
)

// heldOf returns where a run is held.
func heldOf(i info) string {
	var all []string
	for _, h := range i.Held {
		all = append(all, fmt.Sprintf("%s=%s", execution.AddressOf(h.Frame, h.Index, h.Part), h.PausedBy))
	}
	return strings.Join(all, " ")
}

// The page shows each part at which a run is held, and continues one of them or all.
func TestPausedParts(t *testing.T) {
	c := openFile(t, strings.Replace(framesFile, "maxParallel: 64", "maxParallel: 3", 1), nil)
	good[any](c, "PUT", "/api/breakpoints/each", `{"node": "all[]"}`)
	id := c.start(`{"tool": "each", "args": {"n": 5}}`)
	run := c.until(id, "paused")
	if heldOf(run) != "1.0=breakpoint 1.1=breakpoint 1.2=breakpoint" || run.Next.Part != "0" {
		t.Fatalf("held at %s, next %+v", heldOf(run), run.Next)
	}
	control := func(body string) info {
		t.Helper()
		good[info](c, "POST", "/api/runs/"+id+"/control", body)
		return c.until(id, "paused")
	}
	if run = control(`{"action": "resume", "at": "1.1"}`); heldOf(run) != "1.0=breakpoint 1.2=breakpoint 1.3=breakpoint" {
		t.Errorf("one was continued: %s", heldOf(run))
	}
	if run = control(`{"action": "choose", "at": "1.2"}`); run.Next.Part != "2" {
		t.Errorf("next is %+v", run.Next)
	}
	states := ""
	for _, part := range good[partsJSON](c, "GET", "/api/runs/"+id+"/parts?at=1", "").Parts {
		states += " " + part.State
	}
	if states != " paused ended paused paused waits" { //nolint:dupword // two parts have this state
		t.Errorf("the parts are%s", states)
	}
	path := good[pathJSON](c, "GET", "/api/runs/"+id+"/path", "")
	if path.Open == nil || path.Open.Parts != 5 || path.Open.Ended != 1 || path.Open.Paused != 3 || path.Open.Running != 0 {
		t.Errorf("the open step is %+v", path.Open)
	}
	if run = control(`{"action": "resume"}`); heldOf(run) != "1.4=breakpoint" {
		t.Errorf("all were continued: %s", heldOf(run))
	}
	good[info](c, "POST", "/api/runs/"+id+"/control", `{"action": "resume"}`)
	c.until(id, "finished")
	for _, part := range good[partsJSON](c, "GET", "/api/runs/"+id+"/parts?at=1", "").Parts {
		if part.Held <= 0 {
			t.Errorf("part %s was not held: %+v", part.Part, part)
		}
	}
	for _, step := range good[stepsJSON](c, "GET", "/api/runs/"+id+"/steps", "").Steps {
		if step.Held != 0 {
			t.Errorf("nothing was held before step %d: %v", step.Index, step.Held)
		}
	}
}
