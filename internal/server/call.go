package server

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"runtime/debug"

	"toolgraph/expressions"
)

// call is one tools/call, taken apart.
type call struct {
	tool      *tool
	arguments []byte // nil: none given
	modern    bool
	observe   func(nodeID string, index int) // nil: nobody asked for progress
}

// emptyArguments stand for arguments that were left out.
var emptyArguments = []byte("{}")

// newCall finds the tool and refuses what is no call at all; that is the client's
// fault and never reaches a model. Arguments that do not fit are another matter.
func (s *Server) newCall(m *message) (*call, *rpcError) {
	if m.name == nil || m.name[0] != '"' {
		return nil, &rpcError{codeInvalidParams, "name: expected the name of a tool, a string, got " + describeRaw(m.name)}
	}
	name := text(m.name)
	t, hint := s.tools.Load().find(name)
	if t == nil {
		return nil, &rpcError{codeInvalidParams, "unknown tool " + quoted(name) + hint}
	}
	c := &call{tool: t, arguments: emptyArguments}
	switch {
	case m.requestState != nil || m.inputResponses != nil:
		return nil, &rpcError{codeInvalidParams, "requestState: this server has not asked for more input, so there is nothing to go on with"}
	case m.arguments != nil && m.arguments[0] != '{':
		return nil, &rpcError{codeInvalidParams, "arguments: expected an object, got " + describeRaw(m.arguments)}
	case m.depth > maxArgumentsDepth:
		return nil, &rpcError{codeInvalidParams, fmt.Sprintf("arguments: nested %d levels deep, at most %d are allowed", m.depth, maxArgumentsDepth)}
	case m.arguments != nil:
		c.arguments = m.arguments
	}
	return c, nil
}

// answer runs a call and appends the whole answer line. It never panics.
func (s *Server) answer(ctx context.Context, c *call, dst, id []byte) (line []byte) {
	mark := len(dst)
	defer func() {
		if p := recover(); p != nil {
			line = s.appendFailure(dst[:mark], id, s.internalError(c, p), c.modern)
		}
	}()
	args, err := expressions.Decode(c.arguments)
	if err != nil {
		return s.appendFailure(dst, id, "invalid arguments: "+err.Error(), c.modern)
	}
	if err := c.tool.checkArguments(args); err != nil {
		return s.appendFailure(dst, id, err.Error(), c.modern)
	}
	value, err := c.tool.run(ctx, args, c.observe)
	if err != nil {
		return s.appendFailure(dst, id, err.Error(), c.modern)
	}
	if err := c.tool.checkResult(value); err != nil {
		return s.appendFailure(dst, id, err.Error(), c.modern)
	}
	return s.appendValue(dst, id, c, value)
}

// internalError logs a fault of ours and is what the client may know of it.
func (s *Server) internalError(c *call, p any) string {
	var raw [6]byte
	_, _ = rand.Read(raw[:]) // never fails, see crypto/rand
	id := hex.EncodeToString(raw[:])
	s.opts.Logger.Error("a call panicked", "id", id, "tool", c.tool.name,
		"panic", s.redact(fmt.Sprint(p)), "stack", s.redact(string(debug.Stack())))
	return "internal error, id " + id + "; the server's log tells more"
}

// busy is the answer when there are too many runs already.
func (s *Server) busy() string {
	return fmt.Sprintf("busy: %d runs are in flight, which is the limit; call again when some have ended", s.opts.MaxRuns)
}

// reserve takes a place among the runs, and reports whether there was one.
func (s *Server) reserve() bool {
	if s.runs.Add(1) > int64(s.opts.MaxRuns) {
		s.runs.Add(-1)
		return false
	}
	return true
}

func (s *Server) release() { s.runs.Add(-1) }
