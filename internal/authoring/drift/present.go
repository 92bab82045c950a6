package drift

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/internal/authoring/graphtest"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/project/lock"
	"toolgraph/mcpclient"
)

// present is what is known of a call now.
type present struct {
	made     bool        // it was made; otherwise only its definition counts
	one, two value.Value // its answers; equal when the second was not needed
	err      error       // its failure, twice
	def      definition
}

// answer returns the present answer in place of a recorded one; false when there is none.
func (p *present) answer(m *made) (v value.Value, err error, changed bool) {
	switch _, gap := journal.GapOf(m.value); {
	case gap || p == nil:
		return m.value, m.err, false
	case !p.made && m.err == nil:
		v := p.def.declared(m.value)
		return v, nil, !value.Same(v, m.value)
	case !p.made:
		return m.value, m.err, false
	case p.err != nil:
		return nil, p.err, m.err == nil
	case m.err != nil:
		return p.one, nil, true //nolint:nilerr // the failure was recorded; now there is an answer
	}
	v = settle(m.value, p.one, p.two)
	return v, nil, !value.Same(v, m.value)
}

// definitionOf returns the tool of a call; why is not empty when it has none.
func (s *Servers) definitionOf(call *execution.Call) (d definition, why string) {
	d.lock, d.locked = s.Lock.Entry(call.Server, call.Tool)
	tools := s.Listed[call.Server]
	names := make([]string, len(tools))
	for i, t := range tools {
		if names[i] = t.Name; t.Name == call.Tool {
			d.tool = t
			return d, ""
		}
	}
	return d, "the server does not list it any more" + wording.Suggest(call.Tool, names)
}

// ask makes a call that only reads: again, when its answer differs from the recorded one. The error is that of a server
// that cannot be reached, or of a limit.
func (c *Comparison) ask(ctx context.Context, e *Episode, m *made, p *present) error {
	effect := lock.HintsOf(p.def.tool.Annotations).Effect()
	ctx = mcpclient.WithCallCheck(ctx, func(_ string, tool mcpclient.Tool) *mcpclient.Error {
		if lock.HintsOf(tool.Annotations).Effect() == effect {
			return nil
		}
		return &mcpclient.Error{Code: lock.CodeChanged, Message: "not called, because what it does has changed while it was compared"}
	})
	once := func() (value.Value, error) {
		call := m.call
		if call.Meta = nil; e.Fill != nil {
			call.Args = e.Fill(call.Args)
		}
		c.report.Calls++
		v, err := c.servers.Caller.CallTool(ctx, call)
		if err != nil {
			return nil, err
		}
		if e.Empty != nil {
			v = e.Empty(v)
		}
		c.bytes += value.Size(v)
		return redacted(c.servers.File.Secrets, v), nil
	}
	var failure error
	for i := range 2 {
		if c.report.Calls >= c.limits.Calls || c.bytes > c.limits.Bytes {
			return errLimit
		}
		v, err := once()
		switch {
		case err != nil && !graphtest.IsAnswer(err):
			return err
		case err != nil:
			failure = err
			continue
		case p.made:
			p.two = v
			return nil
		}
		p.made, p.one, p.two = true, v, v
		if i == 0 && m.err == nil && value.Same(v, m.value) {
			return nil
		}
	}
	if !p.made {
		p.made, p.err = true, failure
	}
	return nil
}

// limitError is that no further call may be made.
type limitError struct{}

func (limitError) Error() string {
	return "the limit of calls or of bytes is reached; raise --max-calls"
}

var errLimit = limitError{}

// redacted returns a value without secrets, as it is recorded.
func redacted(secrets *config.Secrets, v value.Value) value.Value {
	if secrets.Len() == 0 || v == nil {
		return v
	}
	src, err := value.Encode(v)
	if err == nil {
		v, err = value.Decode(secrets.RedactJSON(src))
	}
	if err != nil {
		return "[redacted]"
	}
	return v
}

// lacking returns why a call with recorded arguments cannot be made again; empty when it can.
func lacking(args value.Value) string {
	src, err := value.Encode(args)
	switch {
	case err != nil:
		return "its arguments cannot be encoded"
	case strings.Contains(string(src), "[redacted]"):
		return "its arguments have a secret, which is not recorded"
	case strings.Contains(string(src), "{temp}"):
		return "its arguments have a temporary directory"
	}
	return ""
}

// unreachable notes a server that gives no answer.
func (c *Comparison) unreachable(server, why string) {
	if slices.ContainsFunc(c.report.Unreachable, func(u Unreachable) bool { return u.Server == server }) {
		return
	}
	c.report.Unreachable = append(c.report.Unreachable, Unreachable{Server: server, Why: wording.OneLine(c.servers.File.Secrets.Redact(why))})
}

// uncompared notes a call that was compared by its definition alone, or not at all.
func (c *Comparison) uncompared(m *made, why string) {
	c.report.notCalled(fmt.Sprintf("%s.%s", m.call.Server, m.call.Tool), why)
}
