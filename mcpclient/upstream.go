package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"

	"toolgraph/config"
)

// upstream is one server: its connection, if it has one, and when the next may be made.
type upstream struct {
	lifetime // ends when the pool is closed
	conf     settings
	identity func() string // of conf
	opts     *options
	keep     *supervisor
	slot     chan struct{} // holds a token for each call in flight
	waiting  atomic.Int64  // calls that have no token yet, or no turn by rate
	rate     *bucket       // nil: calls are sent at once

	known atomic.Pointer[listing] // the last of any session; nil before the first

	reports reports // of calls in flight
	changes changes // of its lists
	wakes   wakes   // of the tasks that are awaited

	auth      *authorizer // nil unless the server's entry has oauth
	authFault error       // why there is none although the entry has oauth

	mu       sync.Mutex // guards the fields below; never held during I/O
	current  *session
	starting *attempt
	gate     breaker
}

// attempt is one start for which any number of callers wait.
type attempt struct {
	done    chan struct{} // closed when the other fields are set
	session *session
	err     *Error
}

func newUpstream(entry *config.Upstream, opts *options, keep *supervisor) *upstream {
	conf := settingsOf(entry)
	if opts.adjust != nil {
		opts.adjust(&conf)
	}
	u := &upstream{
		conf: conf, identity: sync.OnceValue(conf.Fingerprint), opts: opts, keep: keep, slot: make(chan struct{}, conf.MaxInFlight), rate: newBucket(conf.Rate, opts.clock),
		gate: breaker{now: opts.clock.now, circuit: conf.isLocal()}, // a network recovers sooner than a broken program
	}
	u.begin()
	if conf.OAuth != nil && !conf.isLocal() {
		u.auth, u.authFault = newAuthorizer(conf, opts.tokens, opts.keys)
	}
	return u
}

// session returns the live connection; without one it begins or joins a start. ctx bounds
// the wait only: the start continues for other callers.
func (u *upstream) session(ctx context.Context) (*session, *Error) {
	a, live, err := u.join()
	if err != nil || live != nil {
		return live, err
	}
	select {
	case <-a.done:
		return a.session, a.err
	case <-ctx.Done():
		return nil, cancelled(ctx, "waiting for the server to start")
	}
}

func (u *upstream) join() (*attempt, *session, *Error) {
	u.mu.Lock()
	defer u.mu.Unlock()
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
	if old := u.current; old != nil && u.background(old.close) {
		u.current = nil
	}
	if !u.background(func() { u.start(a) }) {
		return nil, nil, u.failure()
	}
	u.starting = a
	return a, nil, nil
}

// putOff returns the error of a call that comes before the next start is due.
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
	ctx, stop := context.WithTimeoutCause(u.ctx, u.conf.StartTimeout, errStartTimeout)
	defer stop()
	s, err := u.connect(ctx)
	u.mu.Lock()
	defer u.mu.Unlock()
	defer close(a.done)
	u.starting = nil
	if err == nil && u.failure() != nil {
		err = u.failure()
		u.tasks.Go(s.close)
	}
	name := u.conf.Name.Value
	if err == nil {
		u.gate.succeeded()
		u.started(nil)
		u.current, a.session = s, s
		u.changes.signal()   // it may list something else than before
		if s.version != "" { // programs are not started yet
			if s.observer != nil {
				u.opened(s)
			}
			u.opts.logger.Info("upstream started", "server", name, "protocol", s.version)
		}
		return
	}
	a.err = err
	if u.failure() == nil {
		u.started(err)
	}
	if err.Err != errLocal && u.failure() == nil { //nolint:errorlint // the mark itself; after it there is nothing to wait for
		err.Server = name // for the log
		u.gate.failed(err)
		u.opts.logger.Warn("upstream did not start", "server", name, "error", err.Error())
	}
}

// errLocal marks a start that failed before there was a process or a connection.
var errLocal = errors.New("nothing was started")

var (
	errStartTimeout = errors.New("the server did not start in time")
	errCallTimeout  = errors.New("the server did not answer in time")
)

