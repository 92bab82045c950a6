// Package machine describes where a measurement was made, for the head of a table.
package machine

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// Machine is the surroundings of a measurement.
type Machine struct {
	CPU   string `json:"cpu"`
	Cores int    `json:"cores"`
	OS    string `json:"os"`
	Go    string `json:"go"`
	Node  string `json:"node"` // "" without Node
	When  string `json:"when"` // the day
}

// Describe describes this machine.
func Describe(ctx context.Context) Machine {
	return Machine{
		CPU:   cpu(),
		Cores: runtime.NumCPU(),
		OS:    runtime.GOOS + "/" + runtime.GOARCH,
		Go:    runtime.Version(),
		Node:  node(ctx),
		When:  time.Now().UTC().Format(time.DateOnly),
	}
}

func (m Machine) String() string {
	engine := "no Node"
	if m.Node != "" {
		engine = "Node " + m.Node
	}
	return fmt.Sprintf("%s, %d cores, %s, %s, %s, %s", m.CPU, m.Cores, m.OS, m.Go, engine, m.When)
}

// cpu is the name of the processor, on Linux.
func cpu() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		name, value, ok := strings.Cut(lines.Text(), ":")
		if ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}

func node(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "node", "--version").Output()
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(strings.TrimSpace(string(out)), "v")
}
