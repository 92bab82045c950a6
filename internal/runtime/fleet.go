package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/internal/serving/server"
)

// fleet is this process among those that share its run history: the runs that it has, which the others
// can cancel and answer, and the way to theirs. Safe for concurrent use.
type fleet struct {
	history *journal.Store
	log     *slog.Logger
	servers []*server.Server // get the messages of servers. Guarded by mu

	life     context.Context // of the goroutine that receives messages
	receives sync.Once
	running  sync.WaitGroup // the same goroutine

	mu       sync.Mutex // guards what follows
	name     string     // of this process, when it was last looked up
	local    map[string]*localRun
	draining bool
}

// localRun is a run that this process makes, or is about to make.
type localRun struct {
	fleet  *fleet
	id     string
	caller string                  // see execution.WithCaller; "": only the run's own call waits for it
	cancel context.CancelCauseFunc // of the run

	over   context.Context // ends with the run in this process
	end    context.CancelFunc
	result *execution.Result // when over has ended; nil, with a nil err: there was no run
	err    error

	// questions are those of the run that wait for an answer, by their marks: several of a task. Guarded by fleet.mu.
	questions map[string]*openQuestion
}

// openQuestion is a question whose answer another process may send.
type openQuestion struct {
	answer func(execution.Answer) // called once
}

type localRunKey struct{}

// localRunOf returns the run that ctx belongs to; nil when it is not known.
func localRunOf(ctx context.Context) *localRun {
	local, _ := ctx.Value(localRunKey{}).(*localRun)
	return local
}

// newFleet joins the processes that share the history of a session, which must have one.
func newFleet(s *Session) *fleet {
	f := &fleet{history: s.History, log: s.Log, local: map[string]*localRun{}}
	var end context.CancelFunc
	f.life, end = context.WithCancel(context.Background())
	s.closers = append(s.closers, func() {
		end()
		f.running.Wait()
	})
	return f
}

// receive begins to receive messages; it is called when this process has its first run, or serves
// clients that others serve too. The level is that of the reason why it cannot.
func (f *fleet) receive(level slog.Level) {
	f.receives.Do(func() {
		f.running.Go(func() {
			if err := f.history.Receive(f.life, f.take); err != nil {
				f.log.Log(f.life, level, "messages of other processes are not received; runs of this one cannot be cancelled or answered there", "error", err)
			}
		})
	})
}

// The kinds of messages between processes. Those of servers have a prefix.
const (
	kindCancel = "cancel"
	kindAnswer = "answer"
	kindServer = "server."
)

// answerMail is the answer to an open question of a run.
type answerMail struct {
	Mark   string           `json:"mark"`
	Answer execution.Answer `json:"answer"`
}

// take takes a message. One that does not fit any more is ignored.
func (f *fleet) take(m journal.Message) {
	var answer answerMail
	kind, isServer := strings.CutPrefix(m.Kind, kindServer)
	switch {
	case isServer:
		for _, s := range f.served() { // what a message is about has a name that one of them knows
			s.Deliver(kind, m.Body)
		}
	case m.Kind == kindCancel:
		if local := f.localRun(m.Run); local != nil {
			var mail cancelMail
			_ = json.Unmarshal(m.Body, &mail) // without a reason that can be read the run is cancelled as well
			f.log.Info("a run is cancelled by another process", "run", m.Run, "why", mail.Why)
			local.cancel(mail.cause())
		}
	case m.Kind == kindAnswer && json.Unmarshal(m.Body, &answer) == nil:
		f.answered(m.Run, answer)
	}
}

// serves lets a server get the messages of other servers, until end is called.
func (f *fleet) serves(s *server.Server) (end func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.servers = append(f.servers, s)
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.servers = slices.DeleteFunc(slices.Clone(f.servers), func(other *server.Server) bool { return other == s })
	}
}

// forward passes the answer to a question on to the process that asked it, and reports whether it could.
func (f *fleet) forward(ctx context.Context, c *server.Continued) bool {
	return slices.ContainsFunc(f.served(), func(s *server.Server) bool { return s.Forward(ctx, c) })
}

func (f *fleet) served() []*server.Server {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clip(f.servers)
}

// answered gives a run of this process an answer, if it waits for it.
func (f *fleet) answered(run string, m answerMail) {
	f.mu.Lock()
	local := f.local[run]
	var q *openQuestion
	if local != nil {
		q = local.questions[m.Mark]
		delete(local.questions, m.Mark)
	}
	f.mu.Unlock()
	if q != nil {
		q.answer(m.Answer)
	}
}

// await makes a question of a run one that other processes can answer, until over is called.
func (local *localRun) await(mark string, answer func(execution.Answer)) (over func()) {
	q := &openQuestion{answer}
	local.fleet.mu.Lock()
	defer local.fleet.mu.Unlock()
	local.questions[mark] = q
	return func() {
		local.fleet.mu.Lock()
		defer local.fleet.mu.Unlock()
		if local.questions[mark] == q {
			delete(local.questions, mark)
		}
	}
}

// begin registers a run, unless this process has it. isNew is false for the run of another call, and the
// context is that of the run otherwise; the caller finishes it.
func (f *fleet) begin(ctx context.Context, id, caller string) (runs context.Context, local *localRun, isNew bool) {
	f.receive(slog.LevelInfo)
	f.mu.Lock()
	defer f.mu.Unlock()
	if local = f.local[id]; local != nil {
		return ctx, local, false
	}
	local = &localRun{fleet: f, id: id, caller: caller, questions: map[string]*openQuestion{}}
	local.over, local.end = context.WithCancel(context.Background())
	runs, local.cancel = context.WithCancelCause(context.WithValue(ctx, localRunKey{}, local))
	f.local[id] = local
	return runs, local, true
}