// connect starts or dials the server and does the handshake.
func (u *upstream) connect(ctx context.Context) (*session, *Error) {
	name := u.conf.Name.Value
	s := &session{note: newNotes(name, u.opts.logger, u.opts.secrets), reports: &u.reports, changes: &u.changes, wakes: &u.wakes}
	if u.conf.AllowElicit && u.conf.Transport != config.SSE { // by sse, the library does not pass on the server's requests
		s.elicit = u.opts.elicit
	}
	if u.conf.Transport == config.Exec {
		s.link = newPrograms(u, s.note)
		s.settle("", u.opts)
		return s, nil
	}
	if s.observer = u.opts.observer; s.observer != nil {
		s.peer = peerOf(u.conf)
	}
	open := u.openRemote
	if u.conf.isLocal() {
		open = u.openLocal
	}
	if fail := open(s); fail != nil {
		return nil, fail
	}
	want := u.conf.Protocol
	if u.conf.Transport == config.SSE {
		want = config.ProtocolLegacy // the modern era has no such transport
	}
	if err := s.negotiate(ctx, want, u.opts); err != nil {
		e := u.startFault(ctx, s, err)
		s.link.fail(e)
		u.tasks.Go(s.close)
		return nil, e
	}
	return s, nil
}

// openLocal starts the server's program.
func (u *upstream) openLocal(s *session) *Error {
	proc, fail := u.startProgram(&u.conf.Upstream, s.note)
	if fail != nil {
		return fail
	}
	u.opts.started(u.conf.Name.Value)
	s.stderr, s.turns = proc.stderr, newTurns()
	s.link = newConn(proc, u.conf.maxMessage, s)
	return nil
}

// startProgram starts the program of a server over stdio.
func (u *upstream) startProgram(of *config.Upstream, note notes) (*process, *Error) {
	var proc *process
	cmd, err := commandOf(of, u.opts.self)
	if err == nil {
		proc, err = startProcess(cmd, u.keep, u.opts.clock, note.stderrLogger())
	}
	if err == nil {
		return proc, nil
	}
	text := err.Error()
	if pe := (*os.PathError)(nil); errors.As(err, &pe) { // without the words fork/exec
		text = fmt.Sprintf("%s: %s", pe.Path, pe.Err)
	}
	return nil, &Error{Code: CodeServerStart, Message: "cannot be started: " + note.redact(text), Err: errLocal}
}

// openRemote makes a connection to the server's address; the handshake dials.
func (u *upstream) openRemote(s *session) *Error {
	if u.authFault != nil {
		return u.loginNeeded(u.authFault.Error())
	}
	s.note.auth = u.auth
	r, err := newRemote(u.conf, s, u.auth)
	if err != nil {
		return &Error{Code: CodeServerStart, Message: "cannot be reached: " + err.Error(), Err: errLocal}
	}
	s.link = r
	return nil
}

// startFault returns why the handshake failed.
func (u *upstream) startFault(ctx context.Context, s *session, err error) *Error {
	e := &Error{Code: CodeServerStart, Stderr: s.stderr.lastWords(s.note)}
	var known *Error
	switch {
	case u.failure() != nil:
		return u.failure()
	case context.Cause(ctx) == errStartTimeout: //nolint:errorlint // the cause itself
		e.Message = fmt.Sprintf("did not answer the handshake (initialize) within %s", u.conf.StartTimeout)
		e.Hint = u.variablesHint(s, e.Stderr)
	case errors.As(err, &known) && known.Code == CodeLoginNeeded:
		return u.loginNeeded(known.Message)
	case errors.As(err, &known):
		e.Message = known.Message
		if u.conf.isLocal() {
			e.Message = "did not start: " + known.Message + " during the handshake (initialize)"
		}
		if known.Code == CodePrivateAddress {
			e.Code = known.Code
		}
		e.Hint, e.ExitCode, e.Stderr, e.RetryAfter = known.Hint, known.ExitCode, known.Stderr, known.RetryAfter
		if e.Hint == "" && len(e.Stderr) > 0 {
			e.Hint = u.variablesHint(s, e.Stderr)
		}
	default:
		e.Message = "refused the handshake: " + s.note.shown(err.Error(), 500)
	}
	return e
}

