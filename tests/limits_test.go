package tests

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
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
	s := start(t, callGraph("structured", "{n: 100, size: 100}", "executionLimits: {maxNodeOutputBytes: 5000}"))
	r := s.call("go", `{}`)
	if text := r.text(t); !r.IsError || !strings.Contains(text, "maxNodeOutputBytes is 5000 bytes and the value has ") {
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
	s := start(t, doubling)
	r := s.call("go", `{}`)
	if text := r.text(t); !r.IsError || !strings.Contains(text, "Bytes is") {
		t.Errorf("got %s", text)
	}
	if mb := peakMB(t, s.cmd.Process.Pid); mb > 300 {
		t.Errorf("the run took %d MB", mb)
	}
}

// peakMB is the most memory that a process has had, in MB; 0 where the system does
// not tell.
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
	s := start(t, callGraph("sleep", "{ms: 60000}", "executionLimits: {maxExecutionTimeMs: 400}"))
	s.call("canceled", `{}`) // the server is up
	begun := time.Now()
	r := s.call("go", `{}`)
	took := time.Since(begun)
	if text := r.text(t); !r.IsError || !strings.Contains(text, "maxExecutionTimeMs is 400") {
		t.Errorf("got %s", text)
	}
	if took < 350*time.Millisecond || took > 900*time.Millisecond {
		t.Errorf("the answer came after %v, the limit is 400ms", took)
	}
	eventually(t, "the call is cancelled upstream", func() bool { return s.call("canceled", `{}`).text(t) == "1" })
}

// eventually waits for something that comes with time.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for range 500 {
		if holds() {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("it never came to this: %s", what)
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

// Up to 1,024 runs go on at once; more are refused at once and by name; a ping is
// answered all the while.
func TestG11ManyRuns(t *testing.T) {
	s := start(t, strings.ReplaceAll(mirror, "maxInFlight: 16", "maxInFlight: 2000"))
	s.call("mirror", `{"id": 0, "ms": 0}`)
	var answers []<-chan reply
	for i := range 1100 {
		_, answer := s.sendCall("mirror", fmt.Sprintf(`{"id": %d, "ms": 1500}`, i))
		answers = append(answers, answer)
	}
	begun := time.Now()
	s.request("ping", `{}`)
	if took := time.Since(begun); took > 500*time.Millisecond {
		t.Errorf("ping took %v", took)
	}
	busy := 0
	for i, answer := range answers {
		r := s.await(answer)
		switch {
		case r.Error != nil && strings.Contains(r.Error.Message, "busy"):
			busy++
		case r.Error != nil:
			t.Fatalf("call %d: %s", i, r.Error.Message)
		default:
			result := s.result(r)
			if result.IsError && strings.Contains(result.text(t), "busy") {
				busy++
			} else if want := fmt.Sprintf(`{"id":%d,"entry":%d}`, i, i); result.text(t) != want {
				t.Fatalf("call %d gave %s", i, result.text(t))
			}
		}
	}
	if busy != 1100-1024 {
		t.Errorf("%d calls were refused, want %d", busy, 1100-1024)
	}
}

// Many runs share one server: never more in flight than its limit, nothing mixed up.
func TestG12SharedServer(t *testing.T) {
	s := start(t, mirror)
	var answers []<-chan reply
	for i := range 500 {
		_, answer := s.sendCall("mirror", fmt.Sprintf(`{"id": %d, "ms": 1}`, i))
		answers = append(answers, answer)
	}
	for i, answer := range answers {
		if got, want := s.result(s.await(answer)).text(t), fmt.Sprintf(`{"id":%d,"entry":%d}`, i, i); got != want {
			t.Errorf("call %d gave %s", i, got)
		}
	}
}
