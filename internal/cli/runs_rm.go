package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"toolgraph/execution/journal"
	"toolgraph/internal/wording"
)

func newRunsRemove(std streams, history *historyFlags) *cobra.Command {
	var selected filterFlags
	var olderThan string
	var all bool
	cmd := &cobra.Command{
		Use:   "rm [RUN …] [FILE]",
		Short: "Delete kept runs",
		Long: `Delete kept runs: those that are named, or those that flags select. Runs that are
running are left. Deleting every run wants --all.`,
		Example: `  toolgraph runs rm 5GNFQ
  toolgraph runs rm --older-than 7d --status finished
  toolgraph runs rm --all`,
		RunE: func(cmd *cobra.Command, args []string) error {
			filter, err := selected.filter()
			if err != nil {
				return err
			}
			if olderThan != "" {
				if selected.until != "" {
					return usagef("--older-than and --until say the same; leave one out")
				}
				if filter.Until, err = parseTime("--older-than", olderThan, time.Now()); err != nil {
					return err
				}
			}
			filter.Limit = -1
			none := filter == journal.Filter{Limit: -1}
			switch {
			case len(args) > 0 && (!none || all):
				return usagef("runs are either named or selected by flags, not both")
			case len(args) == 0 && none && !all:
				return usagef("name the runs to delete, select them by flags, or give --all")
			case all && !none:
				return usagef("--all is every run; leave it or the other flags out")
			}
			return history.looking(func(store *journal.Store) error {
				return removeRuns(cmd.Context(), std, store, args, filter)
			})
		},
	}
	selected.register(cmd)
	cmd.Flags().StringVar(&olderThan, "older-than", "", "only runs that began so long ago: 12h, 7d")
	cmd.Flags().BoolVar(&all, "all", false, "every run")
	return takesGraph(cmd, &selected.graph)
}

func removeRuns(ctx context.Context, std streams, store *journal.Store, named []string, filter journal.Filter) error {
	var ids []string
	for _, name := range named {
		r, err := store.Run(ctx, name)
		var damaged *journal.DamagedError
		if errors.As(err, &damaged) {
			r.ID, err = damaged.Run, nil
		}
		if err != nil {
			return err
		}
		if r.Status == journal.Running {
			return fmt.Errorf("run %s is running, and only runs that have ended can be deleted", r.ID)
		}
		ids = append(ids, r.ID)
	}
	if len(named) == 0 {
		runs, err := store.List(ctx, filter)
		if err != nil {
			return err
		}
		for _, r := range runs {
			ids = append(ids, r.ID)
		}
	}
	n, err := store.Delete(ctx, ids...)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(std.err, "toolgraph: deleted %s\n", wording.Count(n, "run"))
	return err
}
