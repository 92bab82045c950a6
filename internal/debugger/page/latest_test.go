package page

import (
	"fmt"
	"net/http"
	"testing"
)

// The graph shows of each node what it yielded last, at the step that is looked at.
func TestLatestOfEachNode(t *testing.T) {
	c := open(t, nil)
	id := c.start(`{"tool": "count", "args": {"n": 2}, "pause": true}`)
	c.until(id, "paused")
	good[info](c, "POST", "/api/runs/"+id+"/control", `{"action": "resume"}`)
	c.until(id, "finished")
	steps := good[stepsJSON](c, "GET", "/api/runs/"+id+"/steps", "").Steps
	for at := range steps {
		want := map[string]shortJSON{}
		for _, step := range steps[:at+1] {
			want[step.Node] = shortJSON{Index: step.Index, Preview: step.Preview, Error: step.Error, Edited: step.Edited}
		}
		got := good[latestJSON](c, "GET", fmt.Sprintf("/api/runs/%s/latest?at=%d", id, at), "").Nodes
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("at %d: %v, expected %v", at, got, want)
		}
	}
	end := good[latestJSON](c, "GET", "/api/runs/"+id+"/latest?at=9999", "").Nodes
	if last := steps[len(steps)-1]; end[last.Node].Index != last.Index {
		t.Errorf("past the end: %v", end)
	}
	if status, _ := c.ask("GET", "/api/runs/"+id+"/latest?at=x", ""); status != http.StatusBadRequest {
		t.Errorf("at=x: %d", status)
	}
	failed := c.start(`{"tool": "fail", "args": {"x": 1}}`)
	c.until(failed, "error")
	found := 0
	for _, short := range good[latestJSON](c, "GET", "/api/runs/"+failed+"/latest?at=9", "").Nodes {
		if short.Error != "" && short.Preview == "" {
			found++
		}
	}
	if found != 1 {
		t.Errorf("%d nodes failed, expected 1", found)
	}
}
