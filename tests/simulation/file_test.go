package simulation

import (
	"errors"
	"strings"
	"testing"

	"toolgraph/expressions/value"

	"toolgraph/execution"
)

// file returns the scenario of a file: the YAML of its tools, or of the nodes of one, which begin
// with a dash and an id; limits are those of executionLimits, without braces.
func file(t testing.TB, limits, tools string, answer func(c *execution.Call) (value.Value, error)) *scenario {
	t.Helper()
	tools = strings.Trim(tools, "\n")
	if !strings.HasPrefix(tools, "- name:") {
		tools = "- name: main\n  description: made\n  inputSchema: {type: object}\n  nodes:\n  " + strings.ReplaceAll(tools, "\n", "\n  ")
	}
	s := &scenario{
		source: "version: \"1.0\"\nserver: {name: test, version: 1.0.0}\nmcpServers: {up: {command: up}}\n" +
			"executionLimits: {" + limits + "}\ntools:\n" + tools + "\n",
		answer: answer, maxExecutions: 1000, maxDepth: 16,
	}
	s.compile(t)
	return s
}

// hidden is a hidden tool that calls the server once and passes the answer on.
const hidden = `
- name: inner
  description: made
  inputSchema: {type: object}
  hidden: true
  nodes:
  - {id: entry, type: entry, next: read}
  - {id: read, type: mcp, server: up, tool: %s, args: {x: {expr: $.entry.x}}, next: pass}
  - {id: pass, type: transform, transform: {expr: '{"got": $.read}'}, next: exit}
  - {id: exit, type: exit}
`

// failureIn returns the failure that a run ended with.
func failureIn(t testing.TB, err error) *execution.Failure {
	t.Helper()
	var f *execution.Failure
	if !errors.As(err, &f) {
		t.Fatalf("the run ended with %v", err)
	}
	return f
}

// from returns a world whose journal has the first n events of another, and whose upstream
// servers had the calls that begin in them. The in-doubt calls were made when made is true.
func (w *world) from(n int, made bool) *world {
	out := newWorld(w.s, uint64(n))
	out.events = append(out.events, w.events[:n]...)
	for i := range out.events {
		e := &out.events[i]
		if e.Kind != execution.CallStarted {
			continue
		}
		for _, call := range w.ledger[e.At()] {
			if attemptOf(call.call.Attempt) == attemptOf(e.Step.Attempt) {
				out.ledger[e.At()] = append(out.ledger[e.At()], &entry{call: call.call, process: &process{}, answered: made, known: true, lost: !made})
			}
		}
	}
	return out
}

// resumed resumes a run until it has an end, in order, and fails the test for each violation.
func (w *world) resumed(t testing.TB) *story {
	t.Helper()
	st := w.s.disturb(t.Context(), w, nil, 0, inOrder)
	w.clean(t)
	return st
}

// clean fails the test for each violation.
func (w *world) clean(t testing.TB) {
	t.Helper()
	if len(w.violations) > 0 {
		t.Errorf("%s\ntrace:\n%s", strings.Join(w.violations, "\n"), strings.Join(w.trace, "\n"))
	}
}

// calls counts the calls of a ledger that were begun by a process.
func (w *world) calls(p *process) int {
	n := 0
	for _, entries := range w.ledger {
		for _, e := range entries {
			if p == nil || e.process == p {
				n++
			}
		}
	}
	return n
}
