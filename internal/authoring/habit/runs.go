package habit

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// Store has recorded runs: a *journal.Store, or Exported.
type Store interface {
	List(ctx context.Context, of journal.Filter) ([]journal.Run, error)
	Run(ctx context.Context, id string) (journal.Run, error)
	Load(ctx context.Context, id string) ([]execution.Event, error)
}

// Runs are recorded runs as the source of habits: plans, pipelines, and calls of exposed tools.
type Runs struct {
	Store Store
	// Graph returns the graph that a run of a plan or a pipeline ran. An error leaves the run out.
	Graph func(ctx context.Context, run journal.Run, args value.Value) (*graph.Graph, error)
}

// Find looks for habits in the runs of each client that a filter selects.
func (r *Runs) Find(ctx context.Context, of journal.Filter, least int) ([]Habit, error) {
	of.Status = journal.Finished
	runs, err := r.Store.List(ctx, of)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(runs, func(a, b journal.Run) int { // a store has them nearly in this order
		return cmp.Or(a.Started.Compare(b.Started), strings.Compare(a.ID, b.ID))
	})
	find := Finder{Least: least}
	for _, run := range runs {
		if run.Damaged != "" {
			continue
		}
		subject, a, is, err := r.act(ctx, run)
		if err != nil {
			return nil, err
		}
		if is {
			find.Add(subject, a)
		}
	}
	habits := find.Find()
	for i := range habits {
		habits[i].Subject, habits[i].File, _ = strings.Cut(habits[i].Subject, "\x00")
	}
	return habits, nil
}

// act returns what a run was; false when it is no plan, pipeline or call of an exposed tool.
func (r *Runs) act(ctx context.Context, run journal.Run) (subject string, a Act, is bool, err error) {
	events, err := r.Store.Load(ctx, run.ID)
	if err != nil || len(events) == 0 || events[0].Start == nil {
		return "", a, false, err
	}
	start := events[0].Start
	a = Act{Time: run.Started, Args: start.Args, Ref: Ref{Run: run.ID}}
	a.Tools = toolsCalled(events)
	if last := events[len(events)-1]; last.End != nil {
		a.Result = last.End.Value
	}
	switch {
	case isRequest(start.Args):
		a.Plan, a.Written = true, value.Size(start.Args)
		a.Name, a.Args = Shape(start.Args)
	case isExposed(run.Tool, a.Tools):
		a.Name = a.Tools[0]
		a.Result = answersOf(events)[0].output
	default:
		return "", a, false, nil
	}
	return start.Subject + "\x00" + run.File, a, len(a.Tools) > 0, nil
}

// isRequest reports whether arguments are those of a plan or a pipeline.
func isRequest(args value.Value) bool {
	steps, isList := member(args, "steps").([]any)
	return isList && len(steps) > 0
}

// isExposed reports whether a tool stands for the only tool that was called.
func isExposed(tool string, called []string) bool {
	return len(called) == 1 && !strings.HasSuffix(called[0], "*") && tool == strings.Replace(called[0], ".", "__", 1)
}

// toolsCalled returns the tools that a run called, in order, * after one that is repeated.
func toolsCalled(events []execution.Event) (all []string) {
	for _, e := range events {
		if e.Kind != execution.CallStarted {
			continue
		}
		name := e.Step.Server + "." + e.Step.Tool
		last := len(all) - 1
		switch {
		case last < 0 || strings.TrimSuffix(all[last], "*") != name:
			all = append(all, name)
		case e.Step.Attempt < 2 && all[last] == name:
			all[last] = name + "*"
		}
	}
	return all
}

// answer is the answer to a recorded call.
type answer struct {
	server, tool    string
	output          value.Value
	asked, answered int // places of events
}

// answersOf returns the calls of a run that have succeeded.
func answersOf(events []execution.Event) (all []answer) {
	at := map[execution.Address]int{}
	for i, e := range events {
		switch e.Kind {
		case execution.CallStarted:
			if known, again := at[e.At()]; again {
				all[known].asked = i
				continue
			}
			at[e.At()] = len(all)
			all = append(all, answer{server: e.Step.Server, tool: e.Step.Tool, asked: i, answered: -1})
		case execution.StepFinished:
			if known, is := at[e.At()]; is && e.Record.Error == nil {
				all[known].output, all[known].answered = e.Record.Output, i
			}
		}
	}
	return slices.DeleteFunc(all, func(a answer) bool { return a.answered < 0 })
}

// Jobs returns the calls of occurrences.
func (r *Runs) Jobs(ctx context.Context, occurrences [][]Ref) (jobs []Job, requests []value.Value, err error) {
	for _, refs := range occurrences {
		var job Job
		moment := 0
		for _, ref := range refs {
			events, err := r.Store.Load(ctx, ref.Run)
			if err != nil {
				return nil, nil, err
			}
			calls, err := r.calls(ctx, ref.Run, events)
			if err != nil {
				return nil, nil, err
			}
			for _, c := range calls {
				c.Asked, c.Answered = c.Asked+moment, c.Answered+moment
			}
			job.Calls = append(job.Calls, calls...)
			moment += len(events)
			if args := events[0].Start.Args; len(refs) == 1 && isRequest(args) && member(args, "return") != nil {
				requests = append(requests, args)
			}
		}
		if len(job.Calls) > 0 {
			jobs = append(jobs, job)
		}
	}
	return jobs, requests, nil
}

// calls returns the calls of a run with their arguments: a plan or a pipeline is run again on its recorded answers.
func (r *Runs) calls(ctx context.Context, id string, events []execution.Event) ([]*Call, error) {
	answers := answersOf(events)
	start := events[0].Start
	if !isRequest(start.Args) {
		if len(answers) == 0 {
			return nil, nil
		}
		a := answers[0]
		return []*Call{{Server: a.server, Tool: a.tool, Args: start.Args, Result: a.output, Asked: a.asked, Answered: a.answered, Time: events[0].Time}}, nil
	}
	run, err := r.Store.Run(ctx, id)
	if err != nil {
		return nil, err
	}
	g, err := r.Graph(ctx, run, start.Args)
	if err != nil {
		return nil, ctx.Err() // its file is gone or has changed
	}
	recording := execution.NewRecording(events, 0)
	asked := &asking{recording: recording}
	_, err = execution.New(asked, execution.WithSequentialParts(), execution.WithSleep(noWait), execution.WithUser(recording), execution.WithCache(recording),
		execution.WithVars(start.Vars), execution.WithChanging(start.Changing, nil),
		execution.WithEffects(func(context.Context, string, string) config.Effect { return config.ReadEffect })).Run(ctx, g, start.Args)
	if err != nil {
		return nil, ctx.Err()
	}
	return asked.calls, nil
}

// asking notes the calls that a recording answers.
type asking struct {
	recording *execution.Recording
	mu        sync.Mutex // guards calls
	calls     []*Call
}

// CallTool answers a call.
func (a *asking) CallTool(ctx context.Context, c execution.Call) (value.Value, error) {
	v, err := a.recording.CallTool(ctx, c)
	a.mu.Lock()
	defer a.mu.Unlock()
	moment := 2 * len(a.calls)
	if err == nil {
		a.calls = append(a.calls, &Call{Server: c.Server, Tool: c.Tool, Args: c.Args, Result: v, Asked: moment, Answered: moment + 1})
	}
	return v, err
}
