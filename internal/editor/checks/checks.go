package checks

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/graph/flow"
	"toolgraph/internal/editor/completion"
	"toolgraph/internal/project"
	"toolgraph/internal/project/lock"
	"toolgraph/mcpclient"
)

// Checked is what the checks know of a text.
type Checked struct {
	Project *project.Project   // as far as the text was understood; nil: not at all
	Valid   bool               // the text can be served
	Found   config.Diagnostics // sorted, without secrets
	Locked  *lock.Lock         // beside the file; nil: none, or one with errors
	Offline *lock.Offline      // nil unless the text is valid
	Known   *completion.Known  // nil: nothing is known
}

// Beside is what is known beside the text, the lock and the registries. The zero value is nothing.
type Beside struct {
	Running *mcpclient.Pool // completion knows the tools that they have listed

	// Listed is what servers have listed, by server. Calls are checked against it where neither the lock nor a
	// registry knows the tool.
	Listed map[string][]mcpclient.Tool

	// Clean is in which graphs of other texts nothing was found: they are not followed again. nil: not known.
	Clean *flow.Clean
}

// Text checks a text of the graph file at a path. The error is that of reading other files, or the cause of ctx's end.
func Text(ctx context.Context, path string, src []byte, opts config.Options, also Beside) (*Checked, error) {
	p, err := project.Parse(ctx, path, src, opts)
	var found config.Diagnostics
	if err != nil && !errors.As(err, &found) {
		return nil, err
	}
	switch {
	case p == nil: // no YAML, or no graph file
		found, err = aroundSyntax(ctx, path, src, opts, found, also.Clean)
		return &Checked{Found: found}, err
	case found != nil:
		return beside(ctx, p, found, opts.ReadFile, also)
	}
	return Offline(ctx, p, opts.ReadFile, also)
}

// beside adds to the findings of a text with errors what is found in the tools that have none. p is what was
// understood of the text.
func beside(ctx context.Context, p *project.Project, found config.Diagnostics, read func(path string) ([]byte, error), also Beside) (*Checked, error) {
	sound := *p
	sound.Graphs, sound.Pipeline, sound.Plan = p.Sound, nil, nil
	c, err := Offline(ctx, &sound, read, also)
	if err != nil {
		return nil, err
	}
	errs, _ := found.Split() // the warnings are those of the project
	if slices.ContainsFunc(errs, func(d config.Diagnostic) bool { return project.ToolAt(p.File, d.Pos) == nil }) {
		c.Found = slices.DeleteFunc(c.Found, func(d config.Diagnostic) bool { return strings.Contains(d.Message, "$vars") }) // they may be wrong
	}
	c.Project, c.Valid, c.Offline, c.Found = p, false, nil, append(errs, c.Found...)
	c.Found.Sort()
	return c, nil
}

// Offline checks a project without errors. read reads the lock beside it; nil: config.ReadFile.
func Offline(ctx context.Context, p *project.Project, read func(path string) ([]byte, error), also Beside) (*Checked, error) {
	locked, found, err := LockBeside(p, read)
	if err != nil {
		return nil, err
	}
	offline, unlisted := lock.NewOffline(locked, p.File, p.Graphs)
	found = append(found, unlisted...)
	known := flow.Upstreams(offline)
	if also.Listed != nil {
		entries, missing := lock.Listed(p.File, p.Graphs, nil, also.Listed)
		found = append(found, missing...)
		known = Listing{offline, lock.Of(lock.Path(p.File.Path), entries...), locked, p.File}
	}
	found = append(found, Requests(p.File, locked, also.Listed)...)
	found, err = All(ctx, p, found, known, also.Clean)
	if err != nil {
		return nil, err
	}
	c := &Checked{Project: p, Valid: true, Found: found, Locked: locked, Offline: offline}
	c.Known = knownOf(c, also)
	c.Known.Upstreams = known
	return c, nil
}

// All adds the findings of the file and of the flow of data, given the known tools and the graphs that are known to have
// no findings; nil: none. Secrets are redacted: a finding may quote the description of a server.
func All(ctx context.Context, p *project.Project, found config.Diagnostics, known flow.Upstreams, clean *flow.Clean) (config.Diagnostics, error) {
	more, err := p.CheckSince(ctx, known, clean)
	if err != nil {
		return nil, err
	}
	found = append(found, more...)
	found.MergeSlips()
	for i := range found {
		found[i].Message = p.File.Secrets.Redact(found[i].Message)
		found[i].Hint = p.File.Secrets.Redact(found[i].Hint)
		found[i].Fixes = slices.Clone(found[i].Fixes) // the project has them, too
		for k := range found[i].Fixes {
			found[i].Fixes[k].Title = p.File.Secrets.Redact(found[i].Fixes[k].Title)
		}
	}
	found.Sort()
	return found, nil
}

// LockBeside returns the lock beside a graph file, nil without one, and the findings about the
// two. read reads it; nil: config.ReadFile.
func LockBeside(p *project.Project, read func(path string) ([]byte, error)) (*lock.Lock, config.Diagnostics, error) {
	if read == nil {
		read = config.ReadFile
	}
	path := lock.Path(p.File.Path)
	src, err := read(path)
	var l *lock.Lock
	if err == nil {
		l, err = lock.Parse(path, src)
	}
	var found config.Diagnostics
	switch {
	case err == nil:
		return l, l.Check(p.File, p.Graphs), nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, nil
	case errors.As(err, &found):
		return nil, found, nil
	}
	return nil, nil, err
}

// Listing is what is known offline, else what servers have listed; their annotations count where a lock or
// trust makes them.
type Listing struct {
	Offline        *lock.Offline // nil: what is listed counts for all tools
	Listed, Locked *lock.Lock
	File           *config.File
}

// Tool returns a tool.
func (l Listing) Tool(server, tool string) (flow.Tool, bool) {
	if l.Offline != nil {
		if t, known := l.Offline.Tool(server, tool); known {
			return t, true
		}
	}
	t, known := l.Listed.Tool(server, tool)
	return l.Locked.Believe(server, tool, t, l.File.Trusts(server)), known
}