// finish ends a run here: it has ended in this process, or there was none.
func (local *localRun) finish(result *execution.Result, err error) {
	local.fleet.mu.Lock()
	delete(local.fleet.local, local.id)
	local.fleet.mu.Unlock()
	local.result, local.err = result, err
	local.end()
	local.cancel(context.Canceled)
}

// recorded waits until what a run has done so far is recorded. The error is execution.ErrTaken when
// another process has the run.
func (f *fleet) recorded(ctx context.Context, run string) error {
	if err := f.history.Flush(context.WithoutCancel(ctx), run); errors.Is(err, execution.ErrTaken) {
		return err
	}
	return nil // a store that cannot be written reports it
}

// leaves reports whether an error of a run says that it goes on elsewhere, or later.
func leaves(err error) bool {
	return errors.Is(err, execution.ErrTaken) || errors.Is(err, execution.ErrSuspended)
}

func (f *fleet) localRun(run string) *localRun {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.local[run]
}

// mailTime is how long sending a message may take.
const mailTime = 5 * time.Second

// cancelRun cancels a run, in this process or another, or one that is parked. Another one that no living process has is left.
func (f *fleet) cancelRun(ctx context.Context, id string) error {
	if local := f.localRun(id); local != nil {
		local.cancel(context.Canceled)
		return nil
	}
	run, err := f.history.Exact(ctx, id)
	if err == nil && run.Parked {
		if err = endCancelled(ctx, f.history, id, ""); err == nil || !errors.Is(err, journal.ErrRunning) {
			return err
		}
		run, err = f.history.Exact(ctx, id) // it was just resumed
	}
	if err != nil || !run.InProgress() {
		return err
	}
	return f.history.Send(ctx, run.Owner, journal.Message{Run: id, Kind: kindCancel, Body: json.RawMessage("{}")})
}

// answer sends the answer to the open question of a run to its process.
func (f *fleet) answer(ctx context.Context, run journal.Run, m answerMail) error {
	if f.localRun(run.ID) != nil {
		f.answered(run.ID, m)
		return nil
	}
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return f.history.Send(ctx, run.Owner, journal.Message{Run: run.ID, Kind: kindAnswer, Body: body})
}

// Process returns the part of the name of this process that identifies it; clients see it.
func (f *fleet) Process() string {
	ctx, cancel := context.WithTimeout(context.Background(), mailTime)
	defer cancel()
	p, err := f.history.Process(ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	if err == nil {
		f.name = p.ID()
	}
	return f.name
}

// Send sends a message of the server.
func (f *fleet) Send(ctx context.Context, process, kind string, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, mailTime)
	defer cancel()
	to := []string{process}
	if process == "" {
		others, err := f.others(ctx)
		if err != nil {
			return err
		}
		to = to[:0]
		for _, p := range others {
			to = append(to, p.Name)
		}
	}
	sent := journal.ErrNoProcess
	for _, name := range to {
		err := f.history.Send(ctx, name, journal.Message{Kind: kindServer + kind, Body: body})
		if err == nil || sent != nil {
			sent = err
		}
	}
	return sent
}

// others returns the other processes that live.
func (f *fleet) others(ctx context.Context) (others []journal.Process, err error) {
	me := f.Process()
	all, err := f.history.Processes(ctx)
	for _, p := range all {
		if p.ID() != me {
			others = append(others, p)
		}
	}
	return others, err
}

// canLeave reports whether another process may go on with the runs of this one, which ends.
func (f *fleet) canLeave(ctx context.Context) bool {
	if f == nil || !f.drains() {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, mailTime)
	defer cancel()
	others, err := f.others(ctx)
	if err != nil {
		return false
	}
	for _, p := range others {
		if !p.Draining {
			return true
		}
	}
	return false
}

func (f *fleet) drains() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.draining
}

// serveAt makes this process, which serves HTTP at an address, known to the others, and that it drains
// once ctx has ended.
func (f *fleet) serveAt(ctx context.Context, address string) error {
	f.receive(slog.LevelWarn)
	if err := f.history.Announce(ctx, address, false); err != nil {
		return fmt.Errorf("this process cannot be made known to the others that share its run history: %w", err)
	}
	context.AfterFunc(ctx, func() {
		f.mu.Lock()
		f.draining = isStop(ctx)
		f.mu.Unlock()
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), mailTime)
		defer cancel()
		_ = f.history.Announce(late, address, true) // the others see it end soon anyway
	})
	return nil
}

// readyEvery is how often the store is tried at most, because every client can ask whether the process is
// ready.
const readyEvery = time.Second

// ready returns the function that says why this process should get no calls.
func (f *fleet) ready() func(ctx context.Context) error {
	var mu sync.Mutex // guards tried and last, and is held while the store is tried
	var tried time.Time
	var last error
	return func(ctx context.Context) error {
		mu.Lock()
		defer mu.Unlock()
		if tried.IsZero() || time.Since(tried) >= readyEvery {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), mailTime)
			defer cancel()
			before := last
			last, tried = f.history.Ready(ctx), time.Now()
			switch {
			case last != nil && before == nil:
				f.log.Warn("not ready: the run history cannot be written", "error", last)
			case last == nil && before != nil:
				f.log.Warn("ready again: the run history can be written")
			}
		}
		return last
	}
}
