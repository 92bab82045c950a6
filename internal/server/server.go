package server

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// Server answers MCP clients for a set of tools. Safe for concurrent use; one
// Server can serve many connections.
type Server struct {
	opts    Options
	tools   atomic.Pointer[catalog]
	library *server.MCPServer // the handshakes, and all methods but our own
	runs    atomic.Int64      // runs in flight

	hide     func(string) string // hides secrets; nil when there are none
	identity []byte              // what a modern result says about us: resultType and _meta

	mu    sync.Mutex // guards conns
	conns map[*conn]struct{}
}

// New makes a server of tools. The error is config.Diagnostics when a
// schema cannot be used.
func New(opts Options) (*Server, error) {
	if opts.Info.Name == "" {
		return nil, errors.New("a server needs a name")
	}
	tools, err := newCatalog(opts.Tools)
	if err != nil {
		return nil, err
	}
	s := &Server{opts: opts.withDefaults(), conns: map[*conn]struct{}{}}
	s.tools.Store(tools)
	if opts.Secrets != nil {
		s.hide = opts.Secrets.Redact
	}
	info := s.opts.Info
	s.library = server.NewMCPServer(info.Name, info.Version,
		server.WithToolCapabilities(true), server.WithTitle(info.Title), server.WithInstructions(info.Instructions))
	s.identity = identity(info)
	return s, nil
}

// identity is the tail of every modern result; see the protocol's 2026-07-28
// revision, "basic/index#results".
func identity(info Info) []byte {
	dst := []byte(`"resultType":"` + string(mcp.ResultTypeComplete) + `","_meta":{"` + mcp.MetaKeyServerInfo + `":{"name":`)
	dst = appendString(dst, info.Name)
	dst = appendString(append(dst, `,"version":`...), info.Version)
	if info.Title != "" {
		dst = appendString(append(dst, `,"title":`...), info.Title)
	}
	return append(dst, "}}"...)
}

// Replace offers other tools from now on and tells the clients that their list has
// changed. Calls in flight keep their tool. On an error nothing changes.
func (s *Server) Replace(tools []Tool) error {
	fresh, err := newCatalog(tools)
	if err != nil {
		return err
	}
	s.tools.Store(fresh)
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		go c.toolsChanged() // a client that does not read must not hold up the others
	}
	return nil
}

func (s *Server) add(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conns[c] = struct{}{}
}

func (s *Server) remove(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
}

// redact hides secrets in text that leaves us.
func (s *Server) redact(text string) string {
	if s.hide == nil {
		return text
	}
	return s.hide(text)
}
