package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"toolgraph/execution/journal"
	"toolgraph/internal/program"
	"toolgraph/internal/runtime"
)

func newRunsCancel(std program.Streams, history *program.HistoryFlags) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "cancel RUN",
		Short: "Cancel a run, whichever process has it",
		Long: `Cancel a run that toolgraph serve has in progress, in any process that shares the run
history, also on another machine: its call in flight is cancelled, and the run ends. An
interrupted run is recorded as cancelled, so that no process resumes it.`,
		Example: `  toolgraph runs cancel 3QK7`,
		Args:    program.Args(1, 1, "a run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return history.Read(func(store *journal.Store) error {
				id, err := runtime.CancelRun(cmd.Context(), store, args[0])
				switch {
				case err != nil:
					return err
				case format == "json":
					return program.WriteEscaped(std.Out, map[string]string{"cancelled": id}, "  ")
				}
				_, err = fmt.Fprintf(std.Err, "toolgraph: run %s is cancelled\n", id)
				return err
			})
		},
	}
	program.FormatFlag(cmd, &format)
	return cmd
}
