package mcpclient

import (
	"context"
	"log/slog"
	"slices"
	"sync"

	"toolgraph/config"
	"toolgraph/expressions/value"
)

// Pool holds the upstream servers of a graph file. Each is started at its first use
// and again when it has died. Safe for concurrent use.
type Pool struct {
	servers map[string]*upstream
	keep    *supervisor
	stop    context.CancelFunc
	once    sync.Once
}

// NewPool makes a pool of these servers. It starts nothing.
func NewPool(servers []*config.Upstream, opts ...Option) *Pool {
	o := options{logger: slog.New(slog.DiscardHandler), name: "toolgraph", version: "dev", clock: systemClock(), began: func(string) {}}
	for _, opt := range opts {
		opt(&o)
	}
	life, stop := context.WithCancel(context.Background())
	p := &Pool{servers: make(map[string]*upstream, len(servers)), keep: newSupervisor(), stop: stop}
	for _, conf := range servers {
		p.servers[conf.Name.Value] = newUpstream(life, conf, &o, p.keep)
	}
	return p
}

// CallTool calls a tool of a server and returns the value of its result: its
// structuredContent, else what its contents hold. meta goes into the request's _meta.
// The error is an *Error. When ctx ends the server is told and CallTool returns at once.
func (p *Pool) CallTool(ctx context.Context, server, tool string, args value.Value, meta map[string]any) (value.Value, error) {
	u, err := p.find(server)
	if err != nil {
		return nil, err.during(tool)
	}
	v, err := u.callTool(ctx, tool, args, meta)
	if err != nil {
		return nil, err.during(tool)
	}
	return v, nil
}

// ListTools is all tools of a server, every page, as the server tells them now. The
// error is an *Error.
func (p *Pool) ListTools(ctx context.Context, server string) ([]Tool, error) {
	u, err := p.find(server)
	if err != nil {
		return nil, err
	}
	tools, err := u.listTools(ctx)
	if err != nil {
		return nil, err
	}
	return tools, nil
}

// Known is a tool as its server told it last, without asking or starting it; ok is
// false when it has told nothing yet, or has no such tool.
func (p *Pool) Known(server, tool string) (known Tool, ok bool) {
	u := p.servers[server]
	if u == nil {
		return Tool{}, false
	}
	l := u.known.Load()
	if l == nil || l.byName[tool] == nil {
		return Tool{}, false
	}
	return l.byName[tool].Tool, true
}

// KnownTools are the names of the tools as a server told them last, without asking or
// starting it; nil when it has told nothing yet, or does not tell its tools.
func (p *Pool) KnownTools(server string) []string {
	u := p.servers[server]
	if u == nil {
		return nil
	}
	l := u.known.Load()
	if l == nil || l.byName == nil {
		return nil
	}
	return slices.Clone(l.names)
}

func (p *Pool) find(server string) (*upstream, *Error) {
	if u := p.servers[server]; u != nil {
		return u, nil
	}
	names := make([]string, 0, len(p.servers))
	for name := range p.servers {
		names = append(names, name)
	}
	return nil, &Error{
		Server: server, Code: CodeUnknownServer, Message: "no such server in mcpServers", Hint: suggest(server, names),
	}
}

// Close ends every server and returns when all their processes are gone, which takes
// seconds at most: stdin is closed, after 2 s their groups get SIGTERM, after 3 more
// SIGKILL. Calls in flight fail. It may be called more than once.
func (p *Pool) Close() error {
	p.once.Do(func() {
		p.stop()
		var all sync.WaitGroup
		for _, u := range p.servers {
			all.Go(u.close)
		}
		all.Wait()
		p.keep.close()
	})
	return nil
}
