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

	checking sync.Mutex        // guards refused
	refused  map[string]*Error // of the check of tools, by the name of the server; nil for a tool that may be called
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
	l := u.listed(ctx, s, u.checks(ctx))
	relist := func() {
		s.tools.outdated(l)
		l = u.offered(ctx, s, u.checks(ctx))
	}
	o, fail := u.judge(ctx, s, l, tool, args)
	if fail != nil && ctx.Err() == nil && !l.fresh(now()) {
		relist()
		o, fail = u.judge(ctx, s, l, tool, args)
	}
	for fail != nil && fail.Code == CodeUnknownTool && u.mayAdd(ctx, s) {
		relist()
		o, fail = u.judge(ctx, s, l, tool, args)
	}
	return o, fail
}

// mayAdd waits while a server that has just started may add a tool, and reports whether it may have.
func (u *upstream) mayAdd(ctx context.Context, s *session) bool {
	if !s.notifiesChanges || u.opts.clock.now().Sub(s.since) >= startsUp {
		return false
	}
	select {
	case <-u.opts.clock.after(startsUpPause):
		return true
	case <-ctx.Done():
		return false
	}
}

func (u *upstream) judge(ctx context.Context, s *session, l *listing, tool string, args value.Value) (*offer, *Error) {
	if l.byName == nil {
		if !u.checks(ctx) {
			return nil, nil
		}
		return nil, refusal(CodeNotListed, "because the server has not listed its tools, which must be checked first")
	}
	o := l.byName[tool]
	if o == nil {
		return nil, noSuchTool(tool, l.names)
	}
	if fail := u.check(ctx, o); fail != nil {
		return nil, fail
	}
	if fail := checkOf(ctx).refuses(calledAs(ctx, u.conf.Name.Value), o); fail != nil {
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
