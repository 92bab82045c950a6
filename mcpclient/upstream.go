package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"toolgraph/config"
)

// upstream is one server: its connection, while there is one, and when there may be
// the next.
type upstream struct {
	conf *config.Upstream
	set  settings
	opts *options
	keep *supervisor
	life context.Context // ends when the pool is closed; no request's context
	slot chan struct{}   // one token per call in flight

	known atomic.Pointer[listing] // the last that any session gave; nil before

	reports reports // of calls in flight

	auth      *authorizer // nil unless the server's entry has oauth
	authFault error       // why it has none all the same

	mu       sync.Mutex // guards what follows; never held over I/O
	current  *session
	starting *attempt
	gate     breaker
	closed   bool

	tasks sync.WaitGroup
}

// attempt is one start that any number of callers wait for.
type attempt struct {
	done    chan struct{} // closed when the other fields are set
	session *session
	err     *Error
}

func newUpstream(life context.Context, conf *config.Upstream, opts *options, keep *supervisor) *upstream {
	set := settingsOf(conf)
	if opts.adjust != nil {
		opts.adjust(&set)
	}
	gate := breaker{now: opts.clock.now, circuit: isLocal(conf)} // a network comes back sooner than a broken program
	u := &upstream{
		conf: conf, set: set, opts: opts, keep: keep, life: life,
		slot: make(chan struct{}, set.maxInFlight), gate: gate,
	}
	if conf.OAuth != nil && !isLocal(conf) {
		var address *url.URL
		if address, u.authFault = addressOf(conf); u.authFault == nil {
			u.auth, u.authFault = newAuthorizer(conf, address, set, opts.tokens)
		}
	}
	return u
}

// session is the live connection; without one a start is begun or joined. ctx bounds
// only the wait: the start goes on for others.
func (u *upstream) session(ctx context.Context) (*session, *Error) {
	a, live, err := u.join()
	if err != nil || live != nil {
		return live, err
	}
	select {
	case <-a.done:
		return a.session, a.err
	case <-ctx.Done():
		return nil, u.gaveUp(ctx, "waiting for the server to start")
	}
}

func (u *upstream) join() (*attempt, *session, *Error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.closed {
		return nil, nil, u.fault(CodeClosed, "the server is not used any more: we are shutting down")
	}
	if u.current != nil && u.current.alive() {
		return nil, u.current, nil
	}
	if u.starting != nil {
		return u.starting, nil, nil
	}
	if wait := u.gate.wait(); wait > 0 {
		return nil, nil, u.putOff(wait)
	}
	a := &attempt{done: make(chan struct{})}
	u.starting = a
	if old := u.current; old != nil {
		u.current = nil
		u.tasks.Go(old.close)
	}
	u.tasks.Go(func() { u.start(a) })
	return a, nil, nil
}

// putOff is the error of a call that comes before the next start is due.
func (u *upstream) putOff(wait time.Duration) *Error {
	what := "the last start failed"
	if u.gate.open() {
		what = fmt.Sprintf("%d starts failed within %d minutes", startsMost, int(startsWindow.Minutes()))
	}
	e := *u.gate.last
	e.Message = fmt.Sprintf("%s and the next is tried in %s; %s", what, wait.Round(time.Second/10), e.Message)
	return &e
}

func (u *upstream) start(a *attempt) {
	ctx, stop := context.WithTimeoutCause(u.life, u.set.startTimeout, errStartTimeout)
	defer stop()
	s, err := u.connect(ctx)
	u.mu.Lock()
	defer u.mu.Unlock()
	u.starting = nil
	if err == nil && u.closed {
		err = u.fault(CodeClosed, "the pool was closed during the start")
		u.tasks.Go(s.close)
	}
	switch {
	case err == nil:
		u.gate.succeeded()
		u.current, a.session = s, s
		u.opts.logger.Info("upstream started", "server", u.conf.Name.Value, "protocol", s.version)
	case err.Err == errLocal: //nolint:errorlint // the mark itself, never wrapped
		a.err = err // nothing was started, so nothing is gained by waiting
	case u.life.Err() == nil:
		u.gate.failed(err)
		u.opts.logger.Warn("upstream did not start", "server", u.conf.Name.Value, "error", err.Error())
		a.err = err
	default:
		a.err = err
	}
	close(a.done)
}

// errLocal marks a start that failed before there was a process or a connection.
var errLocal = errors.New("nothing was started")

var (
	errStartTimeout = errors.New("the server did not come up in time")
	errCallTimeout  = errors.New("the server did not answer in time")
)

// connect makes a session by the server's transport.
func (u *upstream) connect(ctx context.Context) (*session, *Error) {
	if isLocal(u.conf) {
		return u.connectStdio(ctx)
	}
	return u.connectRemote(ctx)
}

func isLocal(conf *config.Upstream) bool {
	return conf.Transport == config.Stdio || conf.Transport == ""
}

func (u *upstream) connectStdio(ctx context.Context) (*session, *Error) {
	name := u.conf.Name.Value
	note := newNotes(name, u.opts.logger, u.opts.secrets)
	l, err := launchOf(u.conf, u.opts.self)
	var proc *process
	if err == nil {
		l.said, l.keep, l.clock = note.said(), u.keep, u.opts.clock
		proc, err = startProcess(l)
	}
	if err != nil {
		e := u.fault(CodeServerStart, "cannot be started: "+note.redact(plainPathError(err)))
		e.Err = errLocal
		return nil, e
	}
	u.opts.began(name)
	s := &session{
		server: name, note: note, stderr: proc.stderr, elicit: u.elicitation(), turns: newTurns(), reports: &u.reports,
	}
	c := newConn(proc, u.set.maxMessage, s)
	s.link = c
	_ = c.Start(ctx) // cannot fail
	if err := s.negotiate(ctx, u.set.protocol, u.opts); err != nil {
		e := u.startFault(ctx, s, err)
		c.fail(e, true)
		u.tasks.Go(s.close)
		return nil, e
	}
	return s, nil
}

