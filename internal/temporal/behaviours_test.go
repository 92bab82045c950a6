package temporal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/execution/journal/sqlite"
	"toolgraph/internal/project"
	"toolgraph/internal/runtime"
	"toolgraph/tests/behaviours"
)

// freezeVariable lets the runs of a worker stop at events, see behaviours.Frozen.
const freezeVariable = "TOOLGRAPH_TEMPORAL_FREEZE"

// freeze does what the environment of a worker of TestBehaviours asks for.
func freeze() {
	file := os.Getenv(freezeVariable)
	if file == "" {
		return
	}
	aroundJournal = func(j execution.Journal) execution.Journal {
		frozen, err := behaviours.Frozen(j, file)
		if err != nil {
			panic(err)
		}
		return frozen
	}
}

// What runs do in other places they do on Temporal, too.
func TestBehaviours(t *testing.T) {
	p := newPlace(t)
	store, err := sqlite.Open(p.state, journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	behaviours.Run(t, &fleet{place: p, t: t, store: store}, "../../docs/behaviours.md")
}

// fleet is a Temporal server and its workers, as a place of behaviours.
type fleet struct {
	*place
	t     *testing.T
	store *journal.Store
}

func (f *fleet) Name() string          { return "Temporal" }
func (f *fleet) Store() *journal.Store { return f.store }

func (f *fleet) Why(b *behaviours.Behaviour) string {
	switch {
	case b.NoUser:
		return "not here: a workflow waits for its user"
	case b.Resolves():
		return "not here: `toolgraph resume` resolves the call, outside Temporal"
	case b.Does("fork"):
		return "not here: `toolgraph fork` makes it, outside Temporal"
	case b.Does("take"):
		return "not here: Temporal gives a run to one worker"
	case b.Does("stop"):
		return "not here: a worker is stopped with all of its runs"
	case b.Name == "changed":
		return "not here: the run waits for a worker that has its graph"
	case b.Name == "ended":
		return "not here: a workflow ends once"
	}
	return ""
}

func (f *fleet) Begin(_ context.Context, s behaviours.Setup) (behaviours.Process, error) {
	f.t.Setenv(freezeVariable, s.Freeze)
	return &hands{fleet: f, dir: s.Dir, process: f.worker(f.t, s.Dir)}, nil
}

// hands is a worker, as a process of behaviours.
type hands struct {
	*fleet
	*process
	dir string
}

func (h *hands) Start(ctx context.Context, task behaviours.Task) error {
	p, err := project.Load(ctx, filepath.Join(h.dir, task.File+".yaml"), config.Options{})
	if err != nil {
		return err
	}
	g, err := p.Graph(task.File)
	if err != nil {
		return err
	}
	r := &remote{client: h.client, queues: queues{h.queue}, log: slog.New(slog.DiscardHandler)}
	_, err = r.start(ctx, task.Run, false, Input{Tool: task.File, Graph: g.HashWith(nil), Args: task.Args})
	if err != nil {
		return err
	}
	return h.GoOn(ctx, task, execution.Resolution{})
}

// GoOn waits for the end: Temporal gives the run to the next worker by itself.
func (h *hands) GoOn(ctx context.Context, task behaviours.Task, _ execution.Resolution) error {
	if err := h.client.GetWorkflow(ctx, task.Run, "").Get(ctx, nil); isPermanent(err) {
		return err
	}
	return nil
}

func (h *hands) Cancel(ctx context.Context, run string) error {
	return h.client.CancelWorkflow(ctx, run, "")
}

func (h *hands) Answer(ctx context.Context, run string, a execution.Answer) error {
	recorded, err := h.store.Exact(ctx, run)
	if err != nil {
		return err
	}
	if recorded.Question == nil {
		return errors.New("the run has no question")
	}
	if err := runtime.StoreAnswer(ctx, h.store, run, *recorded.Question, a); err != nil {
		return err
	}
	return h.client.SignalWorkflow(ctx, run, "", AnswerSignal, Answer{At: recorded.Question.Address, Digest: recorded.Question.Digest})
}

func (h *hands) Kill() error {
	h.kill()
	select {
	case <-h.exited:
		return nil
	default:
		return fmt.Errorf("worker %d is alive", h.Process.Pid)
	}
}
