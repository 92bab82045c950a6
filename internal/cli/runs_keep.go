package cli

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"toolgraph/execution/journal"
)

// keepFlags say how long runs are recorded.
type keepFlags struct {
	days  int
	bytes byteSize

	given func(flag string) bool // reports whether the command line has a flag; nil: the command has none
}

const (
	defaultKeepDays  = 30
	defaultKeepBytes = 1 << 30
)

// register adds --keep and --keep-bytes; note ends their texts.
func (f *keepFlags) register(cmd *cobra.Command, note string) {
	f.given = cmd.Flags().Changed
	f.bytes = defaultKeepBytes
	cmd.Flags().IntVar(&f.days, "keep", defaultKeepDays, "`days` after which recorded runs are deleted; 0 for never"+note)
	cmd.Flags().Var(&f.bytes, "keep-bytes", "total size above which the oldest runs are deleted; 0 for no limit"+note)
}

func (f *keepFlags) check() error {
	if f.days < 0 || f.days > maxDays {
		return usagef("--keep is %d, expected a number of days up to %d, or 0 for no limit", f.days, maxDays)
	}
	return nil
}

// isGiven reports whether the command line has one of the flags.
func (f *keepFlags) isGiven() bool {
	return f.given != nil && (f.given("keep") || f.given("keep-bytes"))
}

func (f *keepFlags) retention() journal.Retention {
	return journal.Retention{MaxAge: time.Duration(f.days) * day, MaxBytes: int64(f.bytes)}
}

const day = 24 * time.Hour

// set takes bounds as the defaults of flags that are not given.
func (f *keepFlags) set(bounds journal.Retention) {
	if !f.given("keep") {
		f.days = int(bounds.MaxAge / day)
	}
	if !f.given("keep-bytes") {
		f.bytes = byteSize(bounds.MaxBytes)
	}
}

// keepText returns the flags with which a command line has bounds.
func keepText(bounds journal.Retention) string {
	size := byteSize(bounds.MaxBytes)
	return fmt.Sprintf("--keep %d --keep-bytes %s", int(bounds.MaxAge/day), size.String())
}

// policyTime is how long reading or setting the policy may take when a process starts.
const policyTime = 5 * time.Second

// warnOfPolicy logs that flags of this process are not used, because only the policy of the store
// decides which runs are deleted.
func (f *historyFlags) warnOfPolicy(ctx context.Context, store *journal.Store, log *slog.Logger) {
	if !f.keep.isGiven() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, policyTime)
	defer cancel()
	policy, ok, err := store.Policy(ctx)
	if err == nil && f.serves {
		policy, err = store.Settle(ctx)
		ok = true
	}
	mine := f.keep.retention()
	change := "toolgraph runs keep " + keepText(mine)
	switch {
	case err != nil:
		log.Warn("no old runs are deleted while the policy of the run history cannot be read", "error", err)
	case !ok:
		log.Warn("the flags are not used: this command deletes no old runs, and the run history has no policy", "flags", keepText(mine), "to set one", change)
	case policy != mine:
		log.Warn("the flags are not used: old runs are deleted by the policy of the run history", "policy", keepText(policy), "flags", keepText(mine), "to change it", change)
	}
}

func newRunsKeep(std streams, history *historyFlags) *cobra.Command {
	var flags keepFlags
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
			if err := flags.check(); err != nil {
				return err
			}
			return history.read(func(store *journal.Store) error { return keepRuns(cmd.Context(), std, store, &flags, format) })
		},
	}
	flags.register(cmd, "")
	formatFlag(cmd, &format)
	return cmd
}

// retained is the answer of runs keep.
type retained struct {
	Days     int   `json:"days"`  // 0: no limit
	Bytes    int64 `json:"bytes"` // 0: no limit
	Recorded bool  `json:"recorded"`
}

func keepRuns(ctx context.Context, std streams, store *journal.Store, flags *keepFlags, format string) error {
	policy, ok, err := store.Policy(ctx)
	if err != nil && !flags.isGiven() {
		return err
	}
	if ok {
		flags.set(policy)
	}
	if flags.isGiven() {
		if err := store.SetPolicy(ctx, flags.retention()); err != nil {
			return err
		}
		ok = true
	}
	if format == "json" {
		return writeEscaped(std.out, retained{flags.days, int64(flags.bytes), ok}, "  ")
	}
	of := "policy"
	if !ok {
		of = "no policy; toolgraph serve uses"
	}
	_, err = fmt.Fprintf(std.out, "%s: %s\n", of, keepText(flags.retention()))
	return err
}
