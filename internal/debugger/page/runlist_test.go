package page

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/execution/journal/sqlite"
	"toolgraph/expressions/value"
)

// elsewhere records runs as another process does that serves the same file.
type elsewhere struct {
	t     *testing.T
	store *journal.Store
	to    execution.Journal
}

func openElsewhere(t *testing.T, dir string) elsewhere {
	t.Helper()
	store, err := sqlite.Open(dir, journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	path := newLoaded(Project{Project: parse(t, graphFile)}).path
	return elsewhere{t, store, store.Journal(nil, journal.About{File: path, Server: "test"})}
}

// add records events of a run that began at a time.
func (e elsewhere) add(id string, began time.Time, kinds ...string) {
	e.t.Helper()
	visit := &execution.Visit{Index: 1, NodeID: "add", NodeType: config.MCPNode, Server: "up", Tool: "inc"}
	args := value.NewObject([]string{"n"}, []value.Value{1.0})
	for _, kind := range kinds {
		event := execution.Event{Run: id, Time: began}
		switch kind {
		case "begin":
			event.Kind, event.Start = execution.RunStarted, &execution.Start{Tool: "count", Graph: "hash", Args: args}
		case "step":
			event.Kind, event.Record = execution.StepFinished, &execution.Record{NodeID: "entry", NodeType: config.EntryNode, Start: began, End: began, Output: args}
		case "call":
			event.Kind, event.Step, event.Time = execution.CallStarted, visit, began.Add(5*time.Millisecond)
		case "end":
			event.Kind, event.End = execution.RunFinished, &execution.End{Value: args}
		}
		if err := e.to.Append(e.t.Context(), event); err != nil {
			e.t.Fatal(err)
		}
	}
	if _, err := e.store.State(e.t.Context()); err != nil { // writes what is queued
		e.t.Fatal(err)
	}
}

// openBoth returns a page and another process with the same store.
func openBoth(t *testing.T) (*client, elsewhere) {
	t.Helper()
	dir := t.TempDir()
	store, err := sqlite.Open(dir, journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return open(t, store), openElsewhere(t, dir)
}

// Runs are listed by their age, whichever process made them, and in pages of the size that is asked for.
func TestRunsByAge(t *testing.T) {
	c, other := openBoth(t)
	want := []string{}
	recorded := func() { c.ask("GET", "/api/runs?limit=1", "") } // what is queued
	for i := range 3 {
		own := c.start(`{"tool": "count", "args": {"n": 1}}`)
		c.until(own, "finished")
		recorded()
		id := fmt.Sprintf("ELSEWHERE%d", i)
		other.add(id, time.Now(), "begin", "step", "end")
		want = append([]string{id, own}, want...)
	}
	paused := c.start(`{"tool": "count", "args": {"n": 1}, "pause": true}`)
	c.until(paused, "paused")
	recorded()
	other.add("NEWEST", time.Now(), "begin", "step")
	want = append([]string{"NEWEST", paused}, want...)

	var got []string
	for before := ""; ; {
		list := good[runsJSON](c, "GET", "/api/runs?limit=3&before="+before, "")
		if len(list.Runs) > 3 {
			t.Fatalf("%d runs, and the limit is 3", len(list.Runs))
		}
		for _, run := range list.Runs {
			got = append(got, run.ID)
		}
		if before = list.Next; before == "" {
			break
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	for query, want := range map[string][]string{
		"?status=paused":              {paused},
		"?status=running":             {"NEWEST"},
		"?status=finished&limit=1":    {"ELSEWHERE2"},
		"?until=2000-01-01T00:00:00Z": {},
	} {
		var ids []string
		for _, run := range good[runsJSON](c, "GET", "/api/runs"+query, "").Runs {
			ids = append(ids, run.ID)
		}
		if !slices.Equal(ids, want) {
			t.Errorf("%s: got %v, want %v", query, ids, want)
		}
	}
	if status, _ := c.ask("GET", "/api/runs?before=none", ""); status != http.StatusNotFound {
		t.Errorf("after an unknown run: %d", status)
	}
}

// Without a store the page has its own runs, in pages as well.
func TestOwnRunsAreListed(t *testing.T) {
	c := open(t, nil)
	var want []string
	for range 3 {
		id := c.start(`{"tool": "count", "args": {"n": 1}}`)
		c.until(id, "finished")
		want = append([]string{id}, want...)
	}
	first := good[runsJSON](c, "GET", "/api/runs?limit=2", "")
	if len(first.Runs) != 2 || first.Runs[0].ID != want[0] || first.Runs[1].ID != want[1] || first.Next != want[1] {
		t.Errorf("%+v", first)
	}
	rest := good[runsJSON](c, "GET", "/api/runs?limit=2&before="+first.Next, "")
	if len(rest.Runs) != 1 || rest.Runs[0].ID != want[2] || rest.Next != "" {
		t.Errorf("%+v", rest)
	}
}

// Runs are listed while others of this process begin, which the race detector sees.
func TestListWhileRunsBegin(t *testing.T) {
	c := open(t, nil)
	var lists sync.WaitGroup
	lists.Go(func() {
		for range 60 {
			if resp, err := c.http.Get(c.base + "/api/runs"); err != nil || resp.StatusCode != http.StatusOK || resp.Body.Close() != nil {
				t.Errorf("%v, %v", resp, err)
			}
		}
	})
	for range 20 {
		c.until(c.start(`{"tool": "count", "args": {"n": 1}}`), "finished")
	}
	lists.Wait()
}

// What a run of another process does is an event, and a call that it makes is a step that runs.
func TestRunsElsewhere(t *testing.T) {
	c, other := openBoth(t)
	first := ""
	c.listen("", func(id, kind, _ string) bool {
		first = id
		return kind == "missed"
	})
	expect := func(part string) {
		t.Helper()
		c.listen(first, func(id, kind, data string) bool {
			first = id
			return kind == "run" && strings.Contains(data, `"id":"ELSEWHERE"`) && strings.Contains(data, part)
		})
	}
	began := time.Now()
	other.add("ELSEWHERE", began, "begin", "step")
	expect(`"status":"running","live":false`)
	if path := good[pathJSON](c, "GET", "/api/runs/ELSEWHERE/path", ""); path.Open != nil {
		t.Errorf("before the call: %+v", path.Open)
	}
	other.add("ELSEWHERE", began, "call")
	path := good[pathJSON](c, "GET", "/api/runs/ELSEWHERE/path", "")
	if open := path.Open; open == nil || open.Node != "add" || open.Start < 4 || open.Index != 1 {
		t.Errorf("in flight: %+v", open)
	}
	before := good[info](c, "GET", "/api/runs/ELSEWHERE", "").Rev
	other.add("ELSEWHERE", began, "end")
	expect(`"status":"finished"`)
	if after := good[info](c, "GET", "/api/runs/ELSEWHERE", ""); after.Rev <= before || after.Status != "finished" {
		t.Errorf("%d before, then %+v", before, after)
	}
	if path := good[pathJSON](c, "GET", "/api/runs/ELSEWHERE/path", ""); path.Open != nil {
		t.Errorf("it has ended: %+v", path.Open)
	}
}

// A run of another process is cancelled by the way that the page was given for it, and shown as it is then; one that has ended, and any
// other command, is refused, and without a way so is the cancellation.
func TestCancelElsewhere(t *testing.T) {
	dir := t.TempDir()
	store, err := sqlite.Open(dir, journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	other := openElsewhere(t, dir)
	asked := 0
	cancels := func(s *Server) {
		s.opts.Cancel = func(_ context.Context, run string) error {
			if asked++; asked == 1 {
				return errors.New("its process does not answer")
			}
			other.add(run, time.Now(), "end")
			return nil
		}
	}
	without, c := open(t, store), openFile(t, graphFile, store, cancels)
	other.add("ELSEWHERE", time.Now(), "begin", "step")
	const at = "/api/runs/ELSEWHERE/control"
	for _, refused := range []struct {
		c            *client
		action, want string
	}{
		{without, "stop", "this run takes no commands"},
		{c, "pause", "this run takes no commands"},
		{c, "stop", "its process does not answer"},
	} {
		if status, body := refused.c.ask("POST", at, `{"action": "`+refused.action+`"}`); status != http.StatusConflict || !strings.Contains(body, refused.want) {
			t.Errorf("%s: %d %s", refused.action, status, body)
		}
	}
	if after := good[info](c, "POST", at, `{"action": "stop"}`); after.Status != "finished" {
		t.Errorf("the run is %s", after.Status)
	}
	if status, body := c.ask("POST", at, `{"action": "stop"}`); status != http.StatusConflict || asked != 2 {
		t.Errorf("again: %d %s, asked %d times", status, body, asked)
	}
}
