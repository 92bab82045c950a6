package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"sort"
	"strconv"
	"strings"
	"time"
)

// processTools report about the process, and start others:
//
//	argv env fds cwd   arrays or text: what the process was given
//	forkchildren       {n} sleeping grandchildren; answers their process ids
func processTools() map[string]func(*call) {
	return map[string]func(*call){
		"argv": func(c *call) { c.showAll(os.Args[1:]) },
		"env":  func(c *call) { c.showAll(os.Environ()) },
		"cwd": func(c *call) {
			dir, _ := os.Getwd()
			c.text(dir)
		},
		"fds":          func(c *call) { c.showAll(openFiles()) },
		"forkchildren": (*call).forkChildren,
	}
}

func (c *call) showAll(items []string) {
	sorted := append([]string{}, items...)
	c.result(c.id, map[string]any{"structuredContent": map[string]any{"items": sorted}})
}

// openFiles are the descriptors open in this process, but for those that the Go
// runtime opens for itself: epoll, eventfd and the limits of its control group.
func openFiles() []string {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return []string{err.Error()}
	}
	var open []string
	for _, e := range entries {
		target, err := os.Readlink("/proc/self/fd/" + e.Name())
		if err != nil || strings.HasPrefix(target, "anon_inode:[event") || strings.HasPrefix(target, "/sys/fs/cgroup/") {
			continue
		}
		if !strings.HasPrefix(target, "/proc/") { // the directory being read
			open = append(open, e.Name()+" "+target)
		}
	}
	sort.Strings(open)
	return open
}

func (c *call) forkChildren() {
	n := int(c.in.N)
	pids := make([]string, 0, n)
	for range n {
		cmd := exec.CommandContext(context.Background(), "sleep", strconv.Itoa(int(time.Hour.Seconds())))
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr // held open, as careless servers do
		if err := cmd.Start(); err != nil {
			c.refuse(-32603, fmt.Sprint("fork: ", err))
			return
		}
		pids = append(pids, strconv.Itoa(cmd.Process.Pid))
	}
	c.showAll(pids)
}
