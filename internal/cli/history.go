package cli

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"toolgraph/execution/journal"
)

// historyFlags say whether, where and for how long runs are kept.
type historyFlags struct {
	off     bool
	state   string
	durable bool

	days     int
	bytes    byteSize
	maxValue byteSize
}

// registerState is for those who look at runs; flags are those of a command, or also
// of the commands below it.
func (f *historyFlags) registerState(flags interface {
	StringVar(into *string, name, value, usage string)
},
) {
	flags.StringVar(&f.state, "state", "", "the directory of kept runs; default: what "+stateVariable+" names, or the user's state directory")
}

// register is for those who make runs.
func (f *historyFlags) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.off, "no-history", false, "keep no runs")
	f.registerKept(cmd)
}

// registerKept is for those who make runs that are always kept.
func (f *historyFlags) registerKept(cmd *cobra.Command) {
	f.registerState(cmd.Flags())
	f.bytes, f.maxValue = 1<<30, 8<<20
	cmd.Flags().BoolVar(&f.durable, "durable", false, "go on only when a step is on the disk; a run that cannot be kept ends")
	cmd.Flags().IntVar(&f.days, "keep", 30, "delete kept runs after so many days; 0: never")
	cmd.Flags().Var(&f.bytes, "keep-bytes", "delete the oldest runs when all together take more; 0: never")
	cmd.Flags().Var(&f.maxValue, "history-max-value", "do not keep values that are longer as JSON")
}

// check refuses flags that contradict each other.
func (f *historyFlags) check() error {
	switch {
	case f.off && f.durable:
		return usagef("--durable wants runs to be kept, and --no-history does not; leave one out")
	case f.days < 0:
		return usagef("--keep is %d, expected a number of days, or 0 for ever", f.days)
	case f.maxValue == 0:
		return usagef("--history-max-value is 0, expected a size such as 8MiB")
	}
	return nil
}

// plug keeps the runs of an invocation. Where there is no place for them they go on
// without, unless they have to be kept.
func (f *historyFlags) plug(into *plugs, log *slog.Logger) error {
	if err := f.check(); err != nil || f.off {
		return err
	}
	store, err := f.open(log)
	if err != nil {
		if f.durable {
			return err
		}
		log.Warn("runs are not kept", "error", err)
		return nil
	}
	into.history = store
	into.closers = append(into.closers, func() {
		_ = store.Close() // what is wrong with it was told when it was found
	})
	return nil
}

// open is the store of kept runs. Nothing is read or written before it is used.
func (f *historyFlags) open(log *slog.Logger) (*journal.Store, error) {
	dir, err := f.directory()
	if err != nil {
		return nil, err
	}
	return journal.Open(dir, journal.Options{
		Durable: f.durable, MaxValue: int(f.maxValue), Logger: log,
		Keep: journal.Retention{MaxAge: time.Duration(f.days) * 24 * time.Hour, MaxBytes: int64(f.bytes)},
	})
}

// stateVariable names the directory of kept runs where no flag does.
const stateVariable = "TOOLGRAPH_STATE"

// directory is where runs are kept.
func (f *historyFlags) directory() (string, error) {
	if f.state != "" {
		return f.state, nil
	}
	if dir := os.Getenv(stateVariable); dir != "" {
		return dir, nil
	}
	base, err := stateHome()
	if err != nil {
		return "", errors.New("no place for kept runs: HOME is not set; name a directory with --state")
	}
	return filepath.Join(base, "toolgraph"), nil
}

// stateHome is where programs keep what they remember of a user, as the system wants it.
func stateHome() (string, error) {
	switch runtime.GOOS {
	case "windows":
		return os.UserCacheDir() // %LocalAppData%
	case "darwin":
		return os.UserConfigDir() // ~/Library/Application Support
	}
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".local", "state"), err
}
