package cli

import (
	"context"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/internal/base/terminal"
	"toolgraph/internal/program"
	"toolgraph/internal/project"
	"toolgraph/internal/runtime"
	"toolgraph/mcpclient"
)

// sessionFlags are the flags of a session whose questions the user at the terminal answers, unless it has another asker.
type sessionFlags struct {
	program.Session
	yes   bool // --yes: that user agrees
	lists bool // a listing shows on a terminal which servers are started

	terminal *asker // of that user, once a session is open
}

// files returns the files whose changes matter.
func (f *sessionFlags) filesOf(path string) []string {
	o := runtime.Options{Graph: path, File: f.FileOptions(), Locked: f.Locked}
	return o.Files()
}

// process returns the process that the flags describe.
func (f *sessionFlags) process(std program.Streams) (o runtime.Options, err error) {
	o, err = f.Process(std)
	if f.lists && terminal.LiveOn(std.Err) != nil {
		o.Console = nil
	}
	if err == nil && o.Asker == nil {
		f.terminal = newAsker(std)
		o.Asker = terminalAsker{f.terminal, f.yes}
	}
	return o, err
}

// load loads the graph file of the flags in a session of its own. The caller closes it.
func (f *sessionFlags) load(ctx context.Context, std program.Streams) (*runtime.Loaded, error) {
	p, err := f.Project(ctx)
	if err != nil {
		return nil, err
	}
	return f.start(ctx, std, p)
}

// start opens a session for a graph file. The caller closes it.
func (f *sessionFlags) start(ctx context.Context, std program.Streams, p *project.Project) (*runtime.Loaded, error) {
	o, err := f.process(std)
	if err != nil {
		return nil, err
	}
	return runtime.Start(ctx, o, p)
}

// open opens a session. The caller closes it when the last run has ended.
func (f *sessionFlags) open(ctx context.Context, std program.Streams, secrets *config.Secrets) (*runtime.Session, error) {
	o, err := f.process(std)
	if err != nil {
		return nil, err
	}
	return runtime.Open(ctx, o, secrets)
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
