package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/interop/adopt"
	"toolgraph/internal/program"
	"toolgraph/internal/project"
	"toolgraph/internal/project/lock"
	"toolgraph/internal/runtime"
	"toolgraph/mcpclient"
)

// triedTime is how long a server of a host may take until its tools are listed.
const triedTime = 30 * time.Second

// trial is what starting the servers of a host once has shown.
type trial struct {
	end    func()
	listed map[string][]mcpclient.Tool // by the name in the registry
	lock   *lock.Lock
	locked []byte // the lock file
	size   int    // bytes of the definitions of the tools for plans
}

// try starts the servers that are adopted, from a directory of its own, and locks their tools. One that does not list its tools
// stays.
func (f *adoptFlags) try(ctx context.Context, std program.Streams, a *adopt.Adoption) (*trial, error) {
	dir, err := os.MkdirTemp("", "toolgraph-adopt-")
	if err != nil {
		return nil, err
	}
	t := &trial{end: func() { _ = os.RemoveAll(dir) }, listed: map[string][]mcpclient.Tool{}}
	lookup := a.Lookup(os.LookupEnv)
	for {
		more, err := t.start(ctx, std, f, a, dir, lookup)
		if err != nil {
			t.end()
			return nil, err
		}
		if !more {
			return t, nil
		}
	}
}

// start starts the servers whose tools are not listed yet, and locks the tools when none is left to start. more is true when a server
// stays: the others are then locked without it.
func (t *trial) start(ctx context.Context, std program.Streams, f *adoptFlags, a *adopt.Adoption, dir string, lookup func(string) (string, bool)) (more bool, err error) {
	graph, registries, err := a.Try(ctx, dir)
	if err != nil || len(a.Adopted()) == 0 {
		return false, err
	}
	f.Graph, f.lists = graph, true
	o, err := f.process(std)
	if err != nil {
		return false, err
	}
	o.File = config.Options{Registries: registries, LookupEnv: lookup}
	p, err := project.Load(ctx, o.Graph, o.File)
	if err != nil {
		return false, fmt.Errorf("the servers of %s make no graph file: %w", a.Host.Title, err)
	}
	if len(t.listed) == 0 {
		if staying, err := t.list(ctx, std, o, p, a); err != nil || staying > 0 {
			return staying > 0, err
		}
	}
	var steps lock.Steps
	for _, g := range p.Offering() {
		steps = append(steps, lock.StepsOf(g)...)
	}
	entries, invalid := lock.Listed(p.File, p.Graphs, steps, t.listed)
	for _, wrong := range invalid {
		std.Printf("toolgraph: %s", wording.Printable(wrong.Message))
	}
	t.lock = lock.Of(a.LockPath(), entries...)
	t.lock.Capabilities = t.lock.Derive(p.File, p.Graphs)
	t.locked = t.lock.Encode()
	def := p.Plan.Graph.Tool
	t.size = len(def.Description.Value) + len(def.InputSchema.JSON()) + searchSize
	return false, nil
}

// searchSize is about how many bytes the definition of search_tools has, and the names, titles and annotations of both tools.
const searchSize = 820

// list starts the servers, all at once, and lists their tools. It returns how many stay.
func (t *trial) list(ctx context.Context, std program.Streams, o runtime.Options, p *project.Project, a *adopt.Adoption) (staying int, err error) {
	l, err := runtime.Start(ctx, o, p)
	if err != nil {
		return 0, err
	}
	defer l.Close()
	shown := newListing(std.Err, a.Host.Title, l.Pool)
	defer shown.shown.clear()
	var asking sync.WaitGroup
	var mu sync.Mutex
	for _, s := range a.Adopted() {
		asking.Go(func() {
			ctx, stop := context.WithTimeout(ctx, triedTime)
			defer stop()
			tools, err := shown.ListTools(ctx, s.As)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				staying++
				a.Stay(s.As, "it was started and did not list its tools: "+wording.OneLine(wording.Shorten(p.File.Secrets.Redact(err.Error()))))
				return
			}
			a.Offer(s.As, tools)
			t.listed[s.As] = tools
		})
	}
	asking.Wait()
	return staying, ctx.Err()
}

// report is what the trial has shown.
func (t *trial) report(a *adopt.Adoption) *adoption {
	r := &adoption{Host: a.Host.Name, File: a.File, Entry: a.Entry, Adopted: []adoptedServer{}, Stays: []stayingServer{}, Next: a.Next()}
	before := 0
	for _, s := range a.Servers {
		if s.Stays != "" {
			r.Stays = append(r.Stays, stayingServer{s.Name, s.Stays})
			continue
		}
		one := adoptedServer{Name: s.Name, As: s.As, Tools: len(t.listed[s.As]), Notes: s.Notes, Free: []string{}}
		for _, tool := range t.listed[s.As] {
			if raw, err := json.Marshal(tool); err == nil {
				before += len(raw)
			}
			if e, known := t.lock.Entry(s.As, tool.Name); known && e.Hints().Effect() == config.ReadEffect {
				one.Free = append(one.Free, tool.Name)
			}
		}
		slices.Sort(one.Free)
		r.Tools.Before += one.Tools
		r.Adopted = append(r.Adopted, one)
	}
	if len(r.Adopted) > 0 {
		r.Tools.After, r.Tools.TokensAfter = 2, tokens(t.size)
	}
	r.Tools.TokensBefore = tokens(before)
	return r
}

// tokens is about how many tokens of a model a JSON text of some bytes has.
func tokens(bytes int) int { return bytes / 4 }
