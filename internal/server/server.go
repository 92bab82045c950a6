package server

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"toolgraph/config"
	"toolgraph/expressions/schema"
	"toolgraph/expressions/value"
)

// Server answers MCP clients for a set of tools. Safe for concurrent use; one
// Server can serve many connections.
type Server struct {
	opts    Options
	tools   atomic.Pointer[catalog]
	library *server.MCPServer // the handshakes, and all methods but our own
	runs    atomic.Int64      // runs in flight, but for those that wait
	waiting atomic.Int64      // runs that wait for an answer of their user

	identity []byte // the end of a modern result: resultType and self
	self     []byte // what it says about us, its _meta
	talks    talks

	mu        sync.Mutex // guards listeners
	listeners map[listener]struct{}
}

// listener is a client that may want to know that the tools have changed.
type listener interface{ toolsChanged() }

// New makes a server of tools. The error is config.Diagnostics when a
// schema cannot be used.
func New(opts Options) (*Server, error) {
	if opts.Info.Name == "" {
		return nil, errors.New("a server needs a name")
	}
	tools, err := newCatalog(opts.Tools, opts.Secrets)
	if err != nil {
		return nil, err
	}
	s := &Server{opts: opts.withDefaults(), listeners: map[listener]struct{}{}}
	s.talks = talks{patience: defaultPatience, waiting: map[string]*waitingTalk{}}
	s.tools.Store(tools)
	info := s.opts.Info
	able := []server.ServerOption{
		server.WithToolCapabilities(true), server.WithLogging(), server.WithTitle(info.Title), server.WithInstructions(info.Instructions),
	}
	if opts.Resources != nil {
		able = append(able, server.WithResourceCapabilities(false, false))
	}
	s.library = server.NewMCPServer(info.Name, info.Version, able...)
	s.self = introduction(info)
	s.identity = append([]byte(`"resultType":"`+string(mcp.ResultTypeComplete)+`",`), s.self...)
	return s, nil
}

// introduction is in every modern result; see the protocol's 2026-07-28 revision,
// "basic/index#results".
func introduction(info Info) []byte {
	dst := []byte(`"_meta":{"` + mcp.MetaKeyServerInfo + `":{"name":`)
	dst = value.AppendString(dst, info.Name)
	dst = value.AppendString(append(dst, `,"version":`...), info.Version)
	if info.Title != "" {
		dst = value.AppendString(append(dst, `,"title":`...), info.Title)
	}
	return append(dst, "}}"...)
}

// Replace offers other tools from now on, with the secrets that their results must
// not show, and tells the clients that their list has changed. Calls in flight keep
// their tool and their secrets; the channel is closed when the last of them has ended.
// On an error nothing changes.
func (s *Server) Replace(tools []Tool, secrets *config.Secrets) (ended <-chan struct{}, err error) {
	fresh, err := newCatalog(tools, secrets)
	if err != nil {
		return nil, err
	}
	old := s.tools.Swap(fresh)
	s.mu.Lock()
	for l := range s.listeners {
		go l.toolsChanged() // a client that does not read must not hold up the others
	}
	s.mu.Unlock()
	old.release()
	return old.ended, nil
}

// current is the catalog of now, kept until the caller releases it.
func (s *Server) current() *catalog {
	for {
		if c := s.tools.Load(); c.acquire() {
			return c
		}
	}
}

func (s *Server) add(l listener) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listeners[l] = struct{}{}
}

func (s *Server) remove(l listener) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.listeners, l)
}

// redact hides secrets in text that leaves us.
func (s *Server) redact(text string) string { return s.tools.Load().secrets.Redact(text) }

// Tool is one tool as the server offers it.
type Tool struct {
	Def   *config.Tool // name, texts, schemas and annotations
	Run   Run
	Calls []Upstream // the tools that it calls, to derive annotations from

	// The schemas of Def, where Run validates by them, as an engine does. With a nil Input
	// the server compiles the schemas and validates.
	Input, Output *schema.Schema
}

// Upstream is a tool of another server.
type Upstream struct{ Server, Tool string }

// Run makes one run of a tool and is its value. The error's text is for people and
// complete. The functions of watch that are not nil are called as the run goes on.
type Run func(ctx context.Context, args value.Value, watch Watch) (value.Value, error)

// Info is what we say about ourselves.
type Info struct {
	Name, Version, Title, Instructions string
}

// Hints are what a tool says about its effects; nil is unknown.
type Hints struct {
	ReadOnly    *bool `json:"readOnlyHint,omitempty"`
	Destructive *bool `json:"destructiveHint,omitempty"`
	Idempotent  *bool `json:"idempotentHint,omitempty"`
	OpenWorld   *bool `json:"openWorldHint,omitempty"`
}

// Options of New. Only Info.Name is required.
type Options struct {
	Info  Info
	Tools []Tool // in the order in which they are listed

	Resources Resources // nil: there are none

	Logger  *slog.Logger    // nil: nothing is logged
	Secrets *config.Secrets // nil: nothing is redacted

	// ToolHints tells what is known of an upstream tool without starting its server.
	// It is asked at each tools/list, for tools without annotations of their own.
	ToolHints func(server, tool string) (Hints, bool)

	MaxRuns      int           // runs at once, over all connections; default 1024
	MaxLineBytes int           // a client's line; default 16 MiB
	Grace        time.Duration // how long calls in flight go on after the input's end; default 30 s
	WindDown     time.Duration // how long calls may go on that were cancelled because ServeStdio ends; default 2 s
	Stall        time.Duration // how long a client may leave a full output unread; default 30 s
}

// The defaults of Options.
const (
	defaultMaxRuns      = 1024
	defaultMaxLineBytes = 16 << 20
	defaultGrace        = 30 * time.Second
	defaultStall        = 30 * time.Second
)

func (o Options) withDefaults() Options {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.MaxRuns = positive(o.MaxRuns, defaultMaxRuns)
	o.MaxLineBytes = positive(o.MaxLineBytes, defaultMaxLineBytes)
	o.Grace = positive(o.Grace, defaultGrace)
	o.WindDown = positive(o.WindDown, windDown)
	o.Stall = positive(o.Stall, defaultStall)
	return o
}

// positive is n, or the default for a number that is not positive.
func positive[N int | time.Duration](n, otherwise N) N {
	if n > 0 {
		return n
	}
	return otherwise
}
