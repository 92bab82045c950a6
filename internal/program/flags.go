package program

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/runtime"
	"toolgraph/internal/runtime/state"
)

// Session has the flags of the commands that load a graph file and call its servers.
// A command registers those that it has.
type Session struct {
	Graph, Servers       string
	Vars                 VarValues
	LogLevel, logFormat  string
	Locked, otel, metric bool
	allowExec            bool
	pipeline             bool // --pipeline: the file has pipeline: true
	plan                 bool // --plan: the file has plan: true
	grace                time.Duration
	History              HistoryFlags
	Audit                auditFlags

	Chosen    func(flag string) bool                                                                     // reports whether the command line has a flag
	Asker     runtime.Asker                                                                              // nil: the command asks no user
	elsewhere func(ctx context.Context, s *runtime.Session) (_ runtime.Elsewhere, end func(), err error) // connects to where runs are made; nil: in this process
	around    func(execution.Journal) execution.Journal                                                  // around the journal of runs; nil: nothing is
}

// Register adds --mcp and --log-level; level is the default.
func (f *Session) Register(cmd *cobra.Command, level string) {
	ServersFlag(cmd, &f.Servers)
	f.Chosen = cmd.Flags().Changed
	cmd.Flags().StringVar(&f.LogLevel, "log-level", level, "`level` of the log on standard error: debug, info, warn or error")
}

// RegisterRuns adds the flags of commands that run graphs, apart from those of the history.
func (f *Session) RegisterRuns(cmd *cobra.Command, level string) {
	f.Register(cmd, level)
	f.Vars.Register(cmd)
	f.RegisterExec(cmd)
	cmd.Flags().BoolVar(&f.Locked, "locked", false, "refuse to call tools that differ from the lock file beside the graph file (see toolgraph lock)")
	cmd.Flags().BoolVar(&f.otel, "otel", false, "send traces and metrics over OTLP/HTTP to OTEL_EXPORTER_OTLP_ENDPOINT")
}

// RegisterExec is for commands that make calls.
func (f *Session) RegisterExec(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.allowExec, "allow-exec", false, "let calls start the programs of servers of type exec; only for graph files that you trust")
}

// RegisterGrace is for commands that make runs.
func (f *Session) RegisterGrace(cmd *cobra.Command) {
	cmd.Flags().DurationVar(&f.grace, "grace", defaultGrace, "time that a call in flight gets to finish after SIGTERM, before its run is suspended")
}

// ServersFlag registers --mcp.
func ServersFlag(cmd *cobra.Command, into *string) {
	cmd.Flags().StringVarP(into, "mcp", "m", "", "`file` with more servers, {\"mcpServers\": {…}}")
}

// VarValues are the values that --var gives to constants of the graph file, by name.
type VarValues map[string]string

// Register adds --var.
func (v *VarValues) Register(cmd *cobra.Command) {
	cmd.Flags().Var(v, "var", "another value for a constant of vars, as top=5: JSON of the declared type, or the text where a text is declared; may be repeated")
}

// Set reads the flag.
func (v *VarValues) Set(text string) error {
	name, value, ok := strings.Cut(text, "=")
	if !ok || name == "" {
		return errors.New("expected NAME=VALUE")
	}
	if *v == nil {
		*v = VarValues{}
	}
	(*v)[name] = value
	return nil
}

func (v *VarValues) String() string { return "" }

// Type names the kind of value in the help.
func (v *VarValues) Type() string { return "NAME=VALUE" }

// AnyEnvFlag registers --any-env.
func AnyEnvFlag(cmd *cobra.Command, into *bool) {
	cmd.Flags().BoolVar(into, "any-env", false, "treat every ${VAR} as set, to work on a file away from where it runs")
}

// choiceValue is a flag with a few values.
type choiceValue struct {
	value   *string
	allowed []string
}

// ChoiceFlag registers a flag that has one of the allowed values; the first is the default.
func ChoiceFlag(cmd *cobra.Command, into *string, name, shorthand, usage string, allowed ...string) {
	*into = cmp.Or(*into, allowed[0])
	cmd.Flags().VarP(&choiceValue{into, allowed}, name, shorthand, usage+": "+Alternatives(allowed))
}

// FormatFlag registers --format of a command that prints text or JSON, and --json.
func FormatFlag(cmd *cobra.Command, into *string) {
	ChoiceFlag(cmd, into, "format", "f", "output format", "text", "json")
	JSONFlag(cmd, into)
}

// JSONFlag registers --json, which is short for --format json.
func JSONFlag(cmd *cobra.Command, format *string) {
	cmd.Flags().BoolFunc("json", "short for --format json", func(text string) error {
		on, err := strconv.ParseBool(text)
		if on {
			*format = "json"
		}
		return err
	})
}

