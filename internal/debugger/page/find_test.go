package page

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"toolgraph/execution"
)

// Steps and parts are found by node, failure, edit and time, in the order of the list, in pages, with the
// place of the step under inspection among them.
func TestFindSteps(t *testing.T) {
	c := openFrames(t, nil)
	id := c.start(`{"tool": "trip", "args": {"n": 4}}`)
	c.until(id, "finished")
	find := func(query string) string {
		t.Helper()
		found := good[foundJSON](c, "GET", "/api/runs/"+id+"/find?"+query, "")
		text := fmt.Sprintf("%d,%d,%v:", found.Total, found.Before, found.At)
		for _, row := range found.Rows {
			text += " " + string(execution.AddressOf("", row.Index, row.Part)) + "=" + row.Node
		}
		return text
	}
	for query, want := range map[string]string{
		"node=STOP&at=3":        "1,0,true: 3=stops",
		"node=stop&at=4":        "1,1,false: 3=stops",
		"node=weather":          "1,0,false: 1.weather=facts",
		"failed=1":              "2,0,false: 3.1=stops 4=busy", // taken by onError
		"failed=1&at=3&part=1":  "2,0,true: 3.1=stops 4=busy",
		"failed=1&at=3&part=2":  "2,1,false: 3.1=stops 4=busy",
		"failed=1&at=9":         "2,2,false: 3.1=stops 4=busy",
		"failed=1&from=1":       "2,0,false: 4=busy",
		"failed=1&limit=1":      "2,0,false: 3.1=stops",
		"failed=1&node=busy":    "1,0,false: 4=busy",
		"slower=3600000":        "0,0,false:",
		"edited=1":              "0,0,false:",
		"frame=3.0&node=read":   "1,0,false: 1=read",
		"node=none%20such&at=3": "0,0,false:",
	} {
		if got := find(query); got != want {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
	for _, bad := range []string{"x", "-1", "NaN", "1e99"} {
		if status, _ := c.ask("GET", "/api/runs/"+id+"/find?slower="+bad, ""); status != http.StatusBadRequest {
			t.Errorf("slower than %s: %d", bad, status)
		}
	}
}

// A run that fails says where it did, as far inside as it is known.
func TestFailedAt(t *testing.T) {
	src := strings.NewReplacer(`onError: {value: {late: {expr: $failure.message}}}, `, "").Replace(framesFile)
	c := openFile(t, src, nil, func(s *Server) { s.project.Engine = execution.New(busy{}) })
	for args, want := range map[string]execution.Address{`{"n": 4}`: "3.1/2", `{"n": 1}`: ""} {
		id := c.start(`{"tool": "trip", "args": ` + args + `}`)
		for good[info](c, "GET", "/api/runs/"+id, "").Ended == nil {
			time.Sleep(time.Millisecond)
		}
		if got := good[info](c, "GET", "/api/runs/"+id, "").FailedAt; got != want {
			t.Errorf("%s: failed at %q, want %q", args, got, want)
		}
	}
}

// What a server reports of a call is shown, without secrets, while the call is in flight, and not after it.
func TestReports(t *testing.T) {
	hear := make(chan func(at execution.Address, done, total float64, message string), 1)
	goOn, called := make(chan struct{}), make(chan struct{})
	c := openFile(t, graphFile, nil, func(s *Server) {
		s.project.Reported = func(ctx context.Context, to func(at execution.Address, done, total float64, message string)) context.Context {
			hear <- to
			return ctx
		}
		s.project.Engine = execution.New(execution.CallerFunc(func(ctx context.Context, call execution.Call) (any, error) {
			close(called)
			<-goOn
			return inc{}.CallTool(ctx, call)
		}))
	})
	id := c.start(`{"tool": "count", "args": {"n": 1}}`)
	report := <-hear
	<-called
	for i := range 3 * mostReports {
		report(execution.AddressOf("", 100+i, ""), 1, 2, "of no call in flight")
	}
	if got := good[info](c, "GET", "/api/runs/"+id, ""); len(got.Progress) != 0 {
		t.Errorf("%+v", got.Progress)
	}
	report("3", 1, 4, "page 1 with "+token)
	got := good[info](c, "GET", "/api/runs/"+id, "")
	if len(got.Progress) != 1 || got.Progress[0].At != "3" || got.Progress[0].Total != 4 || got.Progress[0].Message != "page 1 with [redacted]" {
		t.Errorf("%+v", got.Progress)
	}
	if got.Next == nil || got.Next.Server != "up" || got.Next.Tool != "inc" || got.Next.Start <= 0 {
		t.Errorf("the call in flight: %+v", got.Next)
	}
	path := good[pathJSON](c, "GET", "/api/runs/"+id+"/path", "")
	if open := path.Open; open == nil || open.Node != "add" || open.Start <= 0 {
		t.Errorf("its row: %+v", open)
	}
	good[info](c, "POST", "/api/runs/"+id+"/control", `{"action": "pause"}`)
	if got := good[info](c, "GET", "/api/runs/"+id, ""); !got.Pausing || got.Status != "running" {
		t.Errorf("it pauses after the call: %+v", got)
	}
	close(goOn)
	c.until(id, "paused")
	report("3", 4, 4, "too late")
	if got := good[info](c, "GET", "/api/runs/"+id, ""); len(got.Progress) != 0 || got.Pausing {
		t.Errorf("after the call: %+v", got)
	}
}
