package journal

import (
	"crypto/rand"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// Process is a process that records runs.
type Process struct {
	Name     string    `json:"name"` // of the owner of its runs: RANDOM.PID.HOST, never used again
	Host     string    `json:"host,omitempty"`
	PID      int       `json:"pid,omitempty"`
	Address  string    `json:"address,omitempty"` // where it serves, see Store.Announce
	Started  time.Time `json:"started,omitzero"`
	Beat     time.Time `json:"beat,omitzero"` // when it last showed that it is alive
	Draining bool      `json:"draining,omitempty"`
}

// NewProcess returns this process with a new name.
func NewProcess() Process {
	host, err := os.Hostname()
	if err != nil || host == "" {
		host = "unknown"
	}
	host = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' {
			return r
		}
		return '-' // the name is that of a file as well
	}, host)
	host = host[:min(len(host), mostHost)]
	now := time.Now()
	return Process{Name: fmt.Sprintf("%s.%d.%s", rand.Text(), os.Getpid(), host), Host: host, PID: os.Getpid(), Started: now, Beat: now}
}

const mostHost = 64 // bytes

// processOf returns what the name of a process says; nil when it says nothing, as the names of earlier
// versions.
func processOf(name string) *Process {
	parts := strings.SplitN(name, ".", 3)
	if len(parts) < 3 {
		return nil
	}
	pid, err := strconv.Atoi(parts[1])
	if err != nil || parts[2] == "" {
		return nil
	}
	return &Process{Name: name, Host: parts[2], PID: pid}
}

// ID returns the part of the name that no other process has.
func (p Process) ID() string {
	id, _, _ := strings.Cut(p.Name, ".")
	return id
}

// String returns the process as people name it: its host and its number there.
func (p Process) String() string { return fmt.Sprintf("%s:%d", p.Host, p.PID) }
