package page

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"toolgraph/execution/journal"
	"toolgraph/execution/journal/sqlite"
)

// times are kept in microseconds, so that a last digit may be another.
var times = regexp.MustCompile(`"(ms|start)":[0-9.e-]+`)

// A run of one page is there for the next one, with all of its steps.
func TestRecordedRuns(t *testing.T) {
	dir := t.TempDir()
	keep := func() *journal.Store {
		store, err := sqlite.Open(dir, journal.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = store.Close() })
		return store
	}
	first := keep()
	c := open(t, first)
	a := c.start(`{"tool": "count", "args": {"n": 3}}`)
	c.until(a, "finished")
	b := c.start(`{"tool": "count", "args": {"n": 4, "note": "find me"}}`)
	c.until(b, "finished")
	failed := c.start(`{"tool": "fail", "args": {"x": 1}}`)
	c.until(failed, "error")
	_, live := c.ask("GET", "/api/runs/"+a+"/steps", "")

	if err := first.Close(); err != nil { // as the end of its process does
		t.Fatal(err)
	}
	c = open(t, keep())
	_, kept := c.ask("GET", "/api/runs/"+a+"/steps", "")
	if live, kept = times.ReplaceAllString(live, ""), times.ReplaceAllString(kept, ""); live != kept {
		t.Errorf("kept steps differ:\n%s\n%s", live, kept)
	}
	if run := good[info](c, "GET", "/api/runs/"+a, ""); run.Live || run.Status != "finished" || run.Steps != 11 {
		t.Errorf("%+v", run)
	}
	for query, want := range map[string][]string{
		"":                            {failed, b, a},
		"?tool=count":                 {b, a},
		"?status=error":               {failed},
		"?text=find+me":               {b},
		"?status=paused":              {},
		"?limit=1":                    {failed},
		"?since=2999-01-01T00:00:00Z": {},
		"?before=" + b:                {a},
	} {
		var ids []string
		list := good[runsJSON](c, "GET", "/api/runs"+query, "")
		for _, run := range list.Runs {
			ids = append(ids, run.ID)
		}
		if fmt.Sprint(ids) != fmt.Sprint(want) {
			t.Errorf("%q lists %v, expected %v", query, ids, want)
		}
		if (list.Next != "") != (query == "?limit=1") {
			t.Errorf("%q goes on at %q", query, list.Next)
		}
	}
	if status, _ := c.ask("POST", "/api/runs/"+a+"/control", `{"action": "resume"}`); status != http.StatusConflict {
		t.Errorf("a kept run takes a command: %d", status)
	}
	if status, _ := c.ask("GET", "/api/runs/none", ""); status != http.StatusNotFound {
		t.Errorf("a run that is not there: %d", status)
	}
	parting(t, c, a, b)
}

// parting compares runs that count to 3 and to 4.
func parting(t *testing.T, c *client, a, b string) {
	d := good[diffJSON](c, "GET", "/api/diff?a="+a+"&b="+b, "")
	if d.Same || d.First == nil || d.First.Index != 8 || d.Steps != [2]int{11, 13} || len(d.Args) != 2 {
		t.Errorf("%+v", d)
	}
	if d := good[diffJSON](c, "GET", "/api/diff?a="+a+"&b="+a, ""); !d.Same || d.First != nil {
		t.Errorf("a run differs from itself: %+v", d)
	}
}

// Another version of the file is shown at once; runs in progress keep theirs; one with
// errors changes only the findings.
func TestReplaceAndReject(t *testing.T) {
	c := open(t, nil)
	id := c.start(`{"tool": "count", "args": {"n": 1}, "pause": true}`)
	c.until(id, "paused")
	changed := strings.Replace(graphFile, "name: fail", "name: other", 1)
	ended := c.server.Replace(projectOf(t, changed, nil))
	select {
	case <-ended:
		t.Error("the older version is called over while a run of it goes on")
	default:
	}
	if p := good[projectJSON](c, "GET", "/api/project", ""); p.Tools[1].Name != "other" {
		t.Errorf("%+v", p.Tools)
	}
	good[info](c, "POST", "/api/runs/"+id+"/control", `{"action": "resume"}`)
	c.until(id, "finished")
	<-ended

	broken := parse(t, graphFile).Warnings
	broken.Add(parse(t, graphFile).File.Tools[0].Pos, "a-code", "it is broken", "")
	c.server.Reject("broken: yes\n", broken)
	p := good[projectJSON](c, "GET", "/api/project", "")
	if !p.Rejected || len(p.Tools) != 2 || len(p.Diagnostics) != len(broken) {
		t.Errorf("%+v", p)
	}
	if src := good[sourceJSON](c, "GET", "/api/source", ""); src.Text != "broken: yes\n" {
		t.Errorf("%v", src)
	}
}
