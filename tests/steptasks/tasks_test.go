// Package steptasks runs the thirty tasks of docs/experiments/steps in the engine. It needs Node, on which their servers
// run.
package steptasks

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

const folder = "../../docs/experiments/steps"

// The programs that were written from the manual alone have the values, the writes and the calls that the tasks ask for,
// and so do the same as nodes.
func TestThirtyTasks(t *testing.T) {
	if os.Getenv("TOOLGRAPH_STEPS") == "" {
		t.Skip("set TOOLGRAPH_STEPS=1, or use make steps: needs Node")
	}
	for _, form := range []string{"steps", "nodes"} {
		for id := 1; id <= 30; id++ {
			t.Run(fmt.Sprint(form, " ", id), func(t *testing.T) { run(t, form, id) })
		}
	}
}

// run runs the program of a task, in one form.
func run(t *testing.T, form string, id int) {
	s := startServers(t, id)
	g := s.graph(t, filepath.Join(folder, form, fmt.Sprintf("%02d.yaml", id)))
	result, err := execution.New(s).Run(t.Context(), g, s.args,
		execution.WithReads(func(_ context.Context, server, tool string) bool { return s.tools[server+"."+tool] == "read" }),
		execution.WithUser(s), execution.WithSleep(func(context.Context, time.Duration) error { return nil }))
	outcome := map[string]any{}
	if err != nil {
		outcome["error"] = err.Error()
	} else {
		outcome["value"] = value.JSON{Value: result.Value}
	}
	for _, bad := range s.end(t, outcome) {
		t.Error(bad)
	}
}

// servers are those of a task, in a process of Node. It answers one line at a time.
type servers struct {
	args  value.Value
	tools map[string]string // name → read or write

	mu  sync.Mutex
	in  io.Writer
	out *bufio.Reader
}

func startServers(t *testing.T, id int) *servers {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "node", filepath.Join(folder, "serve.mjs"), fmt.Sprint(id))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() })
	s := &servers{in: in, out: bufio.NewReader(out)}
	var first struct {
		Args  value.JSON
		Tools map[string]string
	}
	s.receive(t, &first)
	s.args, s.tools = first.Args.Value, first.Tools
	return s
}

func (s *servers) receive(t *testing.T, v any) {
	t.Helper()
	line, err := s.out.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, v)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// ask sends a line and returns the value of the answer.
func (s *servers) ask(message map[string]any) (value.Value, error) {
	line, err := json.Marshal(message)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.in.Write(append(line, '\n')); err != nil {
		return nil, err
	}
	raw, err := s.out.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	var answer struct {
		Value value.JSON
		Error *string
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, err
	}
	if answer.Error != nil {
		return nil, errors.New(*answer.Error)
	}
	return answer.Value.Value, nil
}

// CallTool calls a tool of the task.
func (s *servers) CallTool(_ context.Context, c execution.Call) (value.Value, error) {
	return s.ask(map[string]any{"tool": c.Server + "." + c.Tool, "args": value.JSON{Value: c.Args}})
}

// Ask answers as the user of the task.
func (s *servers) Ask(_ context.Context, q execution.Question) (execution.Answer, error) {
	v, err := s.ask(map[string]any{"ask": q.Message, "schema": q.Form.Value()})
	return execution.Answer{Action: execution.Accept, Content: v}, err
}

func (s *servers) end(t *testing.T, outcome map[string]any) []string {
	t.Helper()
	line, err := json.Marshal(map[string]any{"done": true, "outcome": outcome})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.in.Write(append(line, '\n')); err != nil {
		t.Fatal(err)
	}
	var judged struct{ Bad []string }
	s.receive(t, &judged)
	return judged.Bad
}

// graph makes a tool of a program: what it has of the tool, and the tools that this calls.
func (s *servers) graph(t *testing.T, path string) *graph.Graph {
	t.Helper()
	program, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for tool := range s.tools {
		server, _, _ := strings.Cut(tool, ".")
		names = append(names, server+": {command: node}")
	}
	slices.Sort(names)
	tool, called, _ := strings.Cut(string(program), "\ntools:\n")
	source := "server: {name: task, version: 1.0.0}\nmcpServers: {" + strings.Join(slices.Compact(names), ", ") + "}\ntools:\n  - name: task\n    description: a task\n    inputSchema: {type: object}\n    " +
		strings.ReplaceAll(strings.TrimSpace(tool), "\n", "\n    ") + "\n" + called
	file, err := config.Parse(path, []byte(source), config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	graphs, found, _ := graph.Build(t.Context(), file)
	if found.Err() != nil {
		t.Fatal(found)
	}
	return graphs[0]
}
