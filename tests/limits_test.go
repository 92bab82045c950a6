package tests

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"toolgraph/tests/testbin"
)

// callGraph serves one tool that calls one tool of the fake server; limits and
// server are further YAML.
func callGraph(tool, args, limits string) string {
	return `version: "1.0"
server: {name: test, version: 1.0.0}
` + limits + `
mcpServers: {up: {command: $FAKE}}
tools:
- name: go
  description: calls ` + tool + `
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: up, tool: ` + tool + `, args: ` + args + `, next: exit}
  - {id: exit, type: exit}
- name: canceled
  description: how many cancellations the server was sent
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: up, tool: canceled, next: exit}
  - {id: exit, type: exit}
`
}

func TestG07OutputLimitOverTheWire(t *testing.T) {
	t.Parallel()
	s := start(t, callGraph("structured", "{n: 100, size: 100}", "executionLimits: {maxNodeOutputBytes: 5000}"))
	r := s.call("go", `{}`)
	if text := r.text(t); !r.IsError || !strings.Contains(text, "maxNodeOutputBytes is 5000 bytes, but the value has ") {
		t.Errorf("got %s", text)
	}
}

const doubling = `version: "1.0"
server: {name: test, version: 1.0.0}
executionLimits: {maxNodeOutputBytes: 4194304, maxHistoryBytes: 8388608}
tools:
- name: go
  description: doubles its output each turn
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: a}
  - {id: a, type: transform, transform: {expr: '$executionCount("a") = 0 ? "xxxxxxxx" : $.a & $.a'}, next: s}
  - {id: s, type: switch, conditions: [{rule: {"==": [{var: $.a}, 2]}, next: exit}], next: a}
  - {id: exit, type: exit}
`

func TestG08GrowingLoop(t *testing.T) {
	t.Parallel()
	s := start(t, doubling)
	r := s.call("go", `{}`)
	if text := r.text(t); !r.IsError || !strings.Contains(text, "Bytes is") {
		t.Errorf("got %s", text)
	}
	if mb := peakMB(t, s.cmd.Process.Pid); mb > 300 {
		t.Errorf("the run took %d MB", mb)
	}
}

// peakMB is the peak memory of a process in MB; 0 where the system does not report it.
func peakMB(t *testing.T, pid int) int {
	t.Helper()
	src, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(src) {
		if rest, found := bytes.CutPrefix(line, []byte("VmHWM:")); found {
			kb, err := strconv.Atoi(strings.Fields(string(rest))[0])
			if err != nil {
				t.Fatal(err)
			}
			return kb / 1024
		}
	}
	return 0
}

func TestG10RunLongerThanLimit(t *testing.T) {
	t.Parallel()
	s := start(t, callGraph("sleep", "{ms: 3600000}", "executionLimits: {maxExecutionTimeMs: 400}"))
	s.call("canceled", `{}`) // the server is up
	r := s.call("go", `{}`)  // the server would answer in an hour
	if text := r.text(t); !r.IsError || !strings.Contains(text, "maxExecutionTimeMs is 400") {
		t.Errorf("got %s", text)
	}
	eventually(t, "the call is cancelled upstream", func() bool { return s.call("canceled", `{}`).text(t) == "1" })
}

// eventually waits for something that comes with time.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	if !testbin.Eventually(answerTimeout, holds) {
		t.Errorf("it never came to this: %s", what)
	}
}

const mirror = `version: "1.0"
server: {name: test, version: 1.0.0}
mcpServers: {up: {command: $FAKE, maxInFlight: 16}}
tools:
- name: mirror
  description: gives back what it got, by way of the server
  inputSchema: {type: object, properties: {id: {type: integer}, ms: {type: integer}}, required: [id]}
  nodes:
  - {id: entry, type: entry, next: nap}
  - {id: nap, type: mcp, server: up, tool: sleep, args: {ms: {expr: $.entry.ms}}, next: call}
  - {id: call, type: mcp, server: up, tool: echo, args: {id: {expr: $.entry.id}}, next: pick}
  - {id: pick, type: transform, transform: {expr: '{"id": $.call.id, "entry": $.entry.id}'}, next: exit}
  - {id: exit, type: exit}
`

// 1,024 runs go on at once, all in flight at the server; of 1,100 the others are refused
// at once and by name, which is before any of the first has ended; a ping is answered
// all the while.
func TestG11ManyRuns(t *testing.T) {
	t.Parallel()
	const limit, all = 1024, 1100
	g := newGate(t)
	s := start(t, g.holding(", maxInFlight: 2000"))
	answers := holdAll(s, all)
	s.request("ping", `{}`)
	g.wait("in ", limit)
	eventually(t, "the runs beyond the limit are refused", func() bool { return answered(answers) >= all-limit })
	for range 10 {
		s.request("ping", `{}`)
	}
	if n := answered(answers); n != all-limit || len(g.lines("out ")) != 0 {
		t.Fatalf("%d calls are answered before the gate is open, want %d", n, all-limit)
	}
	refused := make([]bool, all)
	for i, answer := range answers {
		if len(answer) == 0 {
			continue
		}
		refused[i] = true
		if r := s.result(s.await(answer)); !r.IsError || !strings.Contains(r.text(t), "busy: 1024 runs are in flight") {
			t.Errorf("call %d gave %s", i, r.text(t))
		}
	}
	g.open()
	for i, answer := range answers {
		if !refused[i] {
			ownResult(s, answer, i)
		}
	}
	if n := g.most(); n != limit {
		t.Errorf("%d calls were at the server at once, want %d", n, limit)
	}
}

// Without maxInFlight, calls of 512 runs do not queue for one server: all are there at once.
func TestManyCallsInOneWave(t *testing.T) {
	t.Parallel()
	const all = 512
	g := newGate(t)
	s := start(t, g.holding(""))
	answers := holdAll(s, all)
	g.wait("in ", all) // before any of them is answered
	g.open()
	for i, answer := range answers {
		ownResult(s, answer, i)
	}
	if n := g.most(); n != all {
		t.Errorf("%d calls were at the server at once, want %d", n, all)
	}
}

// Many runs share one server: never more in flight than its limit, as the server itself
// counts them, and each gets its own result.
func TestG12SharedServer(t *testing.T) {
	t.Parallel()
	const limit = 16
	g := newGate(t)
	s := start(t, g.holding(fmt.Sprintf(", maxInFlight: %d", limit)))
	answers := holdAll(s, 500)
	s.request("ping", `{}`) // all have been read
	g.wait("in ", limit)
	g.open()
	for i, answer := range answers {
		ownResult(s, answer, i)
	}
	if n := g.most(); n != limit {
		t.Errorf("%d calls were in flight at once, want %d", n, limit)
	}
}
