package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"toolgraph/expressions/schema"
	"toolgraph/expressions/value"
)

// offer is a tool of a listing with what a call of it needs, made at its first call.
type offer struct {
	Tool           // the first of its name, which is the one that is used
	ambiguous bool // the list has another definition of this name

	once     sync.Once
	schema   *schema.Schema // nil: arguments are not checked
	mirrored *mcp.Tool      // nil: no argument is mirrored into HTTP headers
	unusable error          // why it must not be called over HTTP
	tooLarge error          // why it must not be called at all

	checked sync.Once
	refused *Error // what the check of tools has against it
}

// ready compiles the schema, once.
func (o *offer) ready(note notes) *offer {
	o.once.Do(func() {
		if o.InputSchema == nil {
			return
		}
		var err error
		var size *schema.SizeError
		if o.schema, err = schema.Compile(o.InputSchema); errors.As(err, &size) {
			o.tooLarge = err
			return
		}
		if err != nil {
			note.uncheckable(o.Name, err)
		}
		if bytes.Contains(o.InputSchema, []byte(`"x-mcp-header"`)) {
			o.mirrored = &mcp.Tool{Name: o.Name, RawInputSchema: o.InputSchema}
			o.unusable = mcp.ValidateParamHeaderAnnotations(o.mirrored)
		}
	})
	return o
}

// mirror adds the headers in which the modern era mirrors arguments.
func (o *offer) mirror(h http.Header, params json.RawMessage) {
	if o == nil || o.mirrored == nil {
		return
	}
	for name, value := range mcp.GenerateParamHeaders(o.mirrored, params) {
		h.Set(name, value)
	}
}

// Some servers add tools for a moment after their start, and tell so: until then, a
// tool that is missing is waited for.
const (
	startsUp      = time.Second
	startsUpPause = 100 * time.Millisecond
)

// vet is the offer behind a call, nil when nothing is known of it, or why the call
// must not be sent. Only a fresh listing refuses.
func (u *upstream) vet(ctx context.Context, s *session, tool string, args value.Value) (*offer, *Error) {
	now := u.opts.clock.now
	l := u.offered(ctx, s)
	if u.outOfCheck(l) {
		s.tools.outdated(l)
		l = u.offered(ctx, s)
	}
	o, fail := u.judge(ctx, s, l, tool, args)
	if fail != nil && ctx.Err() == nil && !l.fresh(now()) {
		s.tools.outdated(l)
		l = u.offered(ctx, s)
		o, fail = u.judge(ctx, s, l, tool, args)
	}
	for fail != nil && fail.Code == CodeUnknownTool && s.tellsChanges && now().Sub(s.since) < startsUp {
		select {
		case <-u.opts.clock.after(startsUpPause):
		case <-ctx.Done():
			return nil, fail
		}
		s.tools.outdated(l)
		l = u.offered(ctx, s)
		o, fail = u.judge(ctx, s, l, tool, args)
	}
	return o, fail
}

func (u *upstream) judge(ctx context.Context, s *session, l *listing, tool string, args value.Value) (*offer, *Error) {
	if l.byName == nil {
		return nil, u.unchecked()
	}
	o := l.byName[tool]
	if o == nil {
		return nil, u.noSuchTool(tool, l.names)
	}
	if fail := u.refusal(o); fail != nil {
		return nil, fail
	}
	o.ready(s.note)
	if o.tooLarge != nil {
		e := u.fault(CodeBadSchema, "cannot be called, because its inputSchema cannot be used: "+s.note.shown(o.tooLarge.Error(), 300))
		e.Err = errRefused
		return nil, e
	}
	if o.unusable != nil && s.overModernHTTP() {
		e := u.fault(CodeBadResult, "offers the tool with headers that the protocol forbids, so it cannot be called: "+
			s.note.shown(o.unusable.Error(), 300))
		return nil, e
	}
	if o.schema == nil {
		return o, nil
	}
	if args == nil {
		args = noArguments
	}
	found, err := o.schema.Check(ctx, args)
	if err != nil {
		e := u.fault(CodeBadSchema, "not called, because the arguments cannot be validated against the inputSchema of the tool: "+err.Error())
		e.Err = errors.Join(errRefused, err)
		return nil, e
	}
	if len(found) == 0 {
		return o, nil
	}
	e := u.fault(CodeInvalidArguments, "not called, because its inputSchema does not allow the arguments: "+s.note.redact(found.Text("arguments")))
	e.Err = errRefused
	return nil, e
}

// errRefused marks a call of which nothing was sent because it could not succeed.
var errRefused = errors.New("the call was not sent")

var noArguments = map[string]any{}

// noSuchTool is the error that tells which tool may have been meant.
func (u *upstream) noSuchTool(tool string, names []string) *Error {
	e := u.fault(CodeUnknownTool, fmt.Sprintf("has no such tool, expected one of its %d", len(names)))
	e.Hint = suggest(tool, names)
	e.Err = errRefused
	return e
}

// ToolCheck looks at a tool as its server tells it, and returns why it must not be
// called, or nil. The error needs a code and a message. Safe for concurrent use.
type ToolCheck func(server string, tool Tool) *Error

// WithToolCheck has every tool checked before it is called: at its first call on each
// connection, and again when its server has told that its tools changed. What the check
// refuses is not sent, and neither is a call to a server that does not list its tools.
func WithToolCheck(check ToolCheck) Option { return func(o *options) { o.check = check } }

// checkLasts is how long the list of a remote server counts under a check: it may be
// another program by now, which no connection tells.
const checkLasts = time.Minute

// outOfCheck reports whether a list is too old to say that a tool passes the check.
func (u *upstream) outOfCheck(l *listing) bool {
	return u.opts.check != nil && !isLocal(u.conf) && l.byName != nil && u.opts.clock.now().Sub(l.at) > checkLasts
}

// refusal is what the check has against a tool, nil when it may be called.
func (u *upstream) refusal(o *offer) *Error {
	if u.opts.check == nil {
		return nil
	}
	o.checked.Do(func() {
		found := u.opts.check(u.conf.Name.Value, o.Tool)
		if found == nil && o.ambiguous {
			found = &Error{
				Code: CodeListedTwice, Hint: "have the server list the tool once",
				Message: "not called, because the server lists it twice with different definitions, and nothing says which of them a call runs",
			}
		}
		if found == nil {
			return
		}
		e := *found
		e.Server, e.Err = u.conf.Name.Value, errRefused
		o.refused = &e
		u.opts.logger.Warn("a tool of an upstream is refused",
			"server", e.Server, "tool", presentable(o.Name, 200), "code", e.Code)
	})
	return o.refused
}

// unchecked is why a server that does not list its tools may not be called: nil where
// no check wants to see them.
func (u *upstream) unchecked() *Error {
	if u.opts.check == nil {
		return nil
	}
	e := u.fault(CodeNotListed, "not called, because the server has not told its tools, which must be compared with what is expected first")
	e.Err = errRefused
	return e
}
