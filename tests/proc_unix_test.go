//go:build unix

package tests

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// lives reports whether a process runs; a zombie does not.
func lives(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	state, _ := processState(pid)
	return state != "Z"
}

// processState is the state and the parent of a process; "" when the system does not
// report it.
func processState(pid int) (state string, parent int) {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return "", 0
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 2 {
		return "", 0
	}
	parent, _ = strconv.Atoi(fields[1])
	return fields[0], parent
}

// children are the processes that a process has started, zombies among them; none
// where there is no /proc.
func children(t testing.TB, parent int) (alive, zombies []int) {
	t.Helper()
	found, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		pid, err := strconv.Atoi(filepath.Base(path))
		if err != nil {
			continue
		}
		switch state, p := processState(pid); {
		case p != parent:
		case state == "Z":
			zombies = append(zombies, pid)
		default:
			alive = append(alive, pid)
		}
	}
	return alive, zombies
}

// family are all processes that come from a session's one: its upstream server, which
// has n children of its own, and the supervisor.
func family(t testing.TB, s *session, n int) []int {
	t.Helper()
	var forked struct{ Items []string }
	if err := json.Unmarshal(s.call("forkchildren", `{"n":`+strconv.Itoa(n)+`}`).Structured, &forked); err != nil {
		t.Fatal(err)
	}
	if len(forked.Items) != n {
		t.Fatalf("%d grandchildren, want %d", len(forked.Items), n)
	}
	pids, _ := children(t, s.cmd.Process.Pid)
	pids = append(pids, atoi(t, s.call("pid", `{}`).text(t)))
	for _, pid := range forked.Items {
		pids = append(pids, atoi(t, pid))
	}
	return pids
}

func atoi(t testing.TB, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// allGone waits until none of the processes lives.
func allGone(t testing.TB, pids []int) {
	t.Helper()
	eventually(t, "all processes are gone", func() bool { return !slices.ContainsFunc(pids, lives) })
}

// exitOf waits for a session's end, which something else than the end of its input
// brings about, and gives its exit code.
func exitOf(t testing.TB, s *session) int {
	t.Helper()
	select {
	case <-s.exited:
	case <-time.After(answerTimeout):
		t.Error("the server runs on")
	}
	return s.end()
}