// plainPathError is the error without the fork/exec words of the os package.
func plainPathError(err error) string {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return fmt.Sprintf("%s: %s", pe.Path, pe.Err)
	}
	return err.Error()
}

// startFault says why the handshake failed.
func (u *upstream) startFault(ctx context.Context, s *session, err error) *Error {
	e := u.fault(CodeServerStart, "")
	var known *Error
	switch {
	case u.life.Err() != nil:
		e.Code, e.Message = CodeClosed, "the pool was closed during the start"
		return e
	case context.Cause(ctx) == errStartTimeout: //nolint:errorlint // the cause itself
		e.Message = fmt.Sprintf("did not answer the handshake within %s", u.set.startTimeout)
		if isLocal(u.conf) {
			e.Hint = presentable(s.note.redact(withheldHint(withheld(os.Environ(), u.conf))), 2*stderrLine)
		}
	case errors.As(err, &known):
		e.Message = known.Message
		if isLocal(u.conf) {
			e.Message = "did not start: " + known.Message
		}
		e.Hint, e.ExitCode, e.Stderr, e.RetryAfter = known.Hint, known.ExitCode, known.Stderr, known.RetryAfter
		switch known.Code {
		case CodePrivateAddress:
			e.Code = known.Code
		case CodeLoginNeeded:
			return u.loginNeeded(known.Message)
		}
		return e
	default:
		e.Message = "refused the handshake: " + s.note.shown(err.Error(), 500)
	}
	e.Stderr = s.lastWords(0)
	return e
}

// loginNeeded is the error that names the command which helps. The next call tries
// again at once: somebody may have logged in.
func (u *upstream) loginNeeded(why string) *Error {
	e := u.fault(CodeLoginNeeded, why)
	file := u.conf.Name.Pos.File
	if file == "" || strings.HasSuffix(file, ".json") {
		file = "GRAPH.yaml"
	}
	e.Hint, e.Err = fmt.Sprintf("run: toolgraph login %s -g %s", u.conf.Name.Value, file), errLocal
	return e
}

func (u *upstream) fault(code, message string) *Error {
	return &Error{Server: u.conf.Name.Value, Code: code, Message: message}
}

// gaveUp is the error of a caller whose context ended.
func (u *upstream) gaveUp(ctx context.Context, doing string) *Error {
	cause := context.Cause(ctx)
	e := u.fault(CodeCancelled, "cancelled while "+doing)
	e.Err = cause
	return e
}

// behind runs f behind the caller's back unless the pool is closed.
func (u *upstream) behind(f func()) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.closed {
		return false
	}
	u.tasks.Go(f)
	return true
}

// drop forgets a session that is of no more use.
func (u *upstream) drop(s *session) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.current == s {
		u.current = nil
		if !u.closed {
			u.tasks.Go(s.close)
		}
	}
}

// close ends the connection, and a start under way, and waits for both.
func (u *upstream) close() {
	u.mu.Lock()
	u.closed = true
	s := u.current
	u.current = nil
	u.mu.Unlock()
	if s != nil {
		s.close()
	}
	u.tasks.Wait()
	u.auth.close()
}

// How often a server that does not come up is tried.
const (
	firstDelay   = time.Second
	longestDelay = 30 * time.Second
	startsWindow = 5 * time.Minute
	startsMost   = 5 // failed starts in a window
	openLeast    = time.Minute
	retryMost    = 5 * time.Minute // of a Retry-After that is respected: a server that recovers sooner is not given up
)

// breaker spaces out the starts of a server that fails to start: 1, 2, 4 … 30
// seconds, and where there is a circuit no more than five in five minutes; a server that
// asks for more time by Retry-After gets it. A server
// that came up and died later is none of its business. Not safe for
// concurrent use.
type breaker struct {
	now      func() time.Time
	circuit  bool        // whether a window holds startsMost starts only; else just the delays
	failures []time.Time // the last ones, at most startsMost
	streak   int
	until    time.Time
	last     *Error
}

// wait is how long the next start has to wait, zero when it need not.
func (b *breaker) wait() time.Duration { return max(0, b.until.Sub(b.now())) }

// open reports whether the circuit is open, not just the next start put off.
func (b *breaker) open() bool { return b.circuit && b.until.Sub(b.now()) > longestDelay }

func (b *breaker) failed(why *Error) {
	now := b.now()
	b.last = why
	b.streak++
	delay := longestDelay
	if shift := b.streak - 1; shift < 5 {
		delay = min(firstDelay<<shift, longestDelay)
	}
	b.until = now.Add(max(delay, min(why.RetryAfter, retryMost)))
	b.failures = append(b.failures, now)
	if len(b.failures) > startsMost {
		b.failures = b.failures[1:]
	}
	if !b.circuit || len(b.failures) < startsMost {
		return
	}
	if reopen := b.failures[0].Add(startsWindow); reopen.After(now) {
		b.until = reopen
		if least := now.Add(openLeast); least.After(reopen) {
			b.until = least
		}
	}
}

func (b *breaker) succeeded() {
	b.failures, b.streak, b.until, b.last = nil, 0, time.Time{}, nil
}
