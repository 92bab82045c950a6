package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// gate holds the calls of the fake server's tool hold until it is opened, and knows from
// the server's diary what happened there, in order.
type gate struct {
	t           testing.TB
	file, diary string
}

func newGate(t testing.TB) *gate {
	t.Helper()
	dir := t.TempDir()
	return &gate{t: t, file: filepath.Join(dir, "gate"), diary: filepath.Join(dir, "diary")}
}

// args are the arguments of a fake server with this gate, for a list in YAML.
func (g *gate) args() string { return fmt.Sprintf("'gate=%s', 'diary=%s'", g.file, g.diary) }

func (g *gate) open() {
	g.t.Helper()
	if err := os.WriteFile(g.file, nil, 0o600); err != nil {
		g.t.Fatal(err)
	}
}

// lines are the lines of the diary that begin so.
func (g *gate) lines(prefix string) []string {
	g.t.Helper()
	src, err := os.ReadFile(g.diary)
	if err != nil && !os.IsNotExist(err) {
		g.t.Fatal(err)
	}
	var found []string
	for line := range strings.Lines(string(src)) {
		if strings.HasPrefix(line, prefix) && strings.HasSuffix(line, "\n") {
			found = append(found, strings.TrimSuffix(line, "\n"))
		}
	}
	return found
}

// wait waits until the diary has n lines that begin so.
func (g *gate) wait(prefix string, n int) {
	g.t.Helper()
	eventually(g.t, fmt.Sprintf("%d lines %q in the diary", n, prefix), func() bool { return len(g.lines(prefix)) >= n })
}

// most is how many calls were held at once, at most.
func (g *gate) most() int {
	g.t.Helper()
	now, most := 0, 0
	for _, line := range g.lines("") {
		switch {
		case strings.HasPrefix(line, "in "):
			now++
			most = max(most, now)
		case strings.HasPrefix(line, "out "):
			now--
		}
	}
	return most
}

// holding serves the tool hold, whose runs wait at the gate and give back what they got,
// and trivial, which calls no server; server is the rest of the server's entry.
func (g *gate) holding(server string) string {
	return `version: "1.0"
server: {name: test, version: 1.0.0}
mcpServers: {up: {command: $FAKE, args: [` + g.args() + `]` + server + `}}
tools:
- name: hold
  description: waits at the gate
  inputSchema: {type: object, properties: {id: {type: integer}}, required: [id]}
  nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: up, tool: hold, args: {n: {expr: $.entry.id}}, next: pick}
  - {id: pick, type: transform, transform: {expr: '{"id": $.call, "entry": $.entry.id}'}, next: exit}
  - {id: exit, type: exit}
- name: trivial
  description: calls no server
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: exit}
  - {id: exit, type: exit}
`
}

// holdAll sends n calls of hold, with the ids from 0 on.
func holdAll(s *session, n int) []<-chan reply {
	s.t.Helper()
	answers := make([]<-chan reply, n)
	for i := range n {
		_, answers[i] = s.sendCall("hold", fmt.Sprintf(`{"id": %d}`, i))
	}
	return answers
}

// answered is how many of the answers have come.
func answered(answers []<-chan reply) int {
	n := 0
	for _, answer := range answers {
		n += len(answer)
	}
	return n
}

// ownResult demands that a run of hold gave back its own id.
func ownResult(s *session, answer <-chan reply, id int) {
	s.t.Helper()
	if got, want := s.result(s.await(answer)).text(s.t), fmt.Sprintf(`{"id":%[1]d,"entry":%[1]d}`, id); got != want {
		s.t.Errorf("call %d gave %s", id, got)
	}
}
