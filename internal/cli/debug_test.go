package cli

import (
	"bytes"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/debugger/debug"
	"toolgraph/internal/program"
)

// Commands work after the run has ended, as after an interrupt while lines are waiting.
func TestCommandsAfterTheEnd(t *testing.T) {
	file, err := config.Parse("g.yaml", []byte(`version: "1.0"
server: {name: s, version: 1.0.0}
tools:
  - name: t
    description: d
    nodes:
      - {id: entry, type: entry, next: exit}
      - {id: exit, type: exit}
`), config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	graphs, found, _ := graph.Build(t.Context(), file)
	if found.Err() != nil {
		t.Fatal(found)
	}
	c := debug.New()
	defer c.Close()
	s, err := c.Start(t.Context(), graphs[0], value.NewObject(nil, nil), execution.New(nil), debug.StartOptions{Pause: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Stop()
	<-s.Done()
	var said bytes.Buffer
	r := &repl{std: program.Streams{Err: &said}, session: s, graph: graphs[0], secrets: file.Secrets}
	for _, line := range []string{"where", "list", "step", "continue", "watch $.entry", "context", "edit entry 1"} {
		if !r.execute(t.Context(), line) {
			t.Errorf("%s: the run continues", line)
		}
	}
	if !strings.Contains(said.String(), "the run is not paused") {
		t.Error(said.String())
	}
}
