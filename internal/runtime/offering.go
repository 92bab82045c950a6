package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"toolgraph/execution"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/serving/expose"
	"toolgraph/internal/serving/server"
	"toolgraph/mcpclient"
)

// offering is what clients get of one version of the graph file: the tools of the file, and what it exposes of servers,
// as far as these have answered. It changes while it is served.
type offering struct {
	of     *Loaded
	engine *execution.Engine
	fixed  []server.Tool // of the file, and for plans
	reader []server.Tool // of large results
	stop   context.CancelFunc

	mu      sync.Mutex // guards what follows
	tools   map[string][]mcpclient.Tool
	passed  map[string]expose.Listing
	srv     *shelf // nil: not served yet
	served  shownTools
	logged  map[string]bool
	earlier []<-chan struct{} // closed when the calls of earlier lists of tools have ended
	over    bool
}

// offer returns what clients get of the file. Servers of which it exposes something are asked until ctx or the session
// ends, or end is called; it waits for the first answers, but not for long.
func (l *Loaded) offer(ctx context.Context) (*offering, error) {
	o := &offering{of: l, engine: l.Engine(), tools: map[string][]mcpclient.Tool{}, passed: map[string]expose.Listing{}, logged: map[string]bool{}}
	var err error
	if o.fixed, o.reader, err = l.tools(o.engine); err != nil {
		return nil, err
	}
	ctx, o.stop = context.WithCancel(ctx)
	if l.Expose == nil {
		return o, nil
	}
	var asked []string
	for _, u := range l.File.Servers {
		if o.begin(u.Name.Value) {
			asked = append(asked, u.Name.Value)
		}
	}
	if len(asked) == 0 {
		return o, nil
	}
	l.waiting.Go(func() {
		select {
		case <-l.ending:
			o.stop()
		case <-ctx.Done():
		}
	})
	a := &asking{ask: o.ask, changes: l.Pool.Changes, after: time.After}
	a.begin(ctx, asked, &l.waiting)
	return o, nil
}

// begin offers what is known of a server before it is asked, and reports whether it has to be asked.
func (o *offering) begin(name string) bool {
	of := passesOf(o.of, name)
	if !o.exposesTools(name) {
		return of.any()
	}
	if o.of.Lock == nil {
		return true
	}
	tools, whole := o.of.lockedTools(name, nil)
	o.tools[name] = tools
	for _, call := range o.of.Expose.Named() {
		if _, known := o.of.Lock.Entry(name, call.Tool); call.Server == name && !known {
			o.of.Log.Warn("an exposed tool is left out: it is not in the lock, run: toolgraph lock "+o.of.File.Path, "server", name, "tool", call.Tool)
		}
	}
	return !whole || of.any()
}

func (o *offering) exposesTools(name string) bool {
	for _, u := range o.of.Expose.Servers() {
		if u.Name.Value == name {
			return true
		}
	}
	return false
}

// lockedTools returns the exposed tools of a server that the lock in force has, and whether it has their whole
// definitions. One that it has in part is as the server lists it, if that is what was locked; without a list it is left
// out.
func (l *Loaded) lockedTools(name string, listed []mcpclient.Tool) (tools []mcpclient.Tool, whole bool) {
	whole = true
	unchanged := l.Lock.Guard(l.File)
	for _, e := range l.Lock.Of(name) {
		if !l.Expose.Permits(name, e.Tool) {
			continue
		}
		tool, all := e.Listed()
		if all {
			tools = append(tools, tool)
			continue
		}
		whole = false
		for i := range listed {
			if listed[i].Name != e.Tool {
				continue
			}
			if unchanged(name, listed[i]) == nil {
				tool = listed[i]
			}
			tools = append(tools, tool)
		}
	}
	return tools, whole
}

