package behaviours

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"sync"

	"toolgraph/execution"
	"toolgraph/execution/journal"
)

// Place is where runs are made. The driver reads what happened from its store, so a place only makes processes.
type Place interface {
	// Name is the column of the table.
	Name() string
	// Store is the store of the runs, opened by the process of the test.
	Store() *journal.Store
	// Begin starts a process that has the graph files of a directory. It may continue interrupted runs by
	// itself, or wait for GoOn.
	Begin(ctx context.Context, s Setup) (Process, error)
	// Why says why this place cannot do a behaviour; empty: it can.
	Why(b *Behaviour) string
}

// Setup is what a process gets.
type Setup struct {
	Dir    string // its graph files, one for each behaviour: DIR/NAME.yaml with the tool NAME
	Freeze string // a file for Frozen
}

// Process is a process that makes runs. Its methods are called by several goroutines.
type Process interface {
	// Start makes a run, and returns when it has ended, or is suspended, or the process is gone. Whatever the
	// outcome of the run is, the error is only why it could not begin.
	Start(ctx context.Context, task Task) error
	// GoOn continues a run whose process is gone, like Start. Where runs continue by themselves it
	// waits.
	GoOn(ctx context.Context, task Task, how execution.Resolution) error
	// Cancel cancels a run as its client does.
	Cancel(ctx context.Context, run string) error
	// Answer answers the open question of a run.
	Answer(ctx context.Context, run string, a execution.Answer) error
	// Kill ends the process by SIGKILL, and returns when it is gone.
	Kill() error
}

// Forker is a Process that can continue a run as another one from a step on.
type Forker interface {
	Fork(ctx context.Context, task Task, from string, at execution.Address) error
}

// Stopper is a Process that can suspend a run, as a process that is stopped does: before its next node, or while it
// waits. Any process may continue it.
type Stopper interface {
	Stop(ctx context.Context, run string) error
}

// Task is a run of the tool of a graph file that has its name.
type Task struct {
	Run    string          `json:"run"`
	File   string          `json:"file"`
	Args   json.RawMessage `json:"args"`
	NoUser bool            `json:"noUser,omitempty"` // no user can be asked
}

// Frozen returns a journal whose runs stop at an event: file is a JSON object with an event for each run, as
// Describe describes it. Once that event is durable, Append never returns, so that a process can be killed at
// exactly this point. An empty path freezes nothing.
func Frozen(j execution.Journal, file string) (execution.Journal, error) {
	if file == "" {
		return j, nil
	}
	src, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	f := &frozen{Journal: j}
	if err := json.Unmarshal(src, &f.at); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return f, nil
}

type frozen struct {
	execution.Journal
	at map[string]string // the event of each run

	mu   sync.Mutex // guards done
	done []string   // runs that have come to their event
}

func (f *frozen) Append(ctx context.Context, e execution.Event) error {
	f.mu.Lock()
	stopped := slices.Contains(f.done, e.Run)
	last := !stopped && f.at[e.Run] != "" && f.at[e.Run] == Describe(&e)
	if last {
		f.done = append(f.done, e.Run)
	}
	f.mu.Unlock()
	if stopped {
		select {}
	}
	if err := f.Journal.Append(ctx, e); err != nil {
		return err
	}
	if last {
		if err := f.Flush(ctx, e.Run); err != nil {
			return err
		}
		select {}
	}
	return nil
}

// Flush waits until the events of a run survive the process.
func (f *frozen) Flush(ctx context.Context, run string) error {
	if j, ok := f.Journal.(execution.Flusher); ok {
		return j.Flush(ctx, run)
	}
	return nil
}

// Describe returns an event in a few words: "call-started 2", "call-started 2#3" for the third attempt,
// "step-finished 4.1", "run-finished".
func Describe(e *execution.Event) string {
	text := string(e.Kind)
	if at := e.At(); at != "" {
		text += " " + string(at)
	}
	attempt := 0
	if e.Step != nil {
		attempt = e.Step.Attempt
	}
	if attempt > 1 {
		text += fmt.Sprintf("#%d", attempt)
	}
	return text
}
