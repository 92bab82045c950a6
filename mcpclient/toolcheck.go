package mcpclient

import "time"

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
