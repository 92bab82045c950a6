package program

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"toolgraph/execution/journal"
)

// Read opens the store of recorded runs for use.
func (f *HistoryFlags) Read(use func(*journal.Store) error) error {
	store, err := f.Open(slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	return errors.Join(use(store), store.Close())
}

// MaxDays keeps an age within a time.Duration.
const MaxDays = 36500

// KeepFlags say how long runs are recorded.
type KeepFlags struct {
	Days  int
	Bytes ByteSize

	given func(flag string) bool // reports whether the command line has a flag; nil: the command has none
}

const (
	defaultKeepDays  = 30
	defaultKeepBytes = 1 << 30
)

// Register adds --keep and --keep-bytes; note ends their texts.
func (f *KeepFlags) Register(cmd *cobra.Command, note string) {
	f.given = cmd.Flags().Changed
	f.Bytes = defaultKeepBytes
	cmd.Flags().IntVar(&f.Days, "keep", defaultKeepDays, "`days` after which recorded runs are deleted; 0 for never"+note)
	cmd.Flags().Var(&f.Bytes, "keep-bytes", "total size above which the oldest runs are deleted; 0 for no limit"+note)
}

// RegisterChange adds the flags to a command that changes the policy of a store: what is not given stays as it is.
func (f *KeepFlags) RegisterChange(cmd *cobra.Command) {
	f.given = cmd.Flags().Changed
	cmd.Flags().IntVar(&f.Days, "keep", 0, "`days` after which the runs are deleted; 0 for never")
	cmd.Flags().Var(&f.Bytes, "keep-bytes", "total size of the runs above which the oldest are deleted; 0 for no limit")
}

// DefaultKeep returns the bounds by which toolgraph serve deletes where there is no policy.
func DefaultKeep() journal.Retention {
	return (&KeepFlags{Days: defaultKeepDays, Bytes: defaultKeepBytes}).Retention()
}

// Check rejects values that no store accepts.
func (f *KeepFlags) Check() error {
	if f.Days < 0 || f.Days > MaxDays {
		return Usagef("--keep is %d, expected a number of days up to %d, or 0 for no limit", f.Days, MaxDays)
	}
	return nil
}

// IsGiven reports whether the command line has one of the flags.
func (f *KeepFlags) IsGiven() bool {
	return f.given != nil && (f.given("keep") || f.given("keep-bytes"))
}

// Retention returns the bounds of the flags.
func (f *KeepFlags) Retention() journal.Retention {
	return journal.Retention{MaxAge: time.Duration(f.Days) * day, MaxBytes: int64(f.Bytes)}
}

const day = 24 * time.Hour

// Set takes bounds as the defaults of flags that are not given.
func (f *KeepFlags) Set(bounds journal.Retention) {
	if !f.given("keep") {
		f.Days = int(bounds.MaxAge / day)
	}
	if !f.given("keep-bytes") {
		f.Bytes = ByteSize(bounds.MaxBytes)
	}
}

// KeepText returns the flags with which a command line has bounds.
func KeepText(bounds journal.Retention) string {
	size := ByteSize(bounds.MaxBytes)
	return fmt.Sprintf("--keep %d --keep-bytes %s", int(bounds.MaxAge/day), size.String())
}

// policyTime is how long reading or setting the policy may take when a process starts.
const policyTime = 5 * time.Second

// warnOfPolicy logs that flags of this process are not used, because only the policy of the store
// decides which runs are deleted.
func (f *HistoryFlags) warnOfPolicy(ctx context.Context, store *journal.Store, log *slog.Logger) {
	if !f.keep.IsGiven() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, policyTime)
	defer cancel()
	policy, ok, err := store.Policy(ctx)
	if err == nil && f.serves && !store.IsShared() {
		policy, err = store.Settle(ctx)
		ok = true
	}
	flags := f.keep.Retention()
	change := "toolgraph retention set " + KeepText(flags)
	switch {
	case err != nil:
		log.Warn("no old runs are deleted while the policy of the run history cannot be read", "error", err)
	case !ok && f.serves:
		log.Warn("the flags are not used: they do not set the policy of a run history that several machines can share, and without one this process deletes no old runs",
			"flags", KeepText(flags), "to set one", change)
	case !ok:
		log.Warn("the flags are not used: this command deletes no old runs, and the run history has no policy", "flags", KeepText(flags), "to set one", change)
	case policy.Retention != flags:
		log.Warn("the flags are not used: old runs are deleted by the policy of the run history", "policy", KeepText(policy.Retention), "flags", KeepText(flags), "to change it", change)
	}
}
