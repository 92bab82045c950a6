package server

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"toolgraph/config"
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