// variablesHint names the variables of the environment that a local server did not get: those that it
// speaks of on its standard error, or all when it says nothing.
func (u *upstream) variablesHint(s *session, said []string) string {
	if !u.conf.isLocal() {
		return ""
	}
	names := withheld(os.Environ(), &u.conf.Upstream)
	if len(said) > 0 {
		words := strings.FieldsFunc(strings.Join(said, " "), func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		names = slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(words, name) })
	}
	return presentable(s.note.redact(withheldHint(names)), 2*stderrLine)
}

// loginNeeded returns the error that names the command which helps. The next call tries
// again at once: the user may have logged in.
func (u *upstream) loginNeeded(why string) *Error {
	file := u.conf.Name.Pos.File
	if file == "" || strings.HasSuffix(file, ".json") {
		file = "GRAPH.yaml"
	}
	name := u.conf.Name.Value
	if file == u.conf.Name.Pos.File {
		name = strings.TrimPrefix(name, u.conf.Prefix) // the import is a graph file of its own
	}
	hint := fmt.Sprintf("run: toolgraph login %s -g %s", name, file)
	return &Error{Code: CodeLoginNeeded, Message: why, Hint: hint, Err: errLocal}
}

// cancelled returns the error of a caller whose context has ended.
func cancelled(ctx context.Context, doing string) *Error {
	return &Error{Code: CodeCancelled, Message: "cancelled while " + doing, Err: context.Cause(ctx)}
}

// drop forgets a session that is of no more use.
func (u *upstream) drop(s *session) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.current == s && u.background(s.close) {
		u.current = nil
	}
}

// errShutDown is the failure of calls when the pool is closed.
var errShutDown = &Error{Code: CodeClosed, Message: "not called, because toolgraph is shutting down"}

// close ends the connection and a start in progress, and waits for both. The lifetime has
// ended.
func (u *upstream) close() {
	u.mu.Lock()
	s := u.current
	u.current = nil
	u.mu.Unlock()
	if s != nil {
		s.close()
	}
	u.tasks.Wait()
	u.auth.close()
}

// How often a server that does not start is tried.
const (
	firstDelay   = time.Second
	longestDelay = 30 * time.Second
	startsWindow = 5 * time.Minute
	startsMost   = 5 // failed starts in a window
	openLeast    = time.Minute
	retryMost    = 5 * time.Minute // of a Retry-After that is respected: the server may recover sooner
)

// breaker spaces out the starts of a server that fails to start: 1, 2, 4 … 30 seconds,
// and with a circuit at most five in five minutes. A server that asks for more time by
// Retry-After gets it. A server that has started and dies later does not concern it.
// Not safe for concurrent use.
type breaker struct {
	now      func() time.Time
	circuit  bool        // whether startsMost and startsWindow count
	failures []time.Time // the last ones, at most startsMost
	streak   int
	until    time.Time
	last     *Error
}

// wait returns how long the next start has to wait, 0 when it need not.
func (b *breaker) wait() time.Duration { return max(0, b.until.Sub(b.now())) }

// open reports whether the circuit is open, not just the next start put off.
func (b *breaker) open() bool { return b.circuit && b.until.Sub(b.now()) > longestDelay }

func (b *breaker) failed(why *Error) {
	now := b.now()
	delay := min(firstDelay<<min(b.streak, 5), longestDelay)
	b.last, b.until = why, now.Add(max(delay, min(why.RetryAfter, retryMost)))
	b.streak++
	b.failures = append(b.failures, now)
	b.failures = b.failures[max(0, len(b.failures)-startsMost):]
	if !b.circuit || len(b.failures) < startsMost {
		return
	}
	if wait := b.failures[0].Add(startsWindow).Sub(now); wait > 0 {
		b.until = now.Add(max(wait, openLeast))
	}
}

func (b *breaker) succeeded() { b.failures, b.streak, b.until, b.last = nil, 0, time.Time{}, nil }
