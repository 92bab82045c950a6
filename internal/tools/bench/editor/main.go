// Editor measures the language server as an editor sees it: a graph file of 2,000 lines with 47 tools is open,
// and changes and requests come one after the other. Out come a Markdown table and how far the goals are
// reached.
//
//	go -C internal/tools/bench run ./editor [-changes 400] [-binary PATH] [-quick]
//
// It knows the program by its standard streams only. The pause after a change, which an editor's settings
// decide, is not counted: it is set to 0.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"

	"toolgraph/internal/tools/bench/machine"
	"toolgraph/internal/tools/bench/program"
	"toolgraph/internal/tools/bench/stats"
)

func main() {
	if err := run(os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench/editor:", err)
		os.Exit(1)
	}
}

func run(args []string) (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	flags := flag.NewFlagSet("bench/editor", flag.ContinueOnError)
	changes := flags.Int("changes", 400, "how many changes of each kind; at least 1")
	binary := flags.String("binary", "", "the toolgraph to measure (default: build it)")
	quick := flags.Bool("quick", false, "measure for a moment only: shows that it works, not how fast")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *quick {
		*changes = 5
	}
	dir, err := os.MkdirTemp("", "toolgraph-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if *binary == "" {
		if *binary, err = program.Build(ctx, dir, program.Product, "toolgraph"); err != nil {
			return err
		}
	}
	text := graphFile(*binary)
	path := filepath.Join(dir, "graph.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return err
	}
	if out, err := exec.CommandContext(ctx, *binary, "lock", path).CombinedOutput(); err != nil {
		return fmt.Errorf("lock: %w: %s", err, out)
	}
	e, err := open(ctx, *binary, dir)
	if err != nil {
		return err
	}
	rows, err := e.measure(path, text, max(*changes, 1))
	if err := errors.Join(err, e.close()); err != nil {
		return err
	}
	report(os.Stdout, machine.Describe(ctx), text, rows)
	return nil
}

// row is what was measured of one kind of work, in milliseconds.
type row struct {
	name  string
	goal  float64 // of the 95th percentile
	times []float64
	cpu   []float64 // processor time of the server meanwhile, which other work on the machine does not change
}

func report(w io.Writer, m machine.Machine, text string, rows []*row) {
	fmt.Fprintf(w, "On %s. A file of %d lines and %d tools; milliseconds.\n\n", m, strings.Count(text, "\n"), tools)
	fmt.Fprint(w, "| | p50 | p95 | longest | CPU p50 | CPU p95 | goal for p95 |\n|---|---:|---:|---:|---:|---:|---:|\n")
	missed := 0
	for _, r := range rows {
		p95 := stats.Percentile(r.times, 95)
		if p95 > r.goal {
			missed++
		}
		fmt.Fprintf(w, "| %s | %.1f | %.1f | %.1f | %.1f | %.1f | %.0f |\n",
			r.name, stats.Median(r.times), p95, stats.Percentile(r.times, 100), stats.Median(r.cpu), stats.Percentile(r.cpu, 95), r.goal)
	}
	fmt.Fprintf(w, "\nGoals that this run misses: %d of %d\n", missed, len(rows))
}
