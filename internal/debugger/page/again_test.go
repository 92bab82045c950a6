package page

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/execution/journal/sqlite"
	"toolgraph/internal/authoring/dryrun"
)

// doing is the Again of the tests: it forks, and refuses to resume and to replay.
type doing struct {
	s     *Server
	store *journal.Store
}

func (d doing) Plan(ctx context.Context, run journal.Run, at execution.Address) (*dryrun.ForkPlan, bool, error) {
	events, err := d.store.LoadFor(ctx, run.ID, at)
	if err != nil {
		return nil, false, err
	}
	g, err := d.s.loaded().Graph(run.Tool)
	if err != nil {
		return nil, false, err
	}
	plan, err := dryrun.ForkOf(ctx, g, events, at, func(context.Context, string, string) config.Effect { return "" })
	return plan, false, err
}

func (d doing) Fork(ctx context.Context, run journal.Run, f execution.Fork, _ bool) (*Prepared, error) {
	p := d.s.loaded()
	events, err := d.store.LoadFor(ctx, run.ID, f.At)
	if err != nil {
		return nil, err
	}
	g, err := p.Graph(run.Tool)
	if err != nil {
		return nil, err
	}
	forked, err := p.Engine.PrepareFork(ctx, g, events, f)
	if err != nil {
		return nil, err
	}
	return &Prepared{ID: forked.ID(), Graph: g, Args: events[0].Start.Args, Events: forked.Events(), Run: forked.Run}, nil
}

func (d doing) InDoubt(context.Context, journal.Run) ([]*execution.Visit, bool, error) {
	return []*execution.Visit{{Index: 2, NodeID: "add", Server: "up", Tool: "inc"}}, true, nil
}

func (d doing) Resume(_ context.Context, run journal.Run, r execution.Resolution, changed bool) (*Prepared, error) {
	return nil, fmt.Errorf("run %s is not resumed: %v %v", run.ID, r, changed)
}

// Replay prepares a run that ends without a result.
func (d doing) Replay(_ context.Context, run journal.Run) (*Prepared, error) {
	g, err := d.s.loaded().Graph(run.Tool)
	return &Prepared{ID: "REPLAY", Graph: g, Run: func(context.Context, ...execution.Option) (*execution.Result, error) {
		return nil, errors.New("run hunter2-hunter2 cannot be rebuilt")
	}}, err
}

