package mcpclient

import (
	"context"
	"time"
)

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

// listed returns the listing of a session as offered does. A strict one of a remote server is
// fetched again when it is too old to prove anything.
func (u *upstream) listed(ctx context.Context, s *session, strict bool) *listing {
	l := u.offered(ctx, s, strict)
	if strict && !u.conf.isLocal() && l.byName != nil && u.opts.clock.now().Sub(l.at) > checkLasts {
		s.tools.outdated(l)
		l = u.offered(ctx, s, strict)
	}
	return l
}

// checks reports whether the tool of a call is checked before the call is sent.
func (u *upstream) checks(ctx context.Context) bool {
	return u.opts.check != nil || checkOf(ctx) != nil
}

type checkKey struct{}

// WithCallCheck has the tools of the calls with this context checked, in addition to the check of
// the pool and in the same way. The check is called for each call, when the call is about to be
// sent.
func WithCallCheck(ctx context.Context, check ToolCheck) context.Context {
	return context.WithValue(ctx, checkKey{}, check)
}

func checkOf(ctx context.Context) ToolCheck {
	check, _ := ctx.Value(checkKey{}).(ToolCheck)
	return check
}

// refuses returns why a tool must not be called, or nil. A nil check refuses none.
func (c ToolCheck) refuses(server string, o *offer) *Error {
	if c == nil {
		return nil
	}
	found := c(server, o.Tool)
	if found == nil && o.ambiguous {
		found = refusal(CodeListedTwice, "because the server lists it twice with different definitions, and it is unknown which of them a call runs")
		found.Hint = "have the server list the tool once"
	}
	if found == nil {
		return nil
	}
	e := *found
	e.Err = errRefused
	return &e
}

// Offered returns a tool as its server lists it now, by the rules by which tools are checked: the
// server is started unless it runs, and asked unless its list is known and still counts. ok is
// false when the server has no such tool, or lists it twice with different definitions. It returns
// within the time that the server has to start and a few seconds. The error is an *Error.
func (p *Pool) Offered(ctx context.Context, server, tool string) (found Tool, ok bool, err error) {
	err = p.use(server, "", func(u *upstream) *Error {
		s, fail := u.session(ctx)
		if fail != nil {
			return fail
		}
		l := u.listed(ctx, s, true)
		for l.byName != nil && l.byName[tool] == nil && u.mayAdd(ctx, s) {
			s.tools.outdated(l)
			l = u.offered(ctx, s, true)
		}
		if l.byName == nil {
			return &Error{Code: CodeNotListed, Message: "has not listed its tools"}
		}
		if o := l.byName[tool]; o != nil && !o.ambiguous {
			found, ok = o.Tool, true
		}
		return nil
	})
	return found, ok, err
}

// OfferedTools returns the tools as a server lists them now, by the rules of Offered, without those that it lists twice with
// different definitions. The error is an *Error.
func (p *Pool) OfferedTools(ctx context.Context, server string) (tools []Tool, err error) {
	err = p.use(server, "", func(u *upstream) *Error {
		s, fail := u.session(ctx)
		if fail != nil {
			return fail
		}
		l := u.listed(ctx, s, true)
		if l.byName == nil {
			return &Error{Code: CodeNotListed, Message: "has not listed its tools"}
		}
		for _, name := range l.names {
			if o := l.byName[name]; o != nil && !o.ambiguous {
				tools = append(tools, o.Tool)
			}
		}
		return nil
	})
	return tools, err
}

// check returns the error of the check of tools, nil when the tool may be called.
func (u *upstream) check(ctx context.Context, o *offer) *Error {
	if u.opts.check == nil {
		return nil
	}
	server := calledAs(ctx, u.conf.Name.Value)
	o.checking.Lock()
	defer o.checking.Unlock()
	refused, checked := o.refused[server]
	if checked {
		return refused
	}
	if o.refused == nil {
		o.refused = map[string]*Error{}
	}
	refused = u.opts.check.refuses(server, o)
	if o.refused[server] = refused; refused != nil {
		u.opts.logger.Warn("a tool of an upstream is refused",
			"server", server, "tool", presentable(o.Name, 200), "code", refused.Code)
	}
	return refused
}
