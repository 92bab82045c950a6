package mcpclient

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

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

// selfCommand is a bare command that means our own executable.
type selfCommand struct{ name, path string }

type options struct {
	logger  *slog.Logger
	secrets *config.Secrets
	name    string // who we tell servers that we are
	version string
	self    selfCommand
	elicit  Elicitor  // nil: no server may ask
	check   ToolCheck // nil: tools are called whatever their servers tell of them
	tokens  string    // the directory of tokens; "" is the user's own
	clock   clock
	began   func(server string) // told each server whose program is started
	adjust  func(*settings)     // tests shorten limits with it
}

// Option changes a new Pool.
type Option func(*options)

// WithLogger sets where the pool logs; without it, nowhere.
func WithLogger(l *slog.Logger) Option {
	return func(o *options) {
		if l != nil {
			o.logger = l
		}
	}
}

// WithSecrets sets what is redacted in logs and errors.
func WithSecrets(s *config.Secrets) Option { return func(o *options) { o.secrets = s } }

// WithClientInfo sets the name and version that servers are told.
func WithClientInfo(name, version string) Option {
	return func(o *options) { o.name, o.version = name, version }
}

// WithTokenDir sets the directory in which tokens of logins are kept, for our user
// alone. Without it, it is toolgraph/tokens in the user's configuration directory.
func WithTokenDir(dir string) Option { return func(o *options) { o.tokens = dir } }

// WithStartNotice has told called with the name of each server when its program has been
// started and is expected to answer. It must be quick, and safe for concurrent use.
func WithStartNotice(told func(server string)) Option {
	return func(o *options) {
		if told != nil {
			o.began = told
		}
	}
}

// WithSelf makes the command name, exactly, mean the executable at path, so that a
// graph can use the servers built into it without its being installed.
func WithSelf(name, path string) Option {
	return func(o *options) { o.self = selfCommand{name: name, path: path} }
}

const messageMost = 64 << 20 // bytes of one message of a server

// settings are the limits of one server, defaults filled in.
type settings struct {
	callTimeout  time.Duration
	startTimeout time.Duration
	maxInFlight  int
	protocol     config.Protocol
	allowPrivate bool
	maxMessage   int

	namesLoopback bool                        // see config.Upstream.NamesLoopback
	resolver      *net.Resolver               // nil: the system's; tests bring another
	connected     func(host, to string) error // nil; tests see and refuse connections with it
}

// settingsOf returns the limits of a server's entry; a limit that is zero has its default.
func settingsOf(u *config.Upstream) settings {
	return settings{
		callTimeout:  cmp.Or(u.Timeout, config.DefaultTimeout),
		startTimeout: cmp.Or(u.StartTimeout, config.DefaultStartTimeout),
		maxInFlight:  cmp.Or(u.MaxInFlight, config.DefaultMaxInFlight),
		protocol:     cmp.Or(u.Protocol, config.ProtocolAuto),
		allowPrivate: u.AllowPrivate, namesLoopback: u.NamesLoopback, maxMessage: messageMost,
	}
}

// About is what a server says of itself in its handshake, secrets redacted; fields that
// it leaves out are empty.
type About struct {
	Name, Title, Version, Instructions string
	Protocol                           string // the version that is spoken with it
}

// About is what a server says of itself. It is started when it does not run. The error
// is an *Error.
func (p *Pool) About(ctx context.Context, server string) (About, error) {
	u, err := p.find(server)
	if err != nil {
		return About{}, err
	}
	s, err := u.session(ctx)
	if err != nil {
		return About{}, err
	}
	return s.about, nil
}

// aboutOf keeps what a handshake has told.
func (s *session) aboutOf(said *mcp.InitializeResult) About {
	return About{
		Name: s.note.redact(said.ServerInfo.Name), Title: s.note.redact(said.ServerInfo.Title),
		Version: s.note.redact(said.ServerInfo.Version), Instructions: s.note.redact(said.Instructions),
	}
}

// Shared lends pools to the users of a graph file that may change. As long as the file
// defines the same servers, all users get the same pool, and the servers keep running. A
// pool is closed when its last user is done and another pool has taken its place. The
// zero value is ready for use. Safe for concurrent use.
type Shared struct {
	mu      sync.Mutex // guards the fields below
	current *lent      // nil: no pool was lent yet, or Close was called
	open    map[*lent]bool
	closing sync.WaitGroup
}

// lent is a pool and how many use it; Shared itself is one user of the current pool.
type lent struct {
	pool    *Pool
	servers []*config.Upstream
	variant string
	users   int
}

// Lease returns the pool for these servers, and done to give it back; done may be called
// more than once. The current pool is lent when its servers are defined alike and variant,
// which stands for other options of a pool, is the same; otherwise start makes a new one.
func (s *Shared) Lease(servers []*config.Upstream, variant string, start func() *Pool) (pool *Pool, done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil || s.current.variant != variant || !config.SameServers(s.current.servers, servers) {
		old := s.current
		s.current = &lent{pool: start(), servers: servers, variant: variant, users: 1}
		if s.open == nil {
			s.open = map[*lent]bool{}
		}
		s.open[s.current] = true
		if old != nil {
			s.leave(old)
		}
	}
	l := s.current
	l.users++
	return l.pool, sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.leave(l)
	})
}

// Current returns the pool that was lent last, nil when there is none.
func (s *Shared) Current() *Pool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil {
		return nil
	}
	return s.current.pool
}

// leave ends one use of a pool; s.mu is held.
func (s *Shared) leave(l *lent) {
	if l.users--; l.users == 0 {
		s.end(l)
	}
}

// end closes a pool in the background, once; s.mu is held.
func (s *Shared) end(l *lent) {
	if s.open[l] {
		delete(s.open, l)
		s.closing.Go(func() { _ = l.pool.Close() }) // which always returns nil
	}
}

// Close closes all pools, also those in use, and returns when their servers have ended.
func (s *Shared) Close() {
	s.mu.Lock()
	s.current = nil
	for l := range s.open {
		s.end(l)
	}
	s.mu.Unlock()
	s.closing.Wait()
}
