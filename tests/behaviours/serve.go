package behaviours

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/project"
	"toolgraph/internal/project/lock"
	"toolgraph/internal/runtime/cache"
	"toolgraph/mcpclient"
)

// Asked reports whether this program was started as a process of a Local place, and with which State.
func Asked() (state string, asked bool) { return os.LookupEnv(stateEnv) }

// Serve is the program of a process of a Local place. It ends when its standard input does.
func Serve(open func(state string) (*journal.Store, error)) error {
	store, err := open(os.Getenv(stateEnv))
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	s := &server{
		store: store, dir: os.Getenv("BEHAVIOURS_DIR"), freeze: os.Getenv("BEHAVIOURS_FREEZE"),
		files: map[string]*opened{}, running: map[string]*inFlight{}, out: json.NewEncoder(os.Stdout),
	}
	var orders sync.WaitGroup
	defer orders.Wait()
	ctx, end := context.WithCancelCause(context.Background())
	defer end(execution.ErrSuspended)
	in := json.NewDecoder(os.Stdin)
	for {
		var o order
		if err := in.Decode(&o); err != nil {
			return nil
		}
		orders.Go(func() {
			a := carried{ID: o.ID}
			if err := s.carry(ctx, &o); err != nil {
				a.Err = err.Error()
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			_ = s.out.Encode(a) // the test may be gone
		})
	}
}

// server makes the runs of a process.
type server struct {
	store       *journal.Store
	dir, freeze string

	mu      sync.Mutex // guards what follows
	out     *json.Encoder
	files   map[string]*opened
	running map[string]*inFlight
}

type inFlight struct {
	answers chan execution.Answer
	begun   chan struct{} // closed when the run has begun in this process
	cancel  context.CancelFunc
	stop    chan struct{} // closed to suspend the run
}

func newInFlight() *inFlight {
	return &inFlight{answers: make(chan execution.Answer, 4), begun: make(chan struct{}), stop: make(chan struct{})}
}

// begin says that a run begins, or is resumed once more.
func (s *server) begin(run string, cancel context.CancelFunc) *inFlight {
	r := s.inFlight(run)
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.cancel != nil {
		answers := r.answers // one may have come before
		r = newInFlight()
		r.answers, s.running[run] = answers, r
	}
	r.cancel = cancel
	close(r.begun)
	return r
}

// inFlight returns what is known of a run, which may not have begun yet.
func (s *server) inFlight(run string) *inFlight {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.running[run]
	if r == nil {
		r = newInFlight()
		s.running[run] = r
	}
	return r
}

func (s *server) carry(ctx context.Context, o *order) error {
	switch o.Do {
	case doCancel, doStop:
		r := s.inFlight(o.Task.Run)
		<-r.begun
		if o.Do == doCancel {
			r.cancel()
		} else {
			close(r.stop)
		}
		return nil
	case doAnswer:
		s.inFlight(o.Task.Run).answers <- o.Answer
		return nil
	case doStart, doGoOn, doFork:
		return s.run(ctx, o)
	case doCrash, doTake, doReplay, doWait: // the test's own
	}
	return fmt.Errorf("unknown order %q", o.Do)
}

// run makes a run and returns when it has ended.
func (s *server) run(ctx context.Context, o *order) error {
	f, err := s.open(ctx, o.Task.File)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := s.begin(o.Task.Run, cancel)
	options := []execution.Option{execution.WithRunID(o.Task.Run), execution.WithStop(r.stop)}
	if !o.Task.NoUser {
		options = append(options, execution.WithUser(r))
	}
	switch o.Do {
	case doGoOn:
		err = s.resume(ctx, f, o, options)
	case doFork:
		err = s.fork(ctx, f, o, options)
	default:
		var args value.Value
		if args, err = value.Decode(o.Task.Args); err == nil {
			_, err = f.engine.Run(ctx, f.graph, args, options...)
		}
	}
	var ended *execution.StepError
	switch {
	case errors.Is(err, execution.ErrSuspended):
		return s.store.Release(context.WithoutCancel(ctx), o.Task.Run)
	case errors.As(err, &ended): // the store has it
		return nil
	}
	return err
}

// Ask waits for an answer.
func (r *inFlight) Ask(ctx context.Context, _ execution.Question) (execution.Answer, error) {
	select {
	case a := <-r.answers:
		return a, nil
	case <-ctx.Done():
		return execution.Answer{}, context.Cause(ctx)
	}
}

func (s *server) resume(ctx context.Context, f *opened, o *order, options []execution.Option) error {
	h := o.How
	if _, err := s.store.ClaimParked(ctx, o.Task.Run, h.Repeat || h.RepeatAll || h.Nothing || h.Value.Value != nil); err != nil {
		return err
	}
	events, err := f.journal.Load(ctx, o.Task.Run)
	if err != nil {
		return errors.Join(err, s.store.Release(ctx, o.Task.Run))
	}
	how := execution.Resolution{Repeat: o.How.Repeat, RepeatAll: o.How.RepeatAll, Nothing: o.How.Nothing, Value: o.How.Value.Value}
	_, err = f.engine.Resume(ctx, f.graph, events, append(options, execution.WithResolution(how))...)
	var ended *execution.StepError
	if err != nil && !errors.As(err, &ended) {
		err = errors.Join(err, s.store.Release(ctx, o.Task.Run))
	}
	return err
}

func (s *server) fork(ctx context.Context, f *opened, o *order, options []execution.Option) error {
	events, err := s.store.LoadFor(ctx, o.From, o.At)
	if err != nil {
		return err
	}
	_, err = f.engine.Fork(ctx, f.graph, events, execution.Fork{At: o.At}, options...)
	return err
}

// opened is a graph file, and what its runs need.
type opened struct {
	graph   *graph.Graph
	engine  *execution.Engine
	journal execution.Journal
}

// open loads a graph file of the directory, once.
func (s *server) open(ctx context.Context, name string) (*opened, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.files[name]; f != nil {
		return f, nil
	}
	p, err := project.Load(ctx, filepath.Join(s.dir, name+".yaml"), config.Options{})
	if err != nil {
		return nil, err
	}
	f := &opened{}
	if f.graph, err = p.Graph(name); err != nil {
		return nil, err
	}
	pool := mcpclient.NewPool(p.File.Servers, mcpclient.WithSecrets(p.File.Secrets))
	hints := func(ctx context.Context, server, tool string) lock.Hints {
		if p.File.Trusts(server) {
			if listed, known, err := pool.Offered(ctx, server, tool); known && err == nil {
				return lock.HintsOf(listed.Annotations)
			}
		}
		return lock.Hints{}
	}
	about := journal.About{File: p.File.Path, Server: p.File.Server.Name.Value}
	if f.journal, err = Frozen(s.store.Journal(p.File.Secrets, about), s.freeze); err != nil {
		return nil, err
	}
	f.engine = execution.New(pool, execution.WithJournal(f.journal),
		execution.WithCache(cache.New().Of(pool)),
		execution.WithEffects(func(ctx context.Context, server, tool string) config.Effect { return hints(ctx, server, tool).Effect() }),
		execution.WithRepeatable(func(server, tool string, effect config.Effect) bool {
			return hints(context.Background(), server, tool).Repeatable(effect)
		}))
	s.files[name] = f
	return f, nil
}