// Alternatives lists words: "a, b or c".
func Alternatives(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// Set reads the flag.
func (c *choiceValue) Set(text string) error {
	if !slices.Contains(c.allowed, text) {
		return fmt.Errorf("expected %s%s", Alternatives(c.allowed), wording.Suggest(text, c.allowed))
	}
	*c.value = text
	return nil
}

func (c *choiceValue) String() string {
	if c.value == nil {
		return ""
	}
	return *c.value
}

// Type names the kind of value in the help.
func (c *choiceValue) Type() string { return "string" }

// HistoryFlags decide whether, where and for how long runs are recorded.
type HistoryFlags struct {
	Records bool // the command has these flags: its runs are recorded unless they say otherwise
	serves  bool // the command makes runs for others: it deletes old ones also in a store without a policy
	Off     bool
	State   string
	durable bool

	keep     KeepFlags
	maxValue ByteSize
}

// RegisterState is for commands that read recorded runs; flags are those of a command, or
// also of the commands below it.
func (f *HistoryFlags) RegisterState(flags interface {
	StringVar(into *string, name, value, usage string)
},
) {
	flags.StringVar(&f.State, "state", "", "`place` of recorded runs: a directory, or postgres://USER@HOST/DATABASE (default $"+StateVariable+", or the user's state directory)")
}

// Register is for commands that run graphs.
func (f *HistoryFlags) Register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.Off, "no-history", false, "do not record runs")
	f.RegisterRecorded(cmd)
}

// RegisterRecorded is for commands whose runs are always recorded.
func (f *HistoryFlags) RegisterRecorded(cmd *cobra.Command) {
	f.RegisterState(cmd.Flags())
	f.Records, f.maxValue = true, 8<<20
	cmd.Flags().BoolVar(&f.durable, "durable", false, "flush each step to disk before the next; fail the run if it cannot be recorded")
	f.keep.Register(cmd, ", unless the store has a policy (see toolgraph retention)")
	if !f.serves { // they do nothing, and earlier versions have them
		_, _ = cmd.Flags().MarkHidden("keep"), cmd.Flags().MarkHidden("keep-bytes")
	}
	cmd.Flags().Var(&f.maxValue, "history-max-value", "longest value that is recorded, as JSON")
}

// check rejects flags that contradict each other.
func (f *HistoryFlags) check() error {
	switch {
	case f.Off && f.durable:
		return Usagef("--durable requires the run history, and --no-history disables it; remove one of them")
	case f.maxValue == 0:
		return Usagef("--history-max-value is 0, expected a size such as 8MiB")
	}
	return f.keep.Check()
}

// Open opens the store of recorded runs. Nothing is read or written before it is used.
func (f *HistoryFlags) Open(log *slog.Logger) (*journal.Store, error) {
	place, err := f.Place()
	if err != nil {
		return nil, err
	}
	opts := journal.Options{Durable: f.durable, MaxValue: int(f.maxValue), Logger: log}
	if f.serves {
		opts.Keep, opts.SetsKeep = f.keep.Retention(), f.keep.IsGiven()
	}
	return state.Open(place, opts)
}

// StateVariable names the place of recorded runs where no flag does.
const StateVariable = "TOOLGRAPH_STATE"

// Place returns where the recorded runs are: a directory, or the URL of a database.
func (f *HistoryFlags) Place() (string, error) {
	if place := f.named(); place != "" {
		return place, nil
	}
	return stateDirectory()
}

// named returns the place that the user has named; empty for the default one.
func (f *HistoryFlags) named() string { return cmp.Or(f.State, os.Getenv(StateVariable)) }

// Directory returns the directory of what is stored beside the recorded runs, on this machine.
func (f *HistoryFlags) Directory() (string, error) {
	place, err := f.Place()
	if err == nil && state.IsURL(place) {
		return stateDirectory()
	}
	return place, err
}

func stateDirectory() (string, error) {
	base, err := stateHome()
	if err != nil {
		return "", errors.New("no directory for recorded runs: HOME is not set; name one with --state")
	}
	return filepath.Join(base, "toolgraph"), nil
}

// stateHome returns the directory in which programs keep the state of a user.
func stateHome() (string, error) {
	switch goruntime.GOOS {
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

// ByteSize is a flag such as 8MiB, 1GB or 4096.
type ByteSize int64

var sizeUnits = []struct {
	name  string
	bytes int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"KB", 1e3}, {"B", 1}, {"", 1}}

// maxSize keeps sums of sizes within an int64.
const maxSize = 1 << 50

// Set reads the flag.
func (s *ByteSize) Set(text string) error {
	for _, unit := range sizeUnits {
		number, has := strings.CutSuffix(text, unit.name)
		if !has {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
		if err != nil || n < 0 || n > maxSize/unit.bytes {
			break
		}
		*s = ByteSize(n * unit.bytes)
		return nil
	}
	return errors.New("expected a size such as 512KiB, 8MiB or 1GiB")
}

// String returns the size as the flag reads it.
func (s *ByteSize) String() string { return wording.Size(int64(*s)) }

// Type names the kind of value in the help.
func (s *ByteSize) Type() string { return "size" }
