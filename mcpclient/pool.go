package mcpclient

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"net"
	"slices"
	"sync"
	"time"

	"toolgraph/config"
	"toolgraph/execution/call"
	"toolgraph/expressions/value"
)

// Pool connects to the upstream servers of a graph file. Each server is started at its
// first use, and again after it has died. Safe for concurrent use.
type Pool struct {
	servers map[string]*upstream        // two names of one process have the same
	shared  map[string]*config.Upstream // the entries that use the process of another
	by      *Shared                     // of the servers; nil: they are this pool's
	keep    *supervisor                 // likewise; nil: it is that of by
	once    sync.Once
}

// NewPool returns a pool of these servers. It starts none of them.
func NewPool(servers []*config.Upstream, opts ...Option) *Pool {
	o := options{logger: slog.New(slog.DiscardHandler), name: "toolgraph", version: "dev", clock: systemClock(), started: func(string) {}}
	for _, opt := range opts {
		opt(&o)
	}
	p := &Pool{servers: make(map[string]*upstream, len(servers)), shared: map[string]*config.Upstream{}, by: o.shared}
	if p.by == nil {
		p.keep = newSupervisor()
	}
	for _, conf := range servers {
		name := conf.Name.Value
		if first := p.servers[conf.Shares]; first != nil {
			p.servers[name], p.shared[name] = first, conf
			continue
		}
		if p.by != nil {
			p.servers[name] = p.by.server(conf, &o)
		} else {
			p.servers[name] = newUpstream(conf, &o, p.keep)
		}
	}
	return p
}

type sharedKey struct{}

// calledAs returns the name by which the call with this context names its server, whose own entry has
// the name own.
func calledAs(ctx context.Context, own string) string {
	if name, shared := ctx.Value(sharedKey{}).(string); shared {
		return name
	}
	return own
}

// use runs f with a server. The error is an *Error that names the server, and the tool
// unless that is "".
func (p *Pool) use(server, tool string, f func(*upstream) *Error) error {
	var fail *Error
	if u := p.servers[server]; u != nil {
		fail = f(u)
	} else {
		hint := suggest(server, slices.Collect(maps.Keys(p.servers)))
		fail = &Error{Code: CodeUnknownServer, Message: "no such server in mcpServers", Hint: hint}
	}
	if fail == nil {
		return nil
	}
	e := *fail // callers may share it
	e.Server, e.Tool = server, tool
	return &e
}

// CallTool calls a tool of a server and returns the value of its result: its
// structuredContent, otherwise the value of its contents. Of the call it reads Server, Tool, Args, Meta,
// which goes into the request's _meta, and Timeout, which replaces that of the server when it is above 0;
// it starts when the call is sent. A server that answers with a task is asked until that has ended; with a Task the
// call is not sent, and that task is awaited. The error is an *Error. When ctx ends, the server is notified and
// CallTool returns at once; with a task, once the server has answered that it cancels it, or half a second later. So a Pool is an execution.ToolCaller.
func (p *Pool) CallTool(ctx context.Context, c call.Call) (value.Value, error) {
	v, _, err := p.CallToolInDetail(ctx, &c)
	return v, err
}

// CallToolInDetail is CallTool, and also returns what the text items of the result say of themselves.
func (p *Pool) CallToolInDetail(ctx context.Context, c *call.Call) (value.Value, Details, error) {
	timeout := c.Timeout
	if entry := p.shared[c.Server]; entry != nil {
		ctx, timeout = context.WithValue(ctx, sharedKey{}, c.Server), cmp.Or(timeout, entry.Timeout)
	}
	var r result
	err := p.use(c.Server, c.Tool, func(u *upstream) (fail *Error) {
		r, fail = u.callTool(ctx, toolCall{tool: c.Tool, args: c.Args, meta: c.Meta, timeout: timeout, task: c.Task})
		return fail
	})
	return r.value, r.details, err
}

// ListTools asks a server for all its tools, every page. The error is an *Error.
func (p *Pool) ListTools(ctx context.Context, server string) (tools []Tool, err error) {
	err = p.use(server, "", func(u *upstream) (fail *Error) {
		tools, fail = u.listTools(ctx)
		return fail
	})
	return tools, err
}

// About is what a server says of itself in its handshake, with secrets redacted. Fields
// that the server leaves out are empty.
type About struct {
	Name, Title, Version, Instructions string
	Protocol                           string // the negotiated version
}

// About returns what a server says of itself, and starts the server unless it runs. The
// error is an *Error.
func (p *Pool) About(ctx context.Context, server string) (about About, err error) {
	err = p.use(server, "", func(u *upstream) *Error {
		s, fail := u.session(ctx)
		if fail == nil {
			about = s.about
		}
		return fail
	})
	return about, err
}

// Known returns a tool as its server listed it last, without asking or starting the
// server. ok is false when the server has not listed its tools yet, or has no such tool.
func (p *Pool) Known(server, tool string) (known Tool, ok bool) {
	if o := p.listed(server).byName[tool]; o != nil {
		return o.Tool, true
	}
	return Tool{}, false
}

