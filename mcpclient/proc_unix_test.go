//go:build unix

package mcpclient

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"toolgraph/config"
)

// lives reports whether a process runs; a zombie does not.
func lives(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return !os.IsNotExist(err)
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}

// zombies counts the dead children of this process that are not reaped.
func zombies(t testing.TB) int {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		fields := strings.Fields(rest)
		if len(fields) > 1 && fields[0] == "Z" && fields[1] == strconv.Itoa(os.Getpid()) {
			n++
		}
	}
	return n
}

func openFiles(t testing.TB) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("no /proc here:", err)
	}
	return len(entries)
}

// pidOf is the process of the pool's server.
func pidOf(t testing.TB, p *Pool) int {
	t.Helper()
	got, err := callTool(p, "pid", `{}`)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(got)
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// fork makes the server fork n sleepers and returns their processes.
func fork(t testing.TB, p *Pool, n int) []int {
	t.Helper()
	got, err := callTool(p, "forkchildren", fmt.Sprintf(`{"n":%d}`, n))
	if err != nil {
		t.Fatal(err)
	}
	return pidList(t, got)
}

func pidList(t testing.TB, raw string) []int {
	t.Helper()
	var list struct{ Items []string }
	if err := json.Unmarshal([]byte(raw), &list); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	pids := make([]int, len(list.Items))
	for i, s := range list.Items {
		pid, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		pids[i] = pid
	}
	return pids
}

// victimCommand makes the test binary a process to be killed.
const victimCommand = "__victim"

// beVictim opens a pool with a supervisor on a server that ends of its own accord
// never, lets it fork, prints the processes on stdout and waits to be killed.
func beVictim(server string) {
	p := NewPool([]*config.Upstream{{
		Name: text("fake"), Transport: config.Stdio, Command: text(server), Args: []config.Text{text("ignoreterm")},
	}})
	children, err := callTool(p, "forkchildren", `{"n":2}`)
	if err != nil {
		panic(err)
	}
	pid, err := callTool(p, "pid", `{}`)
	if err != nil {
		panic(err)
	}
	fmt.Println(pid, children)
	select {}
}