func openAgain(t *testing.T) *client {
	t.Helper()
	store, err := sqlite.Open(t.TempDir(), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return openFile(t, graphFile, store, func(s *Server) { s.project.Again = doing{s, store} })
}

// A fork is a run of its own, which is followed and debugged like any other, with the steps that it has copied.
func TestForkOnThePage(t *testing.T) {
	c := openAgain(t)
	id := c.start(`{"tool": "count", "args": {"n": 2}}`)
	c.until(id, "finished")
	whole := good[pathJSON](c, "GET", "/api/runs/"+id+"/path", "")
	at := 0 // the last execution of add
	for i, name := range whole.Path {
		if whole.Names[name] == "add" {
			at = i
		}
	}
	plan := good[forkPlanJSON](c, "GET", fmt.Sprintf("/api/runs/%s/fork?at=%d", id, at), "")
	if plan.Copied != at || plan.Calls != 1 || len(plan.Again) != 1 || plan.Again[0].Node != "add" || plan.Again[0].Calls != 1 {
		t.Errorf("the plan is %+v", plan.ForkPlan)
	}
	begun := good[info](c, "POST", "/api/runs/"+id+"/fork", fmt.Sprintf(`{"at": %d, "pause": true, "edits": [{"node": "add", "value": 41}]}`, at))
	if begun.ForkedFrom != fmt.Sprintf("%s/%d", id, at) || !begun.Live || begun.ID == id {
		t.Errorf("the fork is %+v", begun)
	}
	held := c.until(begun.ID, "paused")
	if held.Next.Node != "add" || held.Steps != at+1 {
		t.Errorf("held %+v", held)
	}
	if got := c.level(begun.ID, "context", at+1, "add"); got.Text != "41" {
		t.Errorf("the context has add = %q", got.Text)
	}
	if status, body := c.ask("POST", "/api/runs/"+begun.ID+"/fork", `{"at": 1}`); status != http.StatusConflict || !strings.Contains(body, "in progress") {
		t.Errorf("a fork of a run in progress: %d %s", status, body)
	}
	good[info](c, "POST", "/api/runs/"+begun.ID+"/control", `{"action": "step"}`)
	c.until(begun.ID, "paused")
	if got := c.level(begun.ID, "context", at+2, "add"); got.Text != "42" {
		t.Errorf("then the context has add = %q", got.Text)
	}
	good[info](c, "POST", "/api/runs/"+begun.ID+"/control", `{"action": "resume"}`)
	c.until(begun.ID, "finished")
	for i, step := range good[stepsJSON](c, "GET", "/api/runs/"+begun.ID+"/steps", "").Steps {
		if step.Copied != (i < at) || step.Copied && step.Start != 0 {
			t.Errorf("step %d: %+v, the first %d are copied", i, step, at)
		}
	}
	for _, listed := range good[runsJSON](c, "GET", "/api/runs", "").Runs {
		if (listed.ForkedFrom != "") != (listed.ID == begun.ID) {
			t.Errorf("listed %+v", listed)
		}
	}
}

// What cannot be done again is refused with the reason; nothing begins.
func TestAgainRefused(t *testing.T) {
	c := openAgain(t)
	id := c.start(`{"tool": "count", "args": {"n": 1}}`)
	c.until(id, "finished")
	for _, test := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"POST", "/fork", `{"at": 99}`, http.StatusConflict, "has no step 99"},
		{"POST", "/fork", `{"at": 1, "frame": "x"}`, http.StatusBadRequest, "is not the address of a step"},
		{"GET", "/fork?at=1&part=-", "", http.StatusBadRequest, "is not the address of a step"},
		{"POST", "/fork", `{"at": 3, "edits": [{"node": "begin", "value": "[redacted]"}]}`, http.StatusUnprocessableEntity, "would replace the secret"},
		{"POST", "/fork", `{"at": 3, "edits": [{"node": "begin"}]}`, http.StatusBadRequest, "either value or nothing"},
		{"POST", "/fork", `{"at": 3, "edits": [{"node": "nowhere", "value": 1}]}`, http.StatusConflict, "has no output before step 3"},
		{"POST", "/resume", `{"repeat": true, "nothing": true}`, http.StatusBadRequest, "exclude each other"},
		{"POST", "/resume", `{"value": "[redacted]"}`, http.StatusUnprocessableEntity, "would replace the secret"},
		{"POST", "/resume", `{"value": {"id": 9007199254740993}, "changed": true}`, http.StatusConflict, "is not resumed"},
		{"POST", "/replay", `{}`, http.StatusUnprocessableEntity, "cannot be rebuilt"},
	} {
		status, body := c.ask(test.method, "/api/runs/"+id+test.path, test.body)
		if status != test.status || !strings.Contains(body, test.want) {
			t.Errorf("%s %s %s: %d %s, want %d %s", test.method, test.path, test.body, status, body, test.status, test.want)
		}
	}
	if all := good[runsJSON](c, "GET", "/api/runs", "").Runs; len(all) != 1 {
		t.Errorf("%d runs, want the one that was there", len(all))
	}
	calls := good[resumePlanJSON](c, "GET", "/api/runs/"+id+"/resume", "")
	if got := fmt.Sprintf("%+v", calls); got != "{Changed:true InDoubt:[{At:2 Node:add Server:up Tool:inc}]}" {
		t.Errorf("the calls are %s", got)
	}
	alone := open(t, nil)
	id = alone.start(`{"tool": "count", "args": {"n": 1}}`)
	alone.until(id, "finished")
	if status, body := alone.ask("POST", "/api/runs/"+id+"/fork", `{"at": 1}`); status != http.StatusConflict || !strings.Contains(body, "--no-history") {
		t.Errorf("without a history: %d %s", status, body)
	}
}
