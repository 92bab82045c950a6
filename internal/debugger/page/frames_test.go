package page

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/execution/journal/sqlite"
	"toolgraph/expressions/value"
)

// framesFile calls a graph for each item of a list, and several at once.
const framesFile = `version: "1.0"
server: {name: test, version: 1.0.0}
executionLimits: {maxNodeExecutions: 200000}
mcpServers: {up: {command: up, env: {TOKEN: "${TOKEN}"}}}
tools:
- name: trip
  description: plans
  inputSchema: {type: object, properties: {n: {type: integer}, say: {type: string, default: hello}}}
  nodes:
  - {id: entry, type: entry, next: facts}
  - id: facts
    type: parallel
    branches:
      weather: {type: graph, tool: stop, args: {n: 7}}
      news: {type: mcp, server: up, tool: inc, args: {n: 1}}
    next: list
  - {id: list, type: transform, transform: {expr: '[1..$.entry.n].{"n": $, "say": $$.entry.say}'}, next: stops}
  - {id: stops, type: graph, tool: stop, forEach: {items: $.list, maxParallel: 8}, args: {n: {expr: $item.n}}, onError: {value: {late: {expr: $failure.message}}}, next: busy}
  - {id: busy, type: mcp, server: up, tool: busy, args: {}, retry: {delayMs: 1, codes: [tool-error]}, onError: {next: sorry}, next: exit}
  - {id: sorry, type: transform, transform: {expr: '$count($.stops)'}, next: exit}
  - {id: exit, type: exit}
- name: stop
  description: one
  hidden: true
  inputSchema: {type: object, properties: {n: {type: integer}}}
  nodes:
  - {id: entry, type: entry, next: read}
  - {id: read, type: mcp, server: up, tool: inc, args: {n: {expr: $.entry.n}}, next: odd}
  - {id: odd, type: transform, transform: {expr: '$.entry.n = 2 ? $error("no stop " & $.entry.n) : $.read'}, next: exit}
  - {id: exit, type: exit}
- name: each
  description: a call for each of many
  inputSchema: {type: object, properties: {n: {type: integer}}}
  nodes:
  - {id: entry, type: entry, next: all}
  - {id: all, type: mcp, server: up, tool: inc, forEach: {items: '[1..$.entry.n]', maxParallel: 64}, args: {n: {expr: $item}}, next: exit}
  - {id: exit, type: exit}
`

// busy is inc, and a tool that always fails.
type busy struct{ inc }

type errBusy struct{}

func (errBusy) Error() string     { return "busy with " + token }
func (errBusy) ErrorCode() string { return "tool-error" }

func (b busy) CallTool(ctx context.Context, c execution.Call) (value.Value, error) {
	if c.Tool == "busy" {
		return nil, errBusy{}
	}
	return b.inc.CallTool(ctx, c)
}

func openFrames(t *testing.T, store *journal.Store) *client {
	t.Helper()
	return openFramesOf(t, framesFile, store)
}

func openFramesOf(t *testing.T, file string, store *journal.Store) *client {
	t.Helper()
	return openFile(t, file, store, func(s *Server) {
		s.project.Engine = execution.New(busy{})
		if store != nil {
			s.project.Engine = execution.New(busy{}, execution.WithJournal(store.Journal(s.project.File.Secrets, journal.About{File: s.project.path, Server: "test"})))
		}
	})
}

func (c *client) control(id, action string) {
	c.t.Helper()
	good[info](c, "POST", "/api/runs/"+id+"/control", `{"action": "`+action+`"}`)
}

