package tests

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

const fiveNodes = `version: "1.0"
server: {name: test, version: 1.0.0}
mcpServers: {up: {command: $FAKE}}
tools:
- name: go
  description: five nodes
  inputSchema: {type: object, properties: {n: {type: integer}}, required: [n]}
  nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: up, tool: echo, args: {n: {expr: $.entry.n}}, next: t}
  - {id: t, type: transform, transform: {expr: '{"n": $.call.n + 1}'}, next: s}
  - {id: s, type: switch, conditions: [{rule: {"<": [{var: $.t.n}, 0]}, next: t}], next: last}
  - {id: last, type: transform, transform: {expr: $.t}, next: exit}
  - {id: exit, type: exit}
`

// Ten thousand runs leave memory and descriptors as they were.
func TestG18ManyRunsLeaveNothing(t *testing.T) {
	s := start(t, fiveNodes)
	pid := s.cmd.Process.Pid
	if _, err := os.Stat(fmt.Sprintf("/proc/%d/fd", pid)); err != nil {
		t.Skip("no /proc on this system")
	}
	runs := func(n int) {
		for done := 0; done < n; {
			var answers []<-chan reply
			for range min(64, n-done) {
				_, answer := s.sendCall("go", fmt.Sprintf(`{"n": %d}`, done))
				answers = append(answers, answer)
				done++
			}
			for i, answer := range answers {
				want := fmt.Sprintf(`{"n":%d}`, done-len(answers)+i+1)
				if got := s.result(s.await(answer)).text(t); got != want {
					t.Fatalf("got %s, want %s", got, want)
				}
			}
		}
	}
	runs(2000) // warm
	fds, mb := descriptors(t, pid), residentMB(t, pid)
	runs(10_000)
	if now := descriptors(t, pid); now != fds {
		t.Errorf("%d descriptors after, %d before", now, fds)
	}
	// The allowance beyond 10 % is the collector's own breathing.
	if now := residentMB(t, pid); now > mb+mb/10+8 {
		t.Errorf("%d MB after, %d MB before", now, mb)
	}
}

func descriptors(t *testing.T, pid int) int {
	t.Helper()
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

func residentMB(t *testing.T, pid int) int {
	t.Helper()
	src, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		t.Fatal(err)
	}
	var size, resident int
	if _, err := fmt.Fscan(strings.NewReader(string(src)), &size, &resident); err != nil {
		t.Fatal(err)
	}
	return resident * os.Getpagesize() >> 20
}
