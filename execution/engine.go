package execution

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"runtime/debug"
	"time"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// Engine runs graphs in this process. Safe for concurrent use; runs share nothing.
type Engine struct {
	caller ToolCaller
	hooks  hooks
}

// hooks are the options of a run.
type hooks struct {
	journal   Journal
	gate      Gate
	observers []Observer
	now       func() time.Time
	runID     string

	panicked     func(run string, p *PanicError)
	repeatable   func(server, tool string, effect config.Effect) bool
	changedGraph bool
	resolution   Resolution
	stop         <-chan struct{} // nil: runs are not suspended between nodes
	stopping     *value.Ending   // of the evaluations of such a run
	sleep        func(ctx context.Context, d time.Duration) error
	user         User  // nil: no user can be asked
	cache        Cache // nil: every call is made
	effects      func(ctx context.Context, server, tool string) config.Effect
	inside       func(ctx context.Context, server, tool string) bool
	asking       []string                                            // with changing
	changing     *[]string                                           // nil: decided at the start
	reads        func(ctx context.Context, server, tool string) bool // nil: no tool only reads
	vars         value.Value                                         // constants in place of the graph's; nil: its own
	sequential   bool                                                // parts run one after the other
	caller       string                                              // see WithCaller
	once         bool                                                // likewise
	subject      string                                              // see WithSubject
	bytesOut     func(*Result, error) int                            // nil: those of the value or the message
	parking      *Parking                                            // nil: the run is never parked
	parked       <-chan struct{}                                     // closed when it is; nil: likewise
	rest         *Rest                                               // of a run that was parked; nil: it was not
}

// Option is an option of an engine, or of one run.
type Option func(*hooks)

// WithJournal records every event of a run.
func WithJournal(j Journal) Option { return func(h *hooks) { h.journal = j } }

// WithGate lets a gate pause runs before each step.
func WithGate(g Gate) Option { return func(h *hooks) { h.gate = g } }

// WithSequentialParts runs the parts of a node one after the other, in order: for answers that
// depend on the order of the calls.
func WithSequentialParts() Option { return func(h *hooks) { h.sequential = true } }

// WithObserver adds an observer of each event.
func WithObserver(o Observer) Option {
	return func(h *hooks) { h.observers = append(h.observers[:len(h.observers):len(h.observers)], o) }
}

// WithClock sets the clock; time.Now when not given.
func WithClock(now func() time.Time) Option { return func(h *hooks) { h.now = now } }

// WithRunID names the run; a random name when not given.
func WithRunID(id string) Option { return func(h *hooks) { h.runID = id } }

// WithRepeatable sets the function that reports whether the calls of a tool are safe to repeat:
// it is called before each call, and when a run is resumed that was interrupted during one. A
// node's onCrash, and its effect when that is read, go before it; another effect is passed, and
// goes before a readOnlyHint. Without the function no other call is safe to repeat.
func WithRepeatable(may func(server, tool string, effect config.Effect) bool) Option {
	return func(h *hooks) { h.repeatable = may }
}

// WithEffects sets the function that returns what a call of a tool does, as far as that is believed:
// by the lock, or by a trusted server. It is called where allow or confirm has to know it, and the
// file does not say. An empty effect is unknown, as are all without the function.
func WithEffects(effect func(ctx context.Context, server, tool string) config.Effect) Option {
	return func(h *hooks) { h.effects = effect }
}

// WithVars gives a run the constants of another one, as its Start has them, in place of those of the
// graph. A nil value changes nothing.
func WithVars(vars value.Value) Option { return func(h *hooks) { h.vars = vars } }

// WithCaller records with the start of a run what identifies the request: a digest of the client and
// the arguments. once: nothing of the run happens before the journal has its start, and there is no
// result before it has its end, so that of two processes that start a run with the same id one goes
// on; the other gets ErrTaken.
func WithCaller(digest string, once bool) Option {
	return func(h *hooks) { h.caller, h.once = digest, once }
}

// WithSubject records with the start of a run a digest of whose client makes it. A fork is that of the run that it is made
// of.
func WithSubject(digest string) Option { return func(h *hooks) { h.subject = digest } }

// ErrTaken is the error of a Journal for a run that another process has: it has taken over the run, or
// has started it before. The run ends here, without an end that is recorded or observed.
var ErrTaken = errors.New("another process has the run")

// WithCache sets where nodes with a cache look for an answer first. Without it, all calls are made.
func WithCache(c Cache) Option { return func(h *hooks) { h.cache = c } }

// New makes an engine whose runs make their calls through caller.
func New(caller ToolCaller, opts ...Option) *Engine {
	e := &Engine{caller: caller, hooks: hooks{now: time.Now, sleep: sleep}}
	for _, o := range opts {
		o(&e.hooks)
	}
	return e
}

// Result is the result of a run. Value is nil when the run failed.
type Result struct {
	RunID   string
	Value   value.Value
	Usage   Usage
	Spilled int   // see End
	Used    *Used // as the end has it; nil without an end, and for one of an earlier version
	// Partial is what a run that has failed has come to, when its graph has a Result; else nil.
	Partial value.Value
	// Changed is what the run of a plan has changed; nil for a graph of a file.
	Changed []Change

	size    int               // see Size; 0: not counted yet
	records []*Record         // of the run's own frame
	below   []*Record         // of parts and of other frames
	begun   map[Address]begun // parts
}

