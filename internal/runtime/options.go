package runtime

import (
	"context"
	"io"
	"log/slog"
	"slices"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/internal/project/lock"
	"toolgraph/internal/project/registry"
	"toolgraph/internal/runtime/state"
	"toolgraph/mcpclient"
)

// Options describe a process: what it loads, logs, records and audits, and whom it asks. The zero value records and
// logs nothing, and cannot ask a user.
type Options struct {
	Graph  string                      // path of the graph file
	Graphs func() ([]GraphFile, error) // several graph files, in place of Graph: as they are now; nil: there is one
	File   config.Options              // how they are loaded

	Directories []string // in which files may appear, see Graphs

	Version string // that clients, upstream servers and telemetry see
	Self    string // path of the program toolgraph, for servers whose command is toolgraph; "": it is looked for as any other

	Locked   bool             // tools that differ from the lock beside the graph file are not called
	Programs bool             // calls may start the programs of servers of type exec
	Tokens   mcpclient.Option // where tokens of logins are stored; nil: in files
	Grace    time.Duration    // of a call in flight when the process is stopped

	Log     Logging
	OTLP    bool // traces, metrics and audit lines are sent to a collector, as the environment says
	Metrics bool // metrics are collected for a scraper

	History *History // nil: runs are not recorded
	Audit   Audit

	Console Console // nil: nothing is reported
	Asker   Asker   // nil: no user can be asked

	Views      Views // nil: hosts are given no view of runs
	ViewValues bool  // views show values of steps and the expressions of the file

	Elsewhere func(ctx context.Context, s *Session) (_ Elsewhere, end func(), err error) // connects to where runs are made; nil: in this process
	Around    func(execution.Journal) execution.Journal                                  // around the journal of runs; nil: nothing is
	Upstream  func(pool execution.ToolCaller) execution.ToolCaller                       // makes the calls of runs, with the pool of the file or without; nil: the pool makes them
}

// Logging says where the log goes, and what is in it.
type Logging struct {
	To            io.Writer // nil: nowhere
	Level, Format string    // "" is error and text
	Exact         bool      // warnings that only the log reports are not added to a higher level
}

// History says how runs are recorded.
type History struct {
	Place    string                                        // a directory, or the URL of a database
	Open     func(journal.Options) (*journal.Store, error) // opens the store in place of Place; nil: Place is opened
	Missing  error                                         // why there is no place; nil: there is one
	Required bool                                          // without a store, the process does not start
	Durable  bool                                          // each step is flushed to disk before the next
	MaxValue int                                           // bytes of the longest value that is recorded, as JSON

	Serves bool // the process makes runs for others: it deletes old ones also in a store without a policy
	Keep   journal.Retention
	// Unused logs that Keep is not used because the policy of the store decides; nil: Keep is a default.
	Unused func(ctx context.Context, store *journal.Store, log *slog.Logger)
}

// open opens the store of recorded runs. Nothing is read or written before it is used.
func (h *History) open(log *slog.Logger) (*journal.Store, error) {
	if h.Missing != nil {
		return nil, h.Missing
	}
	opts := journal.Options{Durable: h.Durable, MaxValue: h.MaxValue, Logger: log}
	if h.Serves {
		opts.Keep, opts.SetsKeep = h.Keep, h.Unused != nil
	}
	if h.Open != nil {
		return h.Open(opts)
	}
	return state.Open(h.Place, opts)
}

// Audit says where the audit log is.
type Audit struct {
	File     string // "": there is none
	MaxBytes int64  // above which it is rotated
}

// Console reports to the person who has started a process.
type Console interface {
	// Starting reports that an upstream server is being started, which can take long.
	Starting(server string)
	// Stopping reports that the process is asked to stop, and that the call in flight has the grace to finish.
	Stopping(grace time.Duration)
}

// Asker puts the questions of a graph file to a user.
type Asker interface {
	// Elicitor answers the questions of upstream servers.
	Elicitor(secrets *config.Secrets) mcpclient.Elicitor
	// User returns the user whom a run of a tool asks.
	User(tool string, secrets *config.Secrets) execution.User
}

// Views makes what hosts show of runs. Safe for concurrent use.
type Views interface {
	// HTML returns the document of the view.
	HTML() string
	// Show returns what the view shows of a call: JSON without secrets; nil for nothing.
	Show(ctx context.Context, l *Loaded, call ShownCall) []byte
}

// ShownCall is a call that is answered.
type ShownCall struct {
	Tool string
	Args value.Value       // as the client has sent them
	Run  *execution.Result // nil: nothing ran
	Err  error             // of the run

	Values bool // it shows values of steps and the expressions of the file
}

// OptionsError says what is wrong with Options.
type OptionsError struct{ Err error }

func (e *OptionsError) Error() string { return e.Err.Error() }

func (e *OptionsError) Unwrap() error { return e.Err }

// GraphFile is one of several graph files that are served by one process.
type GraphFile struct {
	Name string // of its path: /NAME/mcp; letters, digits and -_. between slashes. "": it is the only one
	Path string
}

// files returns what lists the graph files.
func (o *Options) files() func() ([]GraphFile, error) {
	if o.Graphs != nil {
		return o.Graphs
	}
	return func() ([]GraphFile, error) { return []GraphFile{{Path: o.Graph}}, nil }
}

// Files returns the files whose changes matter to a process with one graph file.
func (o *Options) Files() []string { return o.filesOf(o.Graph) }

// filesOf returns the files whose changes matter to a graph file.
func (o *Options) filesOf(path string) []string {
	files := []string{path}
	if file, _ := config.Load(path, config.Options{AssumeEnv: true}); file != nil { // its errors are reported when it is loaded for use
		files = file.Sources()
		if slices.ContainsFunc(file.Servers, func(u *config.Upstream) bool { return u.Registry }) {
			files = append(files, registry.Paths(path)...)
		}
	}
	if o.File.ServersFile != "" {
		files = append(files, o.File.ServersFile)
	}
	if o.Locked {
		files = append(files, lock.Path(path))
	}
	return files
}
