package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"time"

	"toolgraph/internal/tools/bench/machine"
)

func main() {
	if err := run(os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench/expressions:", err)
		os.Exit(1)
	}
}

func run(args []string) (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	flags := flag.NewFlagSet("bench/expressions", flag.ContinueOnError)
	rounds := flags.Int("rounds", 5, "how often each engine takes its turn; at least 1")
	only := flags.String("only", "", "measure only what this regular expression finds, such as 'sort, large'")
	file := flags.String("json", "", "write everything to this file as JSON")
	quick := flags.Bool("quick", false, "measure for a moment only: shows that it works, not how fast")
	if err := flags.Parse(args); err != nil {
		return err
	}
	filter, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	p := plan{rounds: max(*rounds, 1), span: 100 * time.Millisecond, only: filter}
	if *quick {
		p = plan{rounds: 1, span: 5 * time.Millisecond, only: filter}
	}
	all := inputs()
	mine, err := newOwn(all)
	if err != nil {
		return err
	}
	var other engine
	if n, err := newNode(ctx, all); err != nil {
		fmt.Fprintf(os.Stderr, "Node is left out: %v\n", err)
	} else {
		other = n
		defer func() { err = errors.Join(err, n.close()) }()
	}
	lines, err := measure(ctx, p, mine, other, all)
	if err != nil {
		return err
	}
	m := machine.Describe(ctx)
	markdown(os.Stdout, m, all, lines)
	if *file != "" {
		return writeJSON(*file, m, lines)
	}
	return nil
}