// Run runs the graph with the arguments, an Object or a map, to which it adds the
// defaults of the inputSchema. Arguments that do not match the inputSchema start no run: the
// result is nil and the error is an *ArgumentsError. The result has the history also when the
// run failed; the error is then a *StepError, or the error of the journal or the gate.
func (e *Engine) Run(ctx context.Context, g *graph.Graph, args value.Value, opts ...Option) (*Result, error) {
	args, err := Arguments(ctx, g, args)
	if err != nil {
		return nil, err
	}
	h := e.with(opts)
	if h.runID == "" {
		h.runID = rand.Text()
	}
	l, err := e.begin(ctx, g, args, h)
	switch {
	case l == nil:
		return &Result{RunID: h.runID}, err
	case err != nil:
		return e.end(ctx, l, nil, err)
	}
	return e.finish(ctx, l)
}

// begin records that a run begins, and starts its time. There is no run when the journal does not
// have its beginning.
func (e *Engine) begin(ctx context.Context, g *graph.Graph, args value.Value, h *hooks) (*live, error) {
	changes, asks := h.changingSteps(ctx, g), h.askingSteps(ctx, g)
	start := Event{
		Kind: RunStarted, Run: h.runID, Time: h.now(),
		Start: &Start{Tool: g.Tool.Name.Value, Graph: g.HashWith(h.vars), Args: args, Vars: g.ReadVars(h.vars), Caller: h.caller, Subject: h.subject, Changing: changes, Asking: asks},
		Sync:  h.once,
	}
	if err := h.record(ctx, &start); err != nil {
		return nil, err
	}
	l := newLive(ctx, e.caller, h.runID, newFrame(g, args, h.vars), start.Time, h)
	l.setOrder(OrderOf(g, changes, asks))
	l.start()
	return l, h.notify(&start)
}

func (e *Engine) with(opts []Option) *hooks {
	h := e.hooks
	for _, o := range opts {
		o(&h)
	}
	return &h
}

// finish drives the run to its end and records it.
func (e *Engine) finish(ctx context.Context, l *live) (*Result, error) {
	value, err := l.value()
	if err != nil {
		value = nil
	}
	return e.end(ctx, l, value, l.withCancelled(l.withUnresolved(err)))
}

// end records how the run ended.
func (e *Engine) end(ctx context.Context, l *live, value value.Value, err error) (*Result, error) {
	defer l.close()
	h := l.hooks
	result := l.result(value)
	end := &End{Value: value}
	if err == nil {
		end.Spilled = l.spilled(result)
		result.Spilled = end.Spilled
	} else {
		end.Failure = failureToRecord(err)
		if suspended(ctx, end.Failure) {
			if as := l.parking.parked(); as != nil {
				parked := *end.Failure
				parked.Message, parked.err = as.Error(), as
				end.Failure = &parked
			}
			h.report(l.id, h.notify(&Event{Kind: RunSuspended, Run: l.id, Time: h.now()}))
			return result, l.root.stepError(end.Failure)
		}
		if errors.Is(err, ErrItemsChanged) {
			return result, err
		}
		result.Partial = l.combined(nil, end.Failure)
	}
	end.Used = l.used()
	end.Used.BytesOut = h.countOut(l.id, result, err)
	result.Used = end.Used
	last := Event{Kind: RunFinished, Run: l.id, Time: h.now(), End: end, Sync: h.once}
	lastErr := h.record(ctx, &last)
	if errors.Is(lastErr, ErrTaken) {
		result.Value, result.Partial = nil, nil
		return result, lastErr
	}
	if lastErr != nil && (err == nil || h.once) {
		result.Value, result.Partial, err = nil, nil, lastErr
	}
	h.report(l.id, err)
	h.report(l.id, h.notify(&last)) // the run has ended, so an error here does not fail it
	return result, err
}

// record gives an event to the journal, also when the run has just been cancelled.
func (h *hooks) record(ctx context.Context, e *Event) (err error) {
	defer recovered(&err)
	if h.journal == nil {
		return nil
	}
	return h.journal.Append(context.WithoutCancel(ctx), *e)
}

// notify gives an event to every observer. The error is the first panic of one.
func (h *hooks) notify(e *Event) error {
	var first error
	for _, o := range h.observers {
		if err := observe(o, e); err != nil && first == nil {
			first = err
		}
	}
	return first
}

func observe(o Observer, e *Event) (err error) {
	defer recovered(&err)
	o.Observe(*e)
	return nil
}

// failureToRecord returns an error of drive as a Failure.
func failureToRecord(err error) *Failure {
	var f *Failure
	if errors.As(err, &f) {
		return f
	}
	return &Failure{Code: CodeInternal, Message: err.Error(), err: err}
}

// PanicError is a panic of a caller, a journal, a gate, an observer, or of the engine itself.
// Its text has only an id: the text of the panic may have values of the run.
type PanicError struct {
	ID    string
	Value any
	Stack []byte
}

// Error is "internal error, id ID; …".
func (e *PanicError) Error() string {
	return "internal error, id " + e.ID + "; the log has the details"
}

// WithPanicReport sets the function that gets each panic of a run, for the log.
func WithPanicReport(report func(run string, p *PanicError)) Option {
	return func(h *hooks) { h.panicked = report }
}

// recovered turns a panic into an error, when it is deferred.
func recovered(err *error) {
	p := recover()
	if p == nil {
		return
	}
	var raw [6]byte
	_, _ = rand.Read(raw[:]) // never fails, see crypto/rand
	*err = &PanicError{ID: hex.EncodeToString(raw[:]), Value: p, Stack: debug.Stack()}
}

// report reports a panic, if the error is one.
func (h *hooks) report(run string, err error) {
	if h.panicked == nil {
		return
	}
	var p *PanicError
	if errors.As(err, &p) {
		h.panicked(run, p)
	}
}
