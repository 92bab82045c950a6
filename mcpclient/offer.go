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

// offer is a tool of a listing, prepared at its first call.
type offer struct {
	Tool           // the first of its name, which is the one that is used
	ambiguous bool // the list has another definition of this name

	once     sync.Once
	schema   *schema.Schema // nil: arguments are not checked
	mirrored *mcp.Tool      // nil: no argument is mirrored into HTTP headers
	unusable error          // why it must not be called over HTTP
	tooLarge error          // why it must not be called at all

	checked sync.Once
	refused *Error // of the check of tools
}

// prepare compiles the schema, once.
func (o *offer) prepare(note notes) {
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
}

// mirror adds the headers in which the modern era mirrors arguments. o may be nil.
func (o *offer) mirror(h http.Header, params json.RawMessage) {
	if o == nil || o.mirrored == nil {
		return
	}
	for name, value := range mcp.GenerateParamHeaders(o.mirrored, params) {
		h.Set(name, value)
	}
}

// Some servers add tools for a moment after their start, and send a notification: until
// then, calls wait for a missing tool.
const (
	startsUp      = time.Second
	startsUpPause = 100 * time.Millisecond
)

// vet returns the offer of a call, nil when it is unknown, or why the call must not be
// sent. Only a fresh listing refuses.
func (u *upstream) vet(ctx context.Context, s *session, tool string, args value.Value) (*offer, *Error) {
	now := u.opts.clock.now
	l := u.offered(ctx, s)
	relist := func() {
		s.tools.outdated(l)
		l = u.offered(ctx, s)
	}
	if u.outOfCheck(l) {
		relist()
	}
	o, fail := u.judge(ctx, s, l, tool, args)
	if fail != nil && ctx.Err() == nil && !l.fresh(now()) {
		relist()
		o, fail = u.judge(ctx, s, l, tool, args)
	}
	for fail != nil && fail.Code == CodeUnknownTool && s.notifiesChanges && now().Sub(s.since) < startsUp {
		select {
		case <-u.opts.clock.after(startsUpPause):
		case <-ctx.Done():
			return nil, fail
		}
		relist()
		o, fail = u.judge(ctx, s, l, tool, args)
	}
	return o, fail
}

func (u *upstream) judge(ctx context.Context, s *session, l *listing, tool string, args value.Value) (*offer, *Error) {
	if l.byName == nil {
		if u.opts.check == nil {
			return nil, nil
		}
		return nil, refusal(CodeNotListed, "because the server has not listed its tools, which must be checked first")
	}
	o := l.byName[tool]
	if o == nil {
		return nil, noSuchTool(tool, l.names)
	}
	if fail := u.check(o); fail != nil {
		return nil, fail
	}
	o.prepare(s.note)
	switch {
	case o.tooLarge != nil:
		return nil, refusal(CodeBadSchema, "because the inputSchema of the tool cannot be used: "+s.note.shown(o.tooLarge.Error(), 300))
	case o.unusable != nil && s.overModernHTTP():
		return nil, refusal(CodeBadResult, "because the server offers the tool with headers that the protocol forbids: "+s.note.shown(o.unusable.Error(), 300))
	case o.schema == nil:
		return o, nil
	case args == nil:
		args = noArguments
	}
	found, err := o.schema.Check(ctx, args)
	if err != nil && ctx.Err() != nil {
		return nil, cancelled(ctx, "the arguments were validated")
	}
	if err != nil {
		e := refusal(CodeBadSchema, "because the arguments cannot be validated against the inputSchema of the tool: "+err.Error())
		e.Err = errors.Join(errRefused, err)
		return nil, e
	}
	if len(found) > 0 {
		return nil, refusal(CodeInvalidArguments, "because its inputSchema does not allow the arguments: "+s.note.redact(found.Text("arguments")))
	}
	return o, nil
}

// errRefused marks a call of which nothing was sent because it could not succeed.
var errRefused = errors.New("the call was not sent")

var noArguments = map[string]any{}

// refusal returns the error of a call that is not sent.
func refusal(code, why string) *Error {
	return &Error{Code: code, Message: "not called, " + why, Err: errRefused}
}

// noSuchTool returns the error that names the tool that may have been meant.
func noSuchTool(tool string, names []string) *Error {
	message := fmt.Sprintf("has no such tool, expected one of its %d", len(names))
	return &Error{Code: CodeUnknownTool, Message: message, Hint: suggest(tool, names), Err: errRefused}
}

// ToolCheck checks a tool as its server lists it, and returns why it must not be called,
// or nil. The error needs a code and a message. Safe for concurrent use.
type ToolCheck func(server string, tool Tool) *Error

// WithToolCheck has every tool checked before it is called: at its first call on each
// connection, and again when its server has notified a change of its tools. A refused call
// is not sent, and neither is a call to a server that does not list its tools.
func WithToolCheck(check ToolCheck) Option { return func(o *options) { o.check = check } }

// checkLasts is how long the list of a remote server counts under a check: another program
// may serve the address by then, and the connection does not show that.
const checkLasts = time.Minute

// outOfCheck reports whether a list is too old to prove that a tool passes the check.
func (u *upstream) outOfCheck(l *listing) bool {
	return u.opts.check != nil && !u.conf.isLocal() && l.byName != nil && u.opts.clock.now().Sub(l.at) > checkLasts
}

// check returns the error of the check of tools, nil when the tool may be called.
func (u *upstream) check(o *offer) *Error {
	if u.opts.check == nil {
		return nil
	}
	o.checked.Do(func() {
		found := u.opts.check(u.conf.Name.Value, o.Tool)
		if found == nil && o.ambiguous {
			found = refusal(CodeListedTwice, "because the server lists it twice with different definitions, and it is unknown which of them a call runs")
			found.Hint = "have the server list the tool once"
		}
		if found == nil {
			return
		}
		e := *found
		e.Err = errRefused
		o.refused = &e
		u.opts.logger.Warn("a tool of an upstream is refused",
			"server", u.conf.Name.Value, "tool", presentable(o.Name, 200), "code", e.Code)
	})
	return o.refused
}
