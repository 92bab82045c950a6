package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"time"

	"toolgraph/internal/tools/bench/machine"
)

func main() {
	if err := run(os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(args []string) (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	rounds := flags.Int("rounds", 3, "how often to measure everything; at least 1")
	only := flags.String("only", "", "measure only the rows that this regular expression finds")
	binary := flags.String("binary", "", "the toolgraph to measure (default: build it)")
	before := flags.String("before", "", "a toolgraph of before, measured beside it in the same run")
	file := flags.String("json", "", "write everything to this file as JSON")
	quick := flags.Bool("quick", false, "measure for a moment only: shows that it works, not how fast")
	if err := flags.Parse(args); err != nil {
		return err
	}
	filter, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	p := plan{rounds: max(*rounds, 1), starts: 5, slices: 4, slice: 250 * time.Millisecond, warm: 400 * time.Millisecond, only: filter}
	if *quick {
		p = plan{rounds: 1, starts: 1, slices: 1, slice: 50 * time.Millisecond, warm: 10 * time.Millisecond, only: filter}
	}
	dir, err := os.MkdirTemp("", "toolgraph-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	// The measured programs record their runs, as for a user, but in a directory of their own.
	if err := os.Setenv("TOOLGRAPH_STATE", filepath.Join(dir, "state")); err != nil {
		return err
	}
	fleet, err := newFleet(ctx, dir, *binary, *before, os.Stderr)
	if err != nil {
		return err
	}
	m := meter{fleet: fleet, plan: p, table: newTable(machine.Describe(ctx), fleet.peers), log: os.Stderr}
	if err := m.run(ctx); err != nil {
		return err
	}
	m.table.markdown(os.Stdout)
	m.table.judge(os.Stdout)
	if *file != "" {
		if err := m.table.writeJSON(*file); err != nil {
			return err
		}
	}
	if m.table.wrong() > 0 {
		return errWrong
	}
	return nil
}