// KnownTools returns the names of the tools as a server listed them last, without asking
// or starting the server. They are nil when it has not listed its tools yet, or cannot.
func (p *Pool) KnownTools(server string) []string { return slices.Clone(p.listed(server).names) }

func (p *Pool) listed(server string) *listing {
	if u := p.servers[server]; u != nil {
		if l := u.known.Load(); l != nil {
			return l
		}
	}
	return unlisted
}

// Close ends every server and returns when all their processes have ended, which takes
// seconds at most: it closes their stdin, after 2 s it sends SIGTERM to their process
// groups, after 3 more SIGKILL. Calls in flight fail. Servers that another pool has as well go on. It may be called more than once.
// The error is always nil.
func (p *Pool) Close() error {
	p.once.Do(func() {
		var all sync.WaitGroup
		for name, u := range p.servers {
			if p.shared[name] != nil || p.by != nil && !p.by.leaveServer(u) {
				continue
			}
			u.fail(errShutDown)
			all.Go(u.close)
		}
		all.Wait()
		if p.keep != nil {
			p.keep.close()
		}
	})
	return nil
}

// selfCommand is a bare command that stands for this program's own executable.
type selfCommand struct{ name, path string }

type options struct {
	logger   *slog.Logger
	secrets  *config.Secrets
	name     string // of the client, for servers
	version  string
	self     selfCommand
	elicit   Elicitor  // nil: no server may ask
	check    ToolCheck // nil: every tool may be called
	observer Observer  // nil: nothing observes
	programs bool      // may be started
	tokens   string    // the directory of tokens; "": that of the user
	keys     *tokenKey
	clock    clock
	shared   *Shared             // of the servers; nil: they are the pool's own
	variant  string              // see SharedBy
	started  func(server string) // called when a server's program has started
	adjust   func(*settings)     // tests shorten limits with it
}

// Option changes a new Pool.
type Option func(*options)

// WithLogger sets the log of the pool. Without it, or with nil, the pool does not log.
func WithLogger(l *slog.Logger) Option { return func(o *options) { o.logger = cmp.Or(l, o.logger) } }

// WithSecrets sets what is redacted in logs and errors.
func WithSecrets(s *config.Secrets) Option { return func(o *options) { o.secrets = s } }

// WithClientInfo sets the name and version under which servers know this client.
func WithClientInfo(name, version string) Option {
	return func(o *options) { o.name, o.version = name, version }
}

// WithTokenDir sets the directory of the tokens of logins, which only the user can read.
// Without it, it is toolgraph/tokens in the user's configuration directory.
func WithTokenDir(dir string) Option { return func(o *options) { o.tokens = dir } }

// WithSecretStore has tokens of logins encrypted with a key in the secret store of the system. Where the store cannot be used, a login
// stores its token in a file that only the user can read, unless the store is required. Without this option, or with nil, all do.
// The pools that are given the same Option ask the store once.
func WithSecretStore(store SecretStore, required bool) Option {
	keys := &tokenKey{store: store, required: required, patience: keyPatience}
	return func(o *options) { o.keys = keys }
}

// WithStartNotice has started called with the name of each server when its program has
// been started and has not answered yet. It must return quickly and be safe for
// concurrent use. It must not be nil.
func WithStartNotice(started func(server string)) Option {
	return func(o *options) { o.started = started }
}

// WithSelf makes the command name, exactly, mean the executable at path, so that a
// graph can use the servers built into this program without its being installed.
func WithSelf(name, path string) Option {
	return func(o *options) { o.self = selfCommand{name: name, path: path} }
}

const messageMost = 64 << 20 // bytes of one message of a server

// settings are those of one server.
type settings struct {
	config.Upstream
	maxMessage int
	resolver   *net.Resolver               // nil: the system's; tests set another
	connected  func(host, to string) error // nil; tests see and refuse connections with it
}

// settingsOf returns the settings of a server's entry; a limit that is zero has its default.
func settingsOf(u *config.Upstream) settings {
	s := settings{Upstream: *u, maxMessage: messageMost}
	s.Timeout = cmp.Or(u.Timeout, config.DefaultTimeout)
	s.StartTimeout = cmp.Or(u.StartTimeout, config.DefaultStartTimeout)
	s.MaxInFlight = cmp.Or(u.MaxInFlight, config.DefaultMaxInFlight)
	s.Protocol = cmp.Or(u.Protocol, config.ProtocolAuto)
	return s
}

func (s *settings) isLocal() bool {
	return s.Transport == config.Stdio || s.Transport == config.Exec || s.Transport == ""
}

// timeoutOf returns the time limit of the calls of a tool.
func (s *settings) timeoutOf(tool string) time.Duration {
	if p := s.Program(tool); p != nil && p.Timeout > 0 {
		return p.Timeout
	}
	return s.Timeout
}
