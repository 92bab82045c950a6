package config

import (
	"strings"
	"testing"
)

const pipelineHead = "server: {name: s, version: 1.0.0}\ntools: []\n"

func TestPipelineOfAFile(t *testing.T) {
	for src, want := range map[string]*Pipeline{
		"":                nil,
		"pipeline: false": nil,
		"pipeline: true":  {Name: Text{Value: "pipeline"}, MaxSteps: 20},
		"pipeline: {}":    {Name: Text{Value: "pipeline"}, MaxSteps: 20},
		"pipeline: {name: mcp_pipeline, maxSteps: 100}": {Name: Text{Value: "mcp_pipeline"}, MaxSteps: 100},
		"pipeline: {tools: [], calls: [a.b]}":           {Name: Text{Value: "pipeline"}, MaxSteps: 20, Tools: []Text{}, Calls: []Text{{Value: "a.b"}}},
	} {
		f, err := Parse("g.yaml", []byte(pipelineHead+src), Options{})
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		got := f.Pipeline
		if (got == nil) != (want == nil) {
			t.Errorf("%s: got %v, want %v", src, got, want)
			continue
		}
		if got == nil {
			continue
		}
		if got.Name.Value != want.Name.Value || got.MaxSteps != want.MaxSteps || (got.Tools == nil) != (want.Tools == nil) ||
			len(got.Calls) != len(want.Calls) || got.Pos.Line != 3 {
			t.Errorf("%s: got %+v, want %+v", src, got, want)
		}
	}
}

func TestPipelineOfAFlag(t *testing.T) {
	f, err := Parse("g.yaml", []byte(pipelineHead), Options{Pipeline: true})
	if err != nil || f.Pipeline == nil || f.Pipeline.Name.Value != "pipeline" || f.Pipeline.Pos.IsValid() {
		t.Errorf("got %+v, %v", f.Pipeline, err)
	}
	f, err = Parse("g.yaml", []byte(pipelineHead+"pipeline: {name: own}"), Options{Pipeline: true})
	if err != nil || f.Pipeline.Name.Value != "own" {
		t.Errorf("the flag replaces what the file says: %+v, %v", f.Pipeline, err)
	}
}

func TestPipelineMistakes(t *testing.T) {
	for src, want := range map[string]string{
		"pipeline: yes please":      "g.yaml:3:11: pipeline of the graph file is text, expected true or a mapping",
		"pipeline: {maxSteps: 101}": "bad-range",
		"pipeline: {maxSteps: 0}":   "bad-range",
		"pipeline: {name: ''}":      "name of pipeline is empty",
		"pipeline: {tool: [a]}":     `did you mean "tools"?`,
		"pipeline: {calls: a.*}":    "write calls: [",
		"pipeline: [1]":             "expected true or a mapping",
	} {
		_, err := Parse("g.yaml", []byte(pipelineHead+src), Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", src, err, want)
		}
	}
}
