package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/debugger/debug"
	"toolgraph/internal/program"
)

const asksYAML = `version: "1.0"
server: {name: s, version: 1.0.0}
mcpServers: {up: {command: up}}
tools:
  - name: t
    description: d
    nodes:
      - {id: entry, type: entry, next: sure}
      - {id: sure, type: ask, message: 'Really?', schema: {type: object, properties: {why: {type: string}}, required: [why]}, next: remove}
      - {id: remove, type: mcp, server: up, tool: remove, effect: destroy, confirm: true, args: {why: {expr: $.sure.why}}, next: exit}
      - {id: exit, type: exit}
`

// The lines of a terminal are commands while the run is paused, and answers while it waits.
func TestDebugAsksBetweenCommands(t *testing.T) {
	file, err := config.Parse("g.yaml", []byte(asksYAML), config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	graphs, found, _ := graph.Build(t.Context(), file)
	if found.Err() != nil {
		t.Fatal(found)
	}
	var said bytes.Buffer
	lines := []string{"break remove", "where", "continue", "because", "yes", "print $.sure.why", "continue", "yes"}
	std := program.Streams{In: strings.NewReader(strings.Join(lines, "\n")), Out: &bytes.Buffer{}, Err: &said}
	user := newAsker(std)
	user.talks = true
	c := debug.New()
	defer c.Close()
	calls := execution.CallerFunc(func(_ context.Context, c execution.Call) (value.Value, error) { return c.Args, nil })
	s, err := c.Start(t.Context(), graphs[0], value.NewObject(nil, nil), execution.New(calls), debug.StartOptions{
		Breakpoints: []debug.Breakpoint{{Node: "sure"}},
		Run:         []execution.Option{execution.WithUser(&runUser{asker: user, tool: "t", secrets: file.Secrets})},
	})
	if err != nil {
		t.Fatal(err)
	}
	r := &repl{std: std, next: user.input.line, session: s, graph: graphs[0], secrets: file.Secrets}
	r.commands(t.Context())
	<-s.Done()
	if state := s.State(); state.Status != debug.Finished {
		t.Errorf("the run is %s: %s\n%s", state.Status, state.Message, said.String())
	}
	if text := said.String(); !strings.Contains(text, "  asks: Really?\n    why (text, required)\n") || !strings.Contains(text, "Toolgraph asks for node sure of tool t:\n  | Really?") ||
		!strings.Contains(text, `"because"`) || !strings.Contains(text, "up.remove") {
		t.Error(text)
	}
}
