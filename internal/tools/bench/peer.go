package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"toolgraph/internal/tools/bench/program"
	"toolgraph/tests/npm"
)

// The names of the peers, as the table shows them.
const (
	ours       = "toolgraph"
	unrecorded = "toolgraph --no-history"
	mcpgraph   = "mcpgraph"
	bare       = "mcp-go echo"
)

// mcpgraphVersion is the version that is measured against.
const mcpgraphVersion = "0.1.23"

// peer is a program to measure. A peer without a dialect reads no graphs.
type peer struct {
	name    string
	dialect dialect
	crowded bool                        // only workloads with many calls in flight are measured
	command func(graph string) []string // the command line for a graph file
}

// takes reports whether the peer can do the workload.
func (p *peer) takes(w *workload) bool {
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
// with a line in log, except toolgraph, which is required.
func newFleet(ctx context.Context, dir, binary string, log io.Writer) (*fleet, error) {
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
	f.peers = append(f.peers,
		&peer{name: ours, dialect: current, command: func(graph string) []string { return []string{binary, "-g", graph} }},
		&peer{name: unrecorded, dialect: current, crowded: true, command: func(graph string) []string {
			return []string{binary, "--no-history", "-g", graph}
		}})
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
	return f, nil
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