// A frame is asked for as a run is: its path, its steps, its context; its callers lead back out.
func TestLiveFrame(t *testing.T) {
	c := openFramesOf(t, strings.Replace(framesFile, "maxParallel: 8", "maxParallel: 1", 1), nil) // which items have ended is no matter of time
	c.breakAt("stop", `{"node": "odd", "condition": "$.entry.n = 3"}`)
	id := c.start(`{"tool": "trip", "args": {"n": 3}}`)
	held := c.until(id, "paused")
	if got := fmt.Sprintf("%+v %+v", *held.Next, held.Stack); got != "{Index:2 Node:odd Frame:3.2 Part: Server: Tool: Start:0} [{At:3.2 Tool:trip Node:stops}]" {
		t.Errorf("held at %s", got)
	}
	path := good[pathJSON](c, "GET", "/api/runs/"+id+"/path?frame=3.2", "")
	if got := fmt.Sprintf("%v %v %s %+v", path.Names, path.Path, path.Tool, path.Trail); got != "[entry read] [0 1] stop [{Frame: Index:3 Part:2 Node:stops Tool:trip}]" {
		t.Errorf("the path is %s", got)
	}
	own := good[pathJSON](c, "GET", "/api/runs/"+id+"/path", "")
	if open := own.Open; len(own.Path) != 3 || open == nil || open.Node != "stops" || open.Parts != 3 || open.Ended != 2 || open.Part != "2" || own.Tool != "" {
		t.Errorf("the caller's path is %+v, open %+v", own, own.Open)
	}
	parts := good[partsJSON](c, "GET", "/api/runs/"+id+"/parts?at=3", "")
	var states []string
	for _, p := range parts.Parts {
		states = append(states, fmt.Sprintf("%s %s %s %s %q", p.Part, p.State, p.Frame, p.Item, strings.TrimSuffix(p.Handled, " [D3137]")))
	}
	want := `[0 ended 3.0 {"n":1,"say":"hello"} "" 1 ended 3.1 {"n":2,"say":"hello"} "no stop 2" 2 paused 3.2 {"n":3,"say":"hello"} ""]`
	if got := fmt.Sprint(states); got != want || parts.Total != 3 || parts.Ended != 2 {
		t.Errorf("got  %s of %+v\nwant %s", got, parts, want)
	}
	pending := good[detailJSON](c, "GET", "/api/runs/"+id+"/steps/2?frame=3.2", "")
	if !pending.Pending || pending.Node != "odd" || pending.Line == 0 || pending.Expressions[0].Reads[0].Preview != "3" {
		t.Errorf("pending: %+v", pending)
	}
	part := good[detailJSON](c, "GET", "/api/runs/"+id+"/steps/3?part=2", "")
	if !part.Pending || part.Item == nil || part.Item.Size != 2 || part.Input == nil || part.Input.Children[0].Text != "3" || part.Frame != "3.2" || part.Calls != "stop" || part.Tool != "stop" {
		t.Errorf("the part: %+v", part)
	}
	for body, want := range map[string]string{
		`{"kind": "jsonata", "source": "$.entry.n", "frame": "3.2", "at": 2}`:       "3",
		`{"kind": "jsonata", "source": "$item.n + $index", "at": 3, "part": "2"}`:   "5",
		`{"kind": "jsonata", "source": "$exists($item)", "at": 3}`:                  "false",
		`{"kind": "jsonata", "source": "$.read", "frame": "1.weather", "at": 3}`:    "8",
		`{"kind": "jsonata", "source": "$exists($.read)", "frame": "3.0", "at": 1}`: "false",
	} {
		if got := good[evaluatedJSON](c, "POST", "/api/runs/"+id+"/evaluate", body); got.Value == nil || got.Value.Text != want {
			t.Errorf("%s: %+v, want %s", body, got, want)
		}
	}
	if got := good[level](c, "GET", "/api/runs/"+id+"/value?of=output&at=3&part=0", ""); got.Text != "2" {
		t.Errorf("the output of a part is %+v", got)
	}
	good[info](c, "POST", "/api/runs/"+id+"/edit", `{"node": "read", "value": 40}`)
	c.control(id, "out")
	c.until(id, "paused")
	if got := good[level](c, "GET", "/api/runs/"+id+"/value?of=output&at=3", ""); got.Size != 3 || got.Children[2].Text != "40" {
		t.Errorf("the list is %+v", got)
	}
	c.control(id, "next")
	c.until(id, "paused")
	call := good[detailJSON](c, "GET", "/api/runs/"+id+"/steps/4", "")
	if call.Handled == nil || call.Attempts != 3 || len(call.Tries) != 2 || !strings.Contains(call.Handled.Message, "[redacted]") || strings.Contains(fmt.Sprintf("%+v", *call.Tries[0].Error), token) {
		t.Errorf("the call that was attempted again: %+v %+v", call, call.Handled)
	}
	if path := good[pathJSON](c, "GET", "/api/runs/"+id+"/path", ""); fmt.Sprint(path.Handled) != "[4]" || fmt.Sprint(path.Caught) != "[3]" {
		t.Errorf("handled: %v, in parts: %v", path.Handled, path.Caught)
	}
	if steps := good[stepsJSON](c, "GET", "/api/runs/"+id+"/steps", "").Steps; steps[3].Caught != 1 || steps[3].Failed != 0 || steps[4].Caught != 0 {
		t.Errorf("failures of parts that were handled: %+v", steps)
	}
	c.control(id, "resume")
	c.until(id, "finished")
}

