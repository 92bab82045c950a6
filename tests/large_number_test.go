package tests

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/tests/testbin"
)

// aLargeNumber passes on an answer as the server wrote it, a part of it, and something computed with it.
const aLargeNumber = `server: {name: g, version: 1.0.0}
executionLimits: {maxResultBytes: 16000000}
mcpServers: {up: {command: $FAKE}}
tools:
- name: pass
  nodes: &nodes
  - {id: entry, type: entry, next: get}
  - {id: get, type: mcp, server: up, tool: text, args: {text: {expr: $.entry.text}}, next: exit}
  - {id: exit, type: exit}
- name: beside
  nodes:
  - {id: entry, type: entry, next: get}
  - {id: get, type: mcp, server: up, tool: text, args: {text: {expr: $.entry.text}}, next: pick}
  - {id: pick, type: transform, transform: {expr: '{"count": $count($.get.rows), "last": $.get.rows[-1].n, "n": $.get.n}'}, next: exit}
  - {id: exit, type: exit}
- name: compute
  nodes:
  - {id: entry, type: entry, next: get}
  - {id: get, type: mcp, server: up, tool: text, args: {text: {expr: $.entry.text}}, next: pick}
  - {id: pick, type: transform, transform: {expr: $.get.n + 1}, next: exit}
  - {id: exit, type: exit}
`

// X14: a number that no float64 holds, in an answer of 5 MB, is kept as it is written: for the client, in what is
// selected beside it, and in the record; only what is computed with it fails.
func TestX14LargeNumberInAnswer(t *testing.T) {
	t.Parallel()
	rows := strings.Repeat(`{"n":1,"text":"`+strings.Repeat("x", 80)+`"},`, 50_000)
	answer := `{"n":1e400,"rows":[` + rows + `{"n":-2.50E+999}]}`
	args, err := json.Marshal(map[string]string{"text": answer})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path, state := filepath.Join(dir, "graph.yaml"), filepath.Join(dir, "state")
	src := strings.ReplaceAll(aLargeNumber, "$FAKE", testbin.Build(t, "toolgraph/tests/fakeserver"))
	if err := os.WriteFile(path, []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startCommand(t, nil, "serve", path, "--state", state)
	s.handshake()
	if got := s.call("pass", string(args)); got.IsError || got.text(t) != answer || !bytes.Contains(got.Structured, []byte(`{"n":1e400,"rows"`)) {
		t.Errorf("passed on: %.200s", got.text(t))
	}
	if got := s.call("compute", string(args)); !got.IsError || !strings.Contains(got.text(t), `node "pick"`) || !strings.Contains(got.text(t), "number") {
		t.Errorf("computed: %+v", got)
	}
	if got := s.call("beside", string(args)).text(t); got != `{"count":50001,"last":-2.50E+999,"n":1e400}` {
		t.Errorf("beside: %s", got)
	}
	s.end()
	out, err := exec.Command(testbin.Build(t, "toolgraph"), "runs", "export", "last", "--state", state).Output()
	if err != nil || !bytes.Contains(out, []byte(`"n": 1e400`)) || !bytes.Contains(out, []byte(`-2.50E+999`)) {
		t.Errorf("recorded: %v, %.300s", err, out)
	}
}
