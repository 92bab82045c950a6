package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"toolgraph/tests/thorough"
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

// Thousands of runs leave memory and descriptors as they were. Memory is what the
// collector finds alive, as it reports it.
func TestG18ManyRunsLeaveNothing(t *testing.T) {
	t.Parallel()
	s := start(t, fiveNodes, "GODEBUG=gctrace=1")
	pid := s.cmd.Process.Pid
	if _, err := os.Stat(fmt.Sprintf("/proc/%d/fd", pid)); err != nil {
		t.Skip("no /proc on this system")
	}
	runs := func(n int) (aliveMB int) {
		from := len(s.stderr.String())
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
		return leastAlive(t, s.stderr.String()[from:])
	}
	runs(500) // the first take what is kept
	before := runs(1500)
	fds := descriptors(t, pid)
	more := thorough.Times(3000, 8500)
	runs(more)
	after := runs(1500)
	eventually(t, "no more descriptors than before", func() bool { return descriptors(t, pid) <= fds })
	t.Logf("%d MB alive before %d runs, %d after", before, more, after)
	if after > 4*before {
		t.Errorf("%d MB are alive after %d runs, %d were before", after, more, before)
	}
}

// collected is a line that GODEBUG=gctrace=1 makes the runtime write: the heap when a
// collection began and ended, and what of it is alive.
var collected = regexp.MustCompile(`(?m)^gc \d+ @.* \d+->\d+->(\d+) MB, `)

// leastAlive is the least memory that was alive at the collections of a log, in MB, and 1
// if it was less.
func leastAlive(t *testing.T, log string) int {
	t.Helper()
	found := collected.FindAllStringSubmatch(log, -1)
	if len(found) == 0 {
		t.Fatalf("there was no collection: %.300s", log)
	}
	least := 1 << 30
	for _, f := range found {
		mb, err := strconv.Atoi(f[1])
		if err != nil {
			t.Fatal(err)
		}
		least = min(least, mb)
	}
	return max(least, 1)
}

// descriptors is how many files a process has open. Those of the run history do not count while they are
// at most as many as its pool of 8 connections can have (a database and a log each, and the shared index):
// the pool opens a connection when two are needed at once.
func descriptors(t testing.TB, pid int) int {
	t.Helper()
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	history := 0
	for _, entry := range entries {
		if target, err := os.Readlink(filepath.Join(dir, entry.Name())); err == nil && strings.Contains(target, "/history.db") {
			history++
		}
	}
	return len(entries) - min(history, 2*8+1)
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