// What is asked of a place that the run does not have is refused.
func TestUnknownPlaces(t *testing.T) {
	c := openFrames(t, nil)
	id := c.start(`{"tool": "trip", "args": {"n": 1}}`)
	c.until(id, "finished")
	for path, want := range map[string]int{
		"/path?frame=9.9": 404, "/path?frame=x": 400, "/steps?frame=3.1": 404, "/steps/3?part=7": 200, "/steps/2?part=0": 404, "/steps/9?frame=3.0": 404,
		"/parts?at=2": 200, "/parts?at=3&from=999": 200, "/parts?at=3&limit=x": 400, "/value?of=output&at=3&part=9": 404, "/value?of=item&at=3&part=9": 422,
		"/value?of=input&at=3": 404, "/value?of=context&frame=3.0/1": 404, "/steps/-1?frame=3.0": 404, "/steps/3?part=../..": 400, "/value?of=context&at=-4&frame=3.0": 400,
	} {
		if status, body := c.ask("GET", "/api/runs/"+id+path, ""); status != want {
			t.Errorf("%s: %d %s, want %d", path, status, body, want)
		}
	}
	if status, body := c.ask("POST", "/api/runs/"+id+"/evaluate", `{"kind": "jsonata", "source": "1", "frame": "8/8"}`); status != http.StatusNotFound {
		t.Errorf("%d %s", status, body)
	}
}

// A node with 10,000 parts is listed by pages, live and recorded, and no answer grows with it.
func TestManyParts(t *testing.T) {
	store, err := sqlite.Open(t.TempDir(), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	c := openFrames(t, store)
	id := c.start(`{"tool": "each", "args": {"n": 10000}}`)
	c.until(id, "finished")
	check := func() {
		t.Helper()
		_, page := c.ask("GET", "/api/runs/"+id+"/parts?at=1&from=5000&limit=100", "")
		if got := strings.Count(page, `"state":"ended"`); got != 100 || len(page) > 20_000 || !strings.Contains(page, `"part":"5000"`) || !strings.Contains(page, `"total":10000`) {
			t.Errorf("a page of parts has %d parts in %d bytes: %.300s", got, len(page), page)
		}
		if _, steps := c.ask("GET", "/api/runs/"+id+"/steps", ""); strings.Count(steps, `"index"`) != 3 || len(steps) > 2000 {
			t.Errorf("the steps: %.400s", steps)
		}
		if got := good[detailJSON](c, "GET", "/api/runs/"+id+"/steps/1?part=9999", ""); got.Item.Text != "10000" || got.Output.Text != "10001" {
			t.Errorf("the last part: %+v", got)
		}
	}
	check()
	c.server.runs.mu.Lock()
	c.server.runs.runs = nil // from here on it is read from the store
	c.server.runs.mu.Unlock()
	check()
}

// A recorded run, whose parts ran at the same time, is shown by frames as well, and compared by
// addresses.
func TestRecordedFrames(t *testing.T) {
	store, err := sqlite.Open(t.TempDir(), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	c := openFrames(t, store)
	run := func(args string) string {
		_, result, err := ran(t, c.server.loaded().Project, "trip", args)
		if err != nil {
			t.Fatal(err)
		}
		return result.RunID
	}
	a, b := run(`{"n": 40}`), run(`{"n": 40, "say": "bye"}`)
	path := good[pathJSON](c, "GET", "/api/runs/"+a+"/path?frame=3.17", "")
	if got := fmt.Sprintf("%v %s %+v", path.Path, path.Tool, path.Trail); got != "[0 1 2 3] stop [{Frame: Index:3 Part:17 Node:stops Tool:trip}]" {
		t.Errorf("%s", got)
	}
	failed := good[pathJSON](c, "GET", "/api/runs/"+a+"/path?frame=3.1", "")
	if fmt.Sprint(failed.Failed) != "[2]" {
		t.Errorf("failed: %+v", failed)
	}
	step := good[detailJSON](c, "GET", "/api/runs/"+a+"/steps/1?frame=3.17", "")
	if step.Node != "read" || step.Input.Children[0].Text != "18" || step.Output.Text != "19" {
		t.Errorf("%+v", step)
	}
	diff := good[diffJSON](c, "GET", "/api/diff?a="+a+"&b="+b, "")
	if diff.First == nil || diff.First.Index != 2 || diff.First.Frame != "" || diff.Differing != 2 || diff.Steps[0] != diff.Steps[1] {
		t.Errorf("%+v %+v", diff, diff.First)
	}
	other := good[diffJSON](c, "GET", "/api/diff?a="+a+"&b="+run(`{"n": 41}`), "")
	if other.Rows[2].Frame != "3.40" || other.Rows[2].Nodes != [2]string{"", "stop:entry"} {
		t.Errorf("%+v", other.Rows)
	}
}
