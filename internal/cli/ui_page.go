package cli

import (
	"context"
	"errors"
	"sync/atomic"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/graph"
	"toolgraph/internal/authoring"
	"toolgraph/internal/debugger/debug"
	"toolgraph/internal/debugger/page"
	"toolgraph/internal/program"
	"toolgraph/internal/runtime"
	"toolgraph/mcpclient"
)

// uiPage is the page of a graph file.
type uiPage struct {
	*uiFlags
	path, name string
	kit        *authoring.Toolkit // nil: the file may not be saved
	shown      *page.Server       // is set before any run

	served atomic.Pointer[mcpclient.Pool]               // of the version that is in use
	follow func(ctx context.Context, l *runtime.Loaded) // shows the file as it changes
	closes []func()
}

// uiPageKey is where the context of a run has its page.
type uiPageKey struct{}

// newUIPage returns the page of a file, and notices its changes from now on: before the file is loaded, so that none is missed.
func newUIPage(f *uiFlags, file runtime.GraphFile) *uiPage {
	p := &uiPage{uiFlags: f, path: file.Path, name: file.Name}
	changes, err := runtime.NewWatcher(func() []string { return f.watched(p.path) })
	if err != nil {
		p.follow = func(_ context.Context, l *runtime.Loaded) { l.Log.Warn("changed files are not reloaded", "error", err) }
		return p
	}
	p.closes = append(p.closes, changes.Close)
	p.follow = func(ctx context.Context, l *runtime.Loaded) { l.Follow(ctx, changes, p.replace, p.reject) }
	return p
}

// open makes the page of the loaded file.
func (p *uiPage) open(l *runtime.Loaded) {
	if p.allowWrite {
		p.kit = authoring.New(authoring.Options{Graph: p.path, Servers: p.Servers, AllowWrite: true})
		p.closes = append(p.closes, func() { p.kit.Close() })
	}
	p.served.Store(l.Pool)
	p.shown = page.New(page.Options{
		Name: p.name, Controller: debug.New(), Project: p.of(l), File: p.fileOf(p.path, p.kit, p.served.Load),
		Store: l.History, Version: program.VersionText(), Logger: l.Log, Cancel: l.Cancels(),
	})
}

// of returns what the page shows of a version of the file.
func (p *uiPage) of(l *runtime.Loaded) page.Project {
	on := pageRuns{l, p}
	of := page.Project{Project: l.Project, Source: sourceOf(l.File.Path), Engine: l.Engine(), Servers: l, Begin: on.Begin, Believe: l.Believe, Plans: l, Reported: runtime.WithUpstreamProgress}
	if l.History != nil {
		of.Again = on
	}
	return of
}

// pageRuns are the runs of a page, also those that it makes again of recorded ones.
type pageRuns struct {
	*runtime.Loaded
	on *uiPage
}

var _ page.Again = pageRuns{}

// Begin is that of the file, with the page in the context.
func (r pageRuns) Begin(ctx context.Context, g *graph.Graph) (context.Context, []execution.Option) {
	return r.Loaded.Begin(context.WithValue(ctx, uiPageKey{}, r.on), g)
}

func (p *uiPage) replace(next *runtime.Loaded) (<-chan struct{}, error) {
	p.served.Store(next.Pool)
	return p.shown.Replace(p.of(next)), nil
}

func (p *uiPage) reject(_ *runtime.Loaded, err error) {
	var found config.Diagnostics
	if !errors.As(err, &found) {
		found = config.Diagnostics{{Severity: config.Error, Message: err.Error()}}
	}
	p.shown.Reject(sourceOf(p.path), found)
}

func (p *uiPage) close() {
	for _, end := range p.closes {
		end()
	}
}
