package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"toolgraph/internal/tools/bench/program"
	"toolgraph/tests/npm"
)

// The names of the peers, as the table shows them.
const (
	ours       = "toolgraph"
	unrecorded = "toolgraph --no-history"
	earlier    = "before"
	oldBare    = "before --no-history"
	mcpgraph   = "mcpgraph"
	bare       = "mcp-go echo"
	standard   = "standard library" // the upstream server, which also echoes
	straight   = "mcp-go client"    // calls the upstream server itself
)

// mcpgraphVersion is the version that is measured against.
const mcpgraphVersion = "0.1.23"

// peer is a program to measure. A peer without a dialect reads no graphs, and one without a command is a client in this process.
type peer struct {
	name    string
	dialect dialect
	crowded bool                        // only workloads with many calls in flight are measured
	command func(graph string) []string // the command line for a graph file
}

// takes reports whether the peer can do the workload.
func (p *peer) takes(w *workload) bool {
	if p.name == straight {
		return w.straight && w.inflight == 1
	}
	return (p.dialect != "" || w.bare) && (!p.crowded || w.inflight > 1)
}

// fleet is everything that a run starts, in a folder of its own.
type fleet struct {
	dir        string
	upstream   string
	peers      []*peer
	binarySize int64 // of toolgraph, in bytes
}

// newFleet builds and installs the peers into dir. A peer that cannot be installed is left out
// with a line in log, except toolgraph, which is required. before is a toolgraph to compare with; "": none.
func newFleet(ctx context.Context, dir, binary, before string, log io.Writer) (*fleet, error) {
	f := &fleet{dir: dir}
	var err error
	if binary == "" {
		if binary, err = program.Build(ctx, dir, program.Product, ours); err != nil {
			return nil, err
		}
	} else if binary, err = filepath.Abs(binary); err != nil {
		return nil, err
	}
	info, err := os.Stat(binary)
	if err != nil {
		return nil, err
	}
	f.binarySize = info.Size()
	if f.upstream, err = program.Build(ctx, dir, program.Bench, "toolgraph/internal/tools/bench/upstream"); err != nil {
		return nil, err
	}
	f.addToolgraph(binary, ours, unrecorded)
	if before != "" {
		if before, err = filepath.Abs(before); err != nil {
			return nil, err
		}
		f.addToolgraph(before, earlier, oldBare, "--state", filepath.Join(dir, "before"))
	}
	if modules, err := npm.Install(ctx, "mcpgraph@"+mcpgraphVersion); err != nil {
		fmt.Fprintf(log, "%s is left out: %v\n", mcpgraph, err)
	} else {
		script := filepath.Join(modules, "node_modules", "mcpgraph", "dist", "main.js")
		f.peers = append(f.peers, &peer{name: mcpgraph, dialect: older, command: func(graph string) []string { return []string{"node", script, "-g", graph} }})
	}
	if echo, err := program.Build(ctx, dir, program.Bench, "toolgraph/internal/tools/bench/echo"); err != nil {
		fmt.Fprintf(log, "%s is left out: %v\n", bare, err)
	} else {
		f.peers = append(f.peers, &peer{name: bare, command: func(string) []string { return []string{echo} }})
	}
	f.peers = append(f.peers, &peer{name: standard, command: func(string) []string { return []string{f.upstream} }}, &peer{name: straight})
	return f, nil
}

// addToolgraph adds a toolgraph as two peers: one that records runs, and one that does not.
func (f *fleet) addToolgraph(binary, recording, not string, flags ...string) {
	command := func(more ...string) func(string) []string {
		return func(graph string) []string {
			return slices.Concat([]string{binary}, flags, more, []string{"-g", graph})
		}
	}
	f.peers = append(f.peers,
		&peer{name: recording, dialect: current, command: command()},
		&peer{name: not, dialect: current, crowded: true, command: command("--no-history")})
}

// driver is a peer that was started, and the conversation with it. It belongs to one goroutine.
type driver interface {
	drive(w *workload, span time.Duration) (tally, error)
	pid() int // of the process whose memory is that of the peer
	close()
}

// open starts a peer for a workload.
func (f *fleet) open(ctx context.Context, p *peer, w *workload) (driver, error) {
	if p.command == nil {
		return dialStraight(ctx, f.upstream)
	}
	line, err := f.line(p, w)
	if err != nil {
		return nil, err
	}
	c, _, err := dial(ctx, line)
	return c, err
}

// line is the command line of a peer for a workload.
func (f *fleet) line(p *peer, w *workload) ([]string, error) {
	if p.dialect == "" {
		return p.command(""), nil
	}
	path, err := writeGraph(f.dir, w.graph, p.dialect, f.upstream)
	if err != nil {
		return nil, err
	}
	return p.command(path), nil
}
