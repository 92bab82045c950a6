package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"toolgraph/internal/tools/bench/machine"
)

func main() {
	if err := run(os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench/fanout:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	flags := flag.NewFlagSet("bench/fanout", flag.ContinueOnError)
	items := flags.Int("items", 10_000, "the items of the long lists; a fiftieth of them one after the other")
	wait := flags.Duration("wait", 5*time.Millisecond, "how long a call takes")
	rounds := flags.Int("rounds", 3, "how often to measure everything; at least 1")
	quick := flags.Bool("quick", false, "measure a short list once: shows that it works, not how fast")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *quick {
		*items, *rounds = 500, 1
	}
	var rows []*row
	for _, f := range forms(*items) {
		r, err := measure(ctx, f, *wait, max(1, *rounds))
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		rows = append(rows, r)
	}
	ended, err := cancelled(ctx, forms(*items)[0])
	if err != nil {
		return fmt.Errorf("cancellation: %w", err)
	}
	markdown(os.Stdout, machine.Describe(ctx), *wait, rows, ended)
	return nil
}