// ask asks a server for what is exposed of it.
func (o *offering) ask(ctx context.Context, name string) error {
	var failed error
	if o.exposesTools(name) {
		tools, err := o.of.Pool.OfferedTools(ctx, name)
		if err == nil {
			o.checkNamed(name, tools)
			if o.of.Lock != nil {
				tools, _ = o.of.lockedTools(name, tools)
			}
			o.mu.Lock()
			o.tools[name] = tools
			o.mu.Unlock()
		}
		failed = err
	}
	if of := passesOf(o.of, name); of.any() {
		err := o.askPassed(ctx, name, of)
		failed = errors.Join(failed, err)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if failed != nil {
		o.warn(fmt.Sprintf("nothing more of server %q is exposed until it answers", name), "server", name, "error", failed)
	} else {
		delete(o.logged, fmt.Sprintf("nothing more of server %q is exposed until it answers", name))
	}
	return errors.Join(failed, o.publish(ctx))
}

// checkNamed logs the tools that the file names and that their server does not list.
func (o *offering) checkNamed(name string, listed []mcpclient.Tool) {
	if o.of.Lock != nil {
		return // begin has
	}
	var names []string
	for i := range listed {
		names = append(names, listed[i].Name)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, call := range o.of.Expose.Named() {
		if call.Server == name && !slices.Contains(names, call.Tool) {
			o.warn(fmt.Sprintf("an exposed tool is left out: the server does not list %q%s", call.Tool, wording.Suggest(call.Tool, names)), "server", name, "tool", call.Tool)
		}
	}
}

// warn logs a warning once; mu is held.
func (o *offering) warn(message string, about ...any) {
	if !o.logged[message] {
		o.logged[message] = true
		o.of.Log.Warn(message, about...)
	}
}

// shownTools identifies the exposed tools that clients see.
type shownTools []shownTool

type shownTool struct{ server, name, definition string }

// all returns the tools for clients; mu is held or o is not shared yet.
func (o *offering) all(ctx context.Context) (tools []server.Tool, shown shownTools) {
	tools = slices.Clone(o.fixed)
	if o.of.Expose != nil {
		for _, u := range o.of.Expose.Servers() {
			exposed, of := o.exposedOf(ctx, u.Name.Value)
			tools, shown = append(tools, exposed...), append(shown, of...)
		}
	}
	return append(tools, o.reader...), shown
}

// serve lets a server have the tools from now on.
func (o *offering) serve(ctx context.Context, srv *shelf) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.srv = srv
	return o.publish(ctx)
}

// publish gives the server the tools, if they are not those that it has; mu is held.
func (o *offering) publish(ctx context.Context) error {
	if o.srv == nil || o.over {
		return nil
	}
	tools, shown := o.all(ctx)
	if slices.Equal(shown, o.served) {
		return nil
	}
	ended, err := o.srv.Replace(tools, o.of.File.Secrets)
	if err != nil {
		o.of.Log.Error("exposed tools are not listed", "error", err)
		return err
	}
	o.served, o.earlier = shown, append(slices.DeleteFunc(o.earlier, hasEnded), ended)
	return nil
}

func hasEnded(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// has reports whether clients get a tool of this name.
func (o *offering) has(name string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.ContainsFunc(o.fixed, func(t server.Tool) bool { return t.Def.Name.Value == name }) ||
		slices.ContainsFunc(o.served, func(t shownTool) bool { return t.name == name })
}

// initial returns the tools to begin with.
func (o *offering) initial(ctx context.Context) []server.Tool {
	o.mu.Lock()
	defer o.mu.Unlock()
	tools, shown := o.all(ctx)
	o.served = shown
	return tools
}

// replacedBy serves another version in place of this one. The channel is closed when the last call of this one has
// ended. After an error this one is still served.
func (o *offering) replacedBy(ctx context.Context, next *offering, srv *shelf) (ended <-chan struct{}, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	last, err := srv.Replace(next.initial(ctx), next.of.File.Secrets)
	if err != nil {
		return nil, err
	}
	o.over = true
	o.stop()
	earlier := slices.Concat(o.earlier, []<-chan struct{}{last})
	all := make(chan struct{})
	go func() {
		defer close(all)
		for _, one := range earlier {
			<-one
		}
	}()
	return all, nil
}
