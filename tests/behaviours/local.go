package behaviours

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
)

// Local is a place whose processes make runs over a store that they share. Their program is that of the test: its
// TestMain calls Serve when Asked reports so.
type Local struct {
	Title string
	Shown *journal.Store // of the test's process
	State string         // for the processes: where the store is
}

// Name is the column of the table.
func (l *Local) Name() string { return l.Title }

// Store is the store of the runs.
func (l *Local) Store() *journal.Store { return l.Shown }

// Why is empty: all behaviours are possible.
func (l *Local) Why(*Behaviour) string { return "" }

// stateEnv is the variable by which a process of a Local place knows that it is one, and where its store is.
const stateEnv = "BEHAVIOURS_STATE"

// Begin starts the program of the test again, as a process of the place.
func (l *Local) Begin(ctx context.Context, s Setup) (Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), self) // the driver ends it
	cmd.Env = append(os.Environ(), stateEnv+"="+l.State, "BEHAVIOURS_DIR="+s.Dir, "BEHAVIOURS_FREEZE="+s.Freeze)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, in: json.NewEncoder(in), waiting: map[int]chan string{}, done: make(chan struct{})}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go p.read(out)
	return p, nil
}

// process is the test's side of a process.
type process struct {
	cmd *exec.Cmd

	mu      sync.Mutex // guards what follows
	in      *json.Encoder
	last    int
	waiting map[int]chan string // for the answers to orders
	done    chan struct{}       // closed when the process is gone
}

// order is what a process is to do: one line of its standard input.
type order struct {
	ID   int    `json:"id"`
	Do   action `json:"do"`
	Task Task   `json:"task"`

	How    resolution        `json:"how"`
	Answer execution.Answer  `json:"answer"`
	From   string            `json:"from,omitempty"`
	At     execution.Address `json:"at,omitempty"`
}

// doStart starts a run.
const doStart action = "start"

// resolution is execution.Resolution as JSON.
type resolution struct {
	Repeat, RepeatAll, Nothing bool
	Value                      value.JSON `json:",omitzero"`
}

// carried is the answer to an order: why it could not begin.
type carried struct {
	ID  int    `json:"id"`
	Err string `json:"err,omitempty"`
}

func (p *process) read(out io.Reader) {
	defer close(p.done)
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var a carried
		if json.Unmarshal(lines.Bytes(), &a) != nil {
			continue
		}
		p.mu.Lock()
		waits := p.waiting[a.ID]
		delete(p.waiting, a.ID)
		p.mu.Unlock()
		if waits != nil {
			waits <- a.Err
		}
	}
}

// carry gives an order and waits for its answer, or for the end of the process.
func (p *process) carry(ctx context.Context, o order) error {
	answer := make(chan string, 1)
	p.mu.Lock()
	p.last++
	o.ID = p.last
	p.waiting[o.ID] = answer
	err := p.in.Encode(o)
	p.mu.Unlock()
	if err != nil {
		return nil //nolint:nilerr // the process is gone
	}
	select {
	case why := <-answer:
		if why != "" {
			return errors.New(why)
		}
		return nil
	case <-p.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *process) Start(ctx context.Context, task Task) error {
	return p.carry(ctx, order{Do: doStart, Task: task})
}

func (p *process) GoOn(ctx context.Context, task Task, how execution.Resolution) error {
	return p.carry(ctx, order{Do: doGoOn, Task: task, How: resolution{how.Repeat, how.RepeatAll, how.Nothing, value.JSON{Value: how.Value}}})
}

func (p *process) Fork(ctx context.Context, task Task, from string, at execution.Address) error {
	return p.carry(ctx, order{Do: doFork, Task: task, From: from, At: at})
}

func (p *process) Cancel(ctx context.Context, run string) error {
	return p.carry(ctx, order{Do: doCancel, Task: Task{Run: run}})
}

func (p *process) Answer(ctx context.Context, run string, a execution.Answer) error {
	return p.carry(ctx, order{Do: doAnswer, Task: Task{Run: run}, Answer: a})
}

func (p *process) Stop(ctx context.Context, run string) error {
	return p.carry(ctx, order{Do: doStop, Task: Task{Run: run}})
}

// Kill ends the process by SIGKILL.
func (p *process) Kill() error {
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-p.done
	_ = p.cmd.Wait() // says that it was killed
	return nil
}
