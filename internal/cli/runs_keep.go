package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"toolgraph/execution/journal"
	"toolgraph/internal/program"
)

func newRunsKeep(std program.Streams, history *program.HistoryFlags) *cobra.Command {
	var flags program.KeepFlags
	var format string
	cmd := &cobra.Command{
		Use:   "keep",
		Short: "Show or change how long runs are recorded",
		Long: `Show the policy of the run history, or change it with --keep or --keep-bytes. The policy is
recorded in the store and holds for all processes that share it, whatever their flags are.
Once an hour, one of the processes that record runs deletes those beyond it.

A store without a policy gets that of the first toolgraph serve with --keep or --keep-bytes.
Until then, serve deletes by the default values of the flags, and other commands delete nothing.

Runs that can continue are never deleted by a policy: those that wait for an answer, are
interrupted, or have an in-doubt call. toolgraph runs list --old lists them.`,
		Example: `  toolgraph runs keep
  toolgraph runs keep --keep 365 --keep-bytes 20GiB
  toolgraph runs keep --keep 0`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := flags.Check(); err != nil {
				return err
			}
			return history.Read(func(store *journal.Store) error { return keepRuns(cmd.Context(), std, store, &flags, format) })
		},
	}
	flags.Register(cmd, "")
	program.FormatFlag(cmd, &format)
	return cmd
}

// retained is the answer of runs keep.
type retained struct {
	Days     int   `json:"days"`  // 0: no limit
	Bytes    int64 `json:"bytes"` // 0: no limit
	Recorded bool  `json:"recorded"`
}

func keepRuns(ctx context.Context, std program.Streams, store *journal.Store, flags *program.KeepFlags, format string) error {
	policy, ok, err := store.Policy(ctx)
	if err != nil && !flags.IsGiven() {
		return err
	}
	if ok {
		flags.Set(policy)
	}
	if flags.IsGiven() {
		if err := store.SetPolicy(ctx, flags.Retention()); err != nil {
			return err
		}
		ok = true
	}
	if format == "json" {
		return program.WriteEscaped(std.Out, retained{flags.Days, int64(flags.Bytes), ok}, "  ")
	}
	of := "policy"
	if !ok {
		of = "no policy; toolgraph serve uses"
	}
	_, err = fmt.Fprintf(std.Out, "%s: %s\n", of, program.KeepText(flags.Retention()))
	return err
}
