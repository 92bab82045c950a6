package page

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"toolgraph/execution"
	"toolgraph/execution/fold"
)

// laneRun is a run of an execution of 10,000 parts, eight at once, after an entry.
func laneRun() *runState {
	h := fold.NewHistory()
	began := time.UnixMilli(1_000_000)
	h.Add(execution.Event{Kind: execution.RunStarted, Time: began, Start: &execution.Start{}})
	record := func(index int, node, part string, from, to int, failed bool) {
		r := execution.Record{Index: index, NodeID: node, Part: part, Start: began.Add(time.Duration(from) * time.Millisecond), End: began.Add(time.Duration(to) * time.Millisecond)}
		if failed {
			r.Error = &execution.Failure{Code: execution.CodeTool}
		}
		h.Add(execution.Event{Kind: execution.StepFinished, Record: &r})
	}
	record(0, "entry", "", 0, 8, false)
	for i := range 10_000 {
		record(1, "all", fmt.Sprint(i), 8+i, 8+i+8, i == 7777)
	}
	record(1, "all", "", 8, 10_016, false)
	h.Add(execution.Event{Kind: execution.RunFinished, Time: began.Add(10_016 * time.Millisecond)})
	return &runState{history: h, info: info{Started: began}}
}

// What runs at once is in different lanes, and what is too short to be seen is one bar, which says when one of them
// has failed. So many bars are sent as can be seen, of what is in view.
func TestLanes(t *testing.T) {
	r := laneRun()
	all := r.lanes("", 0, 10_016, 10) // 1,000 pixels
	var lanes []string
	for _, l := range all.Lanes {
		lanes = append(lanes, fmt.Sprintf("%d:%d", l.Depth, l.Bars))
	}
	if got := strings.Join(lanes, " "); got != "0:2 1:1250 1:1250 1:1250 1:1250 1:1250 1:1250 1:1250 1:1250" {
		t.Errorf("the lanes are %s", got)
	}
	if len(all.Bars) > 20 || all.From != 0 || all.To != 10_016 {
		t.Errorf("%d bars from %v to %v", len(all.Bars), all.From, all.To)
	}
	failed, count := 0, 0
	for _, b := range all.Bars {
		count += max(b.Count, 1)
		if b.State == "failed" {
			failed++
		}
	}
	if failed != 1 || count != 10_002 {
		t.Errorf("%d bars have failed, %d steps in all", failed, count)
	}
	near := r.lanes("", 7780, 7800, 0.02)
	var bars []string
	for _, b := range near.Bars {
		if b.Lane == 1 {
			bars = append(bars, fmt.Sprintf("%s %s %v+%v%s", b.At, b.Node, b.Start, b.MS, b.State))
		}
	}
	if got := strings.Join(bars, ", "); got != "1.7768 all 7768 7776+8, 1.7776 all 7776 7784+8, 1.7784 all 7784 7792+8, 1.7792 all 7792 7800+8" {
		t.Errorf("near: %s", got)
	}
	if inside := r.lanes("1", 0, 10_016, 10); len(inside.Lanes) != 8 || inside.Lanes[0].Depth != 0 {
		t.Errorf("inside: %+v", inside.Lanes)
	}
}

// More than can be shown at once share a lane.
func TestLanesAreBounded(t *testing.T) {
	h := fold.NewHistory()
	began := time.UnixMilli(1_000_000)
	h.Add(execution.Event{Kind: execution.RunStarted, Time: began, Start: &execution.Start{}})
	for i := range 10_000 {
		h.Add(execution.Event{Record: &execution.Record{Index: 1, NodeID: "all", Part: fmt.Sprint(i), Start: began, End: began.Add(time.Second)}})
	}
	r := &runState{history: h, info: info{Started: began, MS: 1000}}
	if got := r.lanes("", 0, 1000, 1); len(got.Lanes) != mostLanes {
		t.Errorf("%d lanes", len(got.Lanes))
	}
}

func TestLanesAndTimesOfARun(t *testing.T) {
	c := openFrames(t, nil)
	id := c.start(`{"tool": "trip", "args": {"n": 4}}`)
	c.until(id, "finished")
	found := good[lanesJSON](c, "GET", "/api/runs/"+id+"/lanes?per=0.1", "")
	whole := good[stepsJSON](c, "GET", "/api/runs/"+id+"/steps", "")
	if found.Lanes[0].Bars != whole.Total || len(found.Lanes) < 3 {
		t.Errorf("%+v of %d steps", found.Lanes, whole.Total)
	}
	inner := good[lanesJSON](c, "GET", "/api/runs/"+id+"/lanes?frame=3.0", "")
	if len(inner.Lanes) != 1 {
		t.Errorf("a frame has %+v", inner.Lanes)
	}
	times := good[timesJSON](c, "GET", "/api/runs/"+id+"/times", "")
	var names []string
	for _, n := range times.Nodes {
		names = append(names, fmt.Sprintf("%s:%s %d/%d", n.Tool, n.Node, n.Count, n.Parts))
	}
	if got := strings.Join(names, ", "); !strings.Contains(got, ":stops 1/") || !strings.Contains(got, ":entry 1/0") {
		t.Errorf("times of %s", got)
	}
	for query, want := range map[string]int{"?per=x": 400, "?from=x": 400, "?to=1e99": 400, "?frame=9": 404, "?from=5&to=1": 200, "?per=-1": 200} {
		if status, body := c.ask("GET", "/api/runs/"+id+"/lanes"+query, ""); status != want {
			t.Errorf("%s: %d %s", query, status, body)
		}
	}
}
