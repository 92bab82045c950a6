package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/project"
	"toolgraph/internal/runtime"
	"toolgraph/mcpclient"
)

// sessionFlags are the flags of a session whose questions the user at the terminal answers, unless it has another asker.
type sessionFlags struct {
	session
	yes bool // --yes: that user agrees

	terminal *asker // of that user, once a session is open
}

// files returns the files whose changes matter.
func (f *sessionFlags) files() []string {
	o := runtime.Options{Graph: f.graph, File: f.options(), Locked: f.locked}
	return o.Files()
}

// process returns the process that the flags describe.
func (f *sessionFlags) process(std streams) (o runtime.Options, err error) {
	if o, err = f.session.process(std); err == nil && o.Asker == nil {
		f.terminal = newAsker(std)
		o.Asker = terminalAsker{f.terminal, f.yes}
	}
	return o, err
}

// project loads and checks the graph file of the flags.
func (f *session) project(ctx context.Context) (*project.Project, error) {
	return project.Load(ctx, f.graph, f.options())
}

// load loads the graph file of the flags in a session of its own. The caller closes it.
func (f *sessionFlags) load(ctx context.Context, std streams) (*runtime.Loaded, error) {
	p, err := f.project(ctx)
	if err != nil {
		return nil, err
	}
	return f.start(ctx, std, p)
}

// start opens a session for a graph file. The caller closes it.
func (f *sessionFlags) start(ctx context.Context, std streams, p *project.Project) (*runtime.Loaded, error) {
	o, err := f.process(std)
	if err != nil {
		return nil, err
	}
	return runtime.Start(ctx, o, p)
}

// open opens a session. The caller closes it when the last run has ended.
func (f *sessionFlags) open(ctx context.Context, std streams, secrets *config.Secrets) (*runtime.Session, error) {
	o, err := f.process(std)
	if err != nil {
		return nil, err
	}
	return runtime.Open(ctx, o, secrets)
}

// process returns the process that the flags describe.
func (f *session) process(std streams) (o runtime.Options, err error) {
	if err := f.audit.check(); err != nil {
		return o, err
	}
	o = runtime.Options{
		Graph: f.graph, File: f.options(), Version: versionText(), Self: self(), Locked: f.locked, Programs: f.allowExec, Grace: f.grace,
		Log:  runtime.Logging{To: std.err, Level: f.logLevel, Format: f.logFormat, Exact: f.chosen != nil && f.chosen("log-level")},
		OTLP: f.otel, Metrics: f.metric, Audit: runtime.Audit{File: f.audit.file, MaxBytes: int64(f.audit.bytes)},
		Console: console{std.err}, Asker: f.asker, Elsewhere: f.elsewhere, Around: f.around,
	}
	o.History, err = f.history.recorded()
	return o, err
}

// recorded returns how runs are recorded; nil when they are not.
func (f *historyFlags) recorded() (*runtime.History, error) {
	if !f.records {
		return nil, nil //nolint:nilnil // runs are not recorded
	}
	if err := f.check(); err != nil || f.off {
		return nil, err
	}
	h := &runtime.History{
		Required: f.durable || f.named() != "", Durable: f.durable, MaxValue: int(f.maxValue), Serves: f.serves, Keep: f.keep.retention(),
	}
	if h.Place, h.Missing = f.place(); f.keep.isGiven() {
		h.Unused = f.warnOfPolicy
	}
	return h, nil
}

// console reports on standard error.
type console struct{ err io.Writer }

// Starting prints which servers are being started when standard error is a terminal. The line replaces the line of
// progress.
func (c console) Starting(server string) {
	if isTerminal(c.err) {
		fmt.Fprintf(c.err, "%sstarting %s …\n", clearLine(c.err), wording.OneLine(server))
	}
}

// Stopping prints that the process is asked to stop.
func (c console) Stopping(grace time.Duration) {
	fmt.Fprintf(c.err, "toolgraph: stopping: the call in flight has %v to finish; a second signal ends the process at once\n", grace)
}

// terminalAsker asks the person at the terminal.
type terminalAsker struct {
	*asker
	yes bool // --yes was given
}

// Elicitor answers the questions of servers, if their entries in the graph file allow it.
func (t terminalAsker) Elicitor(secrets *config.Secrets) mcpclient.Elicitor { return t.asks(secrets) }

// User returns the user whom a run of a tool asks.
func (t terminalAsker) User(tool string, secrets *config.Secrets) execution.User {
	return &runUser{asker: t.asker, tool: tool, secrets: secrets, yes: t.yes}
}
