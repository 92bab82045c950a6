package main

import (
	"os"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/graph"
)

func TestGraphsLoadInBothForms(t *testing.T) {
	dir := t.TempDir()
	for _, w := range workloads() {
		for _, d := range []dialect{current, older} {
			path, err := writeGraph(dir, w.graph, d, `/a "b"/upstream`)
			if err != nil {
				t.Fatal(err)
			}
			file, err := config.Load(path, config.Options{})
			if err != nil {
				t.Errorf("%s, %s: %v", w.graph, d, err)
				continue
			}
			graphs, found, _ := graph.Build(t.Context(), file)
			if found.Err() != nil || len(graphs) != 1 || graphs[0].Tool.Name.Value != w.tool {
				t.Errorf("%s, %s: %d tools, want only %s; %v", w.graph, d, len(graphs), w.tool, found)
			}
		}
	}
}

func TestWorkloadsHaveTitlesOfTheirOwn(t *testing.T) {
	titles := map[string]bool{}
	for _, w := range workloads() {
		if titles[w.title()] {
			t.Errorf("%s is measured twice", w.title())
		}
		titles[w.title()] = true
		one, two := w.call(1), w.call(2)
		if one.want == two.want {
			t.Errorf("%s: two calls have one answer, %s", w.title(), one.want)
		}
	}
}

func TestWriteGraphTellsWhatFailed(t *testing.T) {
	if _, err := writeGraph(t.TempDir(), "none", current, ""); err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("got %v", err)
	}
	if _, err := writeGraph(os.DevNull, "echo", current, ""); err == nil {
		t.Error("a graph was written into a file")
	}
}
