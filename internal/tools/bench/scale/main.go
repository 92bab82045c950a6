package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"time"

	"toolgraph/internal/tools/bench/machine"
	"toolgraph/internal/tools/bench/program"
	"toolgraph/tests/pgtest"
)

func main() {
	if err := run(os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench/scale:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	flags := flag.NewFlagSet("bench/scale", flag.ContinueOnError)
	rounds := flags.Int("rounds", 3, "how often to measure everything; at least 1")
	span := flags.Duration("span", 4*time.Second, "how long each row is measured in a place")
	only := flags.String("only", "", "a regular expression: only these places")
	costs := flags.Int("costs", 3000, "of how many runs the costs are measured; 0: they are not")
	quick := flags.Bool("quick", false, "measure shortly and once: shows that it works, not how fast")
	if err := flags.Parse(args); err != nil {
		return err
	}
	wanted, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	if *quick {
		*rounds, *span, *costs = 1, time.Second, min(*costs, 300)
	}
	dir, err := os.MkdirTemp("", "scale-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	with := &programs{dir: dir, graph: filepath.Join(dir, "graph.yaml")}
	up := newUpstream()
	defer up.Close()
	if err := os.WriteFile(with.graph, []byte(graphFile(up.URL)), 0o600); err != nil {
		return err
	}
	if with.toolgraph, err = program.Build(ctx, dir, program.Product, "toolgraph"); err != nil {
		return err
	}
	results := map[string]*found{}
	end, noPostgres, noTemporal := with.prepare(ctx, os.Stderr)
	defer end()
	for round := range max(1, *rounds) {
		for _, p := range places() {
			if !wanted.MatchString(p.name) {
				continue
			}
			f := results[p.name]
			if f == nil {
				f = &found{}
				results[p.name] = f
			}
			if why := missing(p, noPostgres, noTemporal); why != nil {
				f.wrong = []string{why.Error()}
				continue
			}
			fmt.Fprintf(os.Stderr, "round %d: %s\n", round+1, p.name)
			if err := p.round(ctx, with, up, round, *span, f); err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
		}
	}
	if len(results) > 0 {
		markdown(os.Stdout, machine.Describe(ctx), *rounds, results)
	}
	if *costs == 0 || noPostgres != nil {
		return nil
	}
	found, err := with.costs(ctx, *costs, max(1, *rounds))
	if err == nil {
		costTables(os.Stdout, found, machine.Describe(ctx), *costs, max(1, *rounds))
	}
	return err
}

func missing(p *place, noPostgres, noTemporal error) error {
	switch {
	case p.postgres && noPostgres != nil:
		return noPostgres
	case p.temporal:
		return noTemporal
	}
	return nil
}

// round measures a place once.
func (p *place) round(ctx context.Context, with *programs, up *upstream, round int, span time.Duration, into *found) error {
	r, err := p.start(ctx, with, round)
	if err != nil {
		return err
	}
	defer r.stop()
	return r.measure(ctx, up, span, into)
}

// prepare starts Postgres and Temporal; the errors are why one is missing.
func (with *programs) prepare(ctx context.Context, log io.Writer) (end func(), noPostgres, noTemporal error) {
	var ends []func()
	end = func() {
		for _, e := range ends {
			e()
		}
	}
	server, noPostgres := pgtest.Launch("fsync=on", "full_page_writes=on", "shared_buffers=128MB")
	if noPostgres != nil {
		fmt.Fprintln(log, "without Postgres:", noPostgres)
		return end, noPostgres, noPostgres
	}
	ends = append(ends, server.End)
	with.database, with.postgres = server.Create, server
	noTemporal = func() error {
		cli, err := exec.LookPath(cmp.Or(os.Getenv("TOOLGRAPH_TEMPORAL"), "temporal"))
		if err != nil {
			return fmt.Errorf("the temporal CLI is missing; install it, or set TOOLGRAPH_TEMPORAL to its path: %w", err)
		}
		if with.temporal, err = program.Build(ctx, with.dir, program.Temporal, "toolgraph/internal/temporal/cmd/toolgraph-temporal"); err != nil {
			return err
		}
		var stop func()
		if with.address, with.server, stop, err = temporalServer(ctx, cli); err == nil {
			ends = append(ends, stop)
		}
		return err
	}()
	if noTemporal != nil {
		fmt.Fprintln(log, "without Temporal:", noTemporal)
	}
	return end, nil, noTemporal
}
