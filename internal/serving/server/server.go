package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	library *server.MCPServer // the handshakes, and the methods that this package does not answer
	runs    atomic.Int64      // runs in flight, without those in waiting
	waiting atomic.Int64      // runs that wait for an answer of the user

	identity []byte // the end of a modern result: resultType and self
	self     []byte // its _meta, which names this server
	pending  pendingRuns

	hasPrompts bool // of servers, or of tools when it was made

	mu        sync.Mutex         // guards what follows
	going     map[string]goingOn // by the ids of runs
	listeners map[listener]struct{}
	endpoints map[*endpoint]struct{}
}

// listener is a client that may have subscribed to changes of lists.
type listener interface{ changed(lists Lists) }

// New creates a server. The error is config.Diagnostics when a schema is invalid.
func New(opts Options) (*Server, error) {
	if opts.Info.Name == "" {
		return nil, errors.New("the server has no name; set Options.Info.Name")
	}
	tools, err := newCatalog(opts.Tools, opts.Secrets)
	if err != nil {
		return nil, err
	}
	s := &Server{opts: opts.withDefaults(), going: map[string]goingOn{}, listeners: map[listener]struct{}{}, endpoints: map[*endpoint]struct{}{}}
	s.pending = pendingRuns{patience: defaultPatience, waiting: map[string]*pendingRun{}}
	s.tools.Store(tools)
	info := s.opts.Info
	able := []server.ServerOption{
		server.WithToolCapabilities(true), server.WithLogging(), server.WithTitle(info.Title), server.WithInstructions(info.Instructions),
	}
	if info.Icons != nil {
		icons, err := iconsOf(info.Icons)
		if err != nil {
			return nil, err
		}
		able = append(able, server.WithIcons(icons...))
	}
	if opts.Resources != nil {
		able = append(able, server.WithResourceCapabilities(false, opts.ResourcesChange))
	}
	if s.hasPrompts = opts.Prompts != nil || len(tools.prompts) > 0; s.hasPrompts {
		able = append(able, server.WithPromptCapabilities(true))
	}
	if opts.Complete != nil {
		able = append(able, server.WithCompletions())
	}
	s.library = server.NewMCPServer(info.Name, info.Version, able...)
	s.self = introduction(info)
	s.identity = append([]byte(`"resultType":"`+string(mcp.ResultTypeComplete)+`",`), s.self...)
	return s, nil
}

// iconsOf returns icons for the handshakes; other messages do not repeat them.
func iconsOf(data *config.Data) (icons []mcp.Icon, err error) {
	if err = json.Unmarshal(data.JSON(), &icons); err != nil {
		return nil, fmt.Errorf("%s: invalid icons: %w", data.Pos, err)
	}
	return icons, nil
}

// introduction is part of every modern result; see the protocol's 2026-07-28 revision,
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

// Replace replaces the tools, and the secrets to redact in their results, and notifies the
// clients. Calls in flight continue with the tool and the secrets that they started with;
// the channel is closed when the last of them has ended. On an error nothing changes. Safe
// for concurrent use.
func (s *Server) Replace(tools []Tool, secrets *config.Secrets) (ended <-chan struct{}, err error) {
	fresh, err := newCatalog(tools, secrets)
	if err != nil {
		return nil, err
	}
	old := s.tools.Swap(fresh)
	s.Changed(ToolsList)
	old.release()
	return old.ended, nil
}

// current returns the current catalog, which the caller must release.
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

// serveAt makes an endpoint one that gets messages of other processes, until it ends.
func (s *Server) serveAt(e *endpoint) (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endpoints[e] = struct{}{}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.endpoints, e)
	}
}

// redact hides secrets in text for a client.
func (s *Server) redact(text string) string { return s.tools.Load().secrets.Redact(text) }

// Tool is one tool of the server.
type Tool struct {
	Def   *config.Tool // name, texts, schemas and annotations
	Run   Run
	Calls []Upstream // the tools that it calls, to derive annotations from
	View  string     // the URI of App, when that shows its results; "": nothing does

	// Prompt makes the runs of the tool as a prompt, whose arguments are an object of texts; nil: it is none. A tool whose
	// Def is hidden is a prompt only.
	Prompt Run

	// The compiled schemas of Def, when Run validates with them, as an engine does. With a
	// nil Input the server compiles the schemas and validates.
	Input, Output *schema.Schema

	// InputJSON and OutputJSON are JSON objects that clients see in place of the schemas: those of a tool of another
	// server, as it gives them. nil: the schemas.
	InputJSON, OutputJSON []byte
}

// Upstream is a tool of another server that a tool calls.
type Upstream struct {
	Server, Tool string
	Effect       config.Effect // of the call, as the author says; empty: the hints of the tool say it
}

// Run executes a tool once. The client gets the text of the error as it is, or instead of it the
// Value of the answer when that has one; the Usage of the answer counts with an error, too. Run calls the functions of watch that are not nil. Several
// goroutines call Run at once.
type Run func(ctx context.Context, args value.Value, watch Watch) (Answer, error)

// Info describes the server to its clients.
type Info struct {
	Name, Version, Title, Instructions string

	Icons *config.Data // a list, as graph files have it; nil: none
}

// Hints are the annotations of a tool about its effects; nil is unknown.
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

	Resources Resources // nil: the server has no resources
	Prompts   Prompts   // nil: the server has no prompts
	Complete  Complete  // nil: the server completes nothing
	Observer  Observer  // nil: nothing observes requests
	Fleet     Fleet     // nil: no other process serves the same clients
	Tasks     Tasks     // nil: no run becomes a task
	App       *App      // nil: results have no view

	Logger  *slog.Logger    // nil: nothing is logged
	Secrets *config.Secrets // nil: nothing is redacted

	// ResourcesChange says that changes of the list of resources are notified: see Changed.
	ResourcesChange bool

	// ToolHints returns the known hints of an upstream tool, without starting its server. It
	// is called for each tools/list, for tools without annotations of their own.
	ToolHints func(server, tool string) (Hints, bool)

	Parks        bool          // a run that waits for an answer may end with an AwayError, and go on with a Continued
	MaxRuns      int           // runs at once, over all connections; default 1024
	MaxLineBytes int           // length of a message; default 16 MiB
	Grace        time.Duration // how long calls in flight may continue after the end of the input; default 30 s
	WindDown     time.Duration // how long cancelled calls may take to end when ServeStdio ends; default 2 s
	Stall        time.Duration // how long a client may leave a full output unread; default 30 s
	TaskAfter    time.Duration // how long a call takes before its run becomes a task, if its client takes tasks; default 5 s
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
	o.TaskAfter = positive(o.TaskAfter, config.DefaultTaskAfter)
	return o
}

// positive is n, or the default for a number that is not positive.
func positive[N int | time.Duration](n, otherwise N) N {
	if n > 0 {
		return n
	}
	return otherwise
}
