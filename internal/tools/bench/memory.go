package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// memory is the memory of a process and of its descendants, in MB; zero without /proc.
type memory struct {
	now  float64 // the process, resident now
	peak float64 // the process, the most that was ever resident
	tree float64 // the process and all below it, resident now
}

func memoryOf(pid int) memory {
	own := statusOf(pid)
	return memory{now: own["VmRSS"], peak: own["VmHWM"], tree: treeOf(pid)}
}

func treeOf(pid int) float64 {
	total := statusOf(pid)["VmRSS"]
	for _, child := range childrenOf(pid) {
		total += treeOf(child)
	}
	return total
}

// statusOf are the sizes in a process's status, in MB.
func statusOf(pid int) map[string]float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return nil
	}
	sizes := map[string]float64{}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		if fields := strings.Fields(value); len(fields) == 2 && fields[1] == "kB" {
			if kb, err := strconv.ParseFloat(fields[0], 64); err == nil {
				sizes[name] = kb / 1024
			}
		}
	}
	return sizes
}

// childrenOf are the processes that any thread of a process has started.
func childrenOf(pid int) []int {
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		return nil
	}
	var out []int
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil {
			continue // the thread has ended
		}
		for _, field := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(field); err == nil {
				out = append(out, child)
			}
		}
	}
	return out
}
