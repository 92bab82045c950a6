package page

import (
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/execution/journal"
	"toolgraph/execution/journal/sqlite"
)

// The page shows a run of the pipeline with its steps and what each was passed: while it is live, and
// as a recorded run.
func TestPipelineRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	src := graphFile + "pipeline: {name: several, calls: [up.*]}\n"
	id := ""
	for _, live := range []bool{true, false} {
		store, err := sqlite.Open(dir, journal.Options{})
		if err != nil {
			t.Fatal(err)
		}
		c := openFile(t, src, store)
		if live {
			id = c.start(`{"tool": "several", "args": {"steps": [{"id": "first", "tool": "count", "args": {"n": 2}}, {"id": "second", "tool": "up.inc", "args": {"n": "{{first.n}}"}}]}}`)
		}
		run := c.until(id, "finished")
		list := good[stepsJSON](c, "GET", "/api/runs/"+id+"/steps", "")
		var nodes []string
		for _, step := range list.Steps {
			nodes = append(nodes, step.Node)
		}
		if got := strings.Join(nodes, " "); run.Live != live || run.Tool != "several" || got != "_entry first second _exit" {
			t.Fatalf("live %v: %+v, steps %s", live, run, got)
		}
		first := good[detailJSON](c, "GET", "/api/runs/"+id+"/steps/1", "")
		if first.Changed || first.Tool != "count" || first.Input == nil || first.Input.Children[0].Text != "2" {
			t.Errorf("live %v: the first step is %+v", live, first)
		}
		second := good[detailJSON](c, "GET", "/api/runs/"+id+"/steps/2", "")
		if second.Changed || second.Server != "up" || second.Tool != "inc" || second.Input == nil || second.Input.Children[0].Text != "2" || second.Output.Text != "3" {
			t.Errorf("live %v: the second step is %+v, input %+v", live, second, second.Input)
		}
		if err := store.Close(); err != nil { // as the end of its process does
			t.Fatal(err)
		}
	}
}
