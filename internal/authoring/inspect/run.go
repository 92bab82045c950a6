package inspect

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/internal/authoring/view"
	"toolgraph/internal/base/wording"
)

// RunQuery selects one run and what is shown of it.
type RunQuery struct {
	Run        string // an id, the beginning of one, or "last"
	From       int    // the first step, counted in the order of the list
	Limit      int    // at most so many steps; 0: 100
	ValueBytes int    // of each value; 0: DefaultValueBytes, below 0: all
	Step       string // the address of a step: only this one, and what is below it; empty: all
	All        bool   // also the steps below those that have many
	Context    string // the address of a step: also return the context that its expressions saw; empty: no
}

const defaultSteps = 100

// Run is a recorded run. Its history is in the order of addresses: what is below a step comes
// before it. Of steps that have many below them, only their number is there.
type Run struct {
	journal.Run
	Arguments Value            `json:"arguments"`
	Step      *Step            `json:"step,omitempty"` // that was asked for, in a run with called graphs or parts; the history is then what is below it
	History   []Step           `json:"history"`
	InDoubt   []view.Call      `json:"inDoubt,omitempty"` // calls of parts and called graphs whose outcome is unknown, in a run that was interrupted
	Context   map[string]Value `json:"context,omitempty"` // by node: its latest output before that step, unless it is nothing
	Remedy    string           `json:"remedy,omitempty"`  // what can be done about a run that waits, or has failed because of its user
	Next      int              `json:"next,omitempty"`    // from of the next steps; 0 at the end
}

// ReadRun returns a run with its steps.
func (i *Inspector) ReadRun(ctx context.Context, q RunQuery) (*Run, error) {
	s, err := i.store()
	if err != nil {
		return nil, err
	}
	recorded, err := i.find(ctx, s, q.Run)
	if err != nil {
		return nil, err
	}
	r := reading{store: s, run: recorded, most: max(0, cmp.Or(q.ValueBytes, DefaultValueBytes))}
	args, err := s.Arguments(ctx, recorded.ID, r.most)
	if err != nil {
		return nil, err
	}
	out := &Run{Run: recorded, Arguments: view.RecordedOf(args), Remedy: remedyOf(&recorded)}
	if recorded.Nested > 0 {
		if r.history, err = s.History(ctx, recorded.ID); err != nil {
			return nil, err
		}
	}
	if err := r.steps(ctx, q, out); err != nil {
		return nil, err
	}
	if err := r.questions(ctx, out); err != nil {
		return nil, err
	}
	if out.InDoubt, err = r.inDoubt(ctx); err != nil {
		return nil, err
	}
	if q.Context != "" {
		out.Context, err = r.context(ctx, q.Context)
	}
	return out, err
}

// reading reads one run.
type reading struct {
	store   *journal.Store
	run     journal.Run
	history *journal.History // nil: the run has neither called graphs nor parts
	most    int              // bytes of a value; 0: all
}

// steps reads the steps that a query selects.
func (r *reading) steps(ctx context.Context, q RunQuery, out *Run) error {
	limit := cmp.Or(q.Limit, defaultSteps)
	at, err := parseAddress(q.Step)
	switch {
	case err != nil:
		return err
	case r.history == nil:
		return r.plainSteps(ctx, at, q.From, limit, out)
	}
	entries := list(r.history, at, q.All)
	end := min(len(entries), q.From+limit)
	if out.History, err = r.entries(ctx, entries[min(q.From, end):end]); err != nil {
		return err
	}
	if end < len(entries) {
		out.Next = end
	}
	if at == "" {
		return nil
	}
	place, ok := r.history.Find(at)
	if !ok {
		return r.noStep(at)
	}
	own, err := r.entries(ctx, []entry{{at: at, place: place}})
	if err == nil {
		out.Step = &own[0]
	}
	return err
}

// plainSteps reads steps of a run without called graphs and parts.
func (r *reading) plainSteps(ctx context.Context, at execution.Address, from, limit int, out *Run) error {
	if at != "" {
		frame, index, part := at.Split()
		if frame != "" || part != "" || index >= r.run.Steps {
			return r.noStep(at)
		}
		from, limit = index, 1
	}
	steps, err := r.store.Steps(ctx, r.run.ID, from, limit, r.most)
	if err != nil {
		return err
	}
	out.History = make([]Step, len(steps))
	for n, step := range steps {
		out.History[n] = view.StepOf(step)
	}
	if end := from + len(steps); len(steps) > 0 && end < r.run.Steps {
		out.Next = end
	}
	return nil
}

// entries reads the steps of a list.
func (r *reading) entries(ctx context.Context, listed []entry) ([]Step, error) {
	var places []int
	for _, e := range listed {
		if e.place >= 0 {
			places = append(places, e.place)
		}
	}
	read, err := r.history.Steps(ctx, places, r.most)
	if err != nil {
		return nil, err
	}
	steps := make([]Step, len(listed))
	for n, e := range listed {
		if e.place >= 0 {
			steps[n], read = view.StepOf(read[0]), read[1:]
		} else {
			steps[n] = view.Step{Open: true}
			_, steps[n].Index, steps[n].Part = e.at.Split()
		}
		steps[n].Address, steps[n].Below = e.at, e.below
	}
	return steps, nil
}

func parseAddress(text string) (execution.Address, error) {
	if text == "" {
		return "", nil
	}
	return execution.ParseAddress(text)
}

func (r *reading) noStep(at execution.Address) error {
	return fmt.Errorf("run %s has %s, numbered from 0; it has no step %s", r.run.ID, wording.Count(r.run.Steps, "step"), at)
}

// inDoubt returns the calls whose outcome is unknown, when there are such of parts or of called
// graphs.
func (r *reading) inDoubt(ctx context.Context) ([]view.Call, error) {
	calls, err := r.allInDoubt(ctx)
	nested := slices.ContainsFunc(calls, func(c view.Call) bool {
		frame, _, part := c.Address.Split()
		return frame != "" || part != ""
	})
	if !nested {
		return nil, err
	}
	return calls, err
}

// allInDoubt returns the calls whose outcome is unknown, in a run that has ended without them.
func (r *reading) allInDoubt(ctx context.Context) (calls []view.Call, err error) {
	unknown := r.run.Failure != nil && r.run.Failure.Code == execution.CodeOutcomeUnknown
	if !r.run.CanResume() && !unknown {
		return nil, nil
	}
	open, err := r.store.InDoubt(ctx, r.run.ID)
	if err != nil {
		return nil, err
	}
	for _, v := range open {
		calls = append(calls, view.CallOf(v))
	}
	return calls, nil
}

// context returns the context of a step or part: the latest output of each node of its frame
// before it.
func (r *reading) context(ctx context.Context, text string) (map[string]Value, error) {
	at, err := parseAddress(text)
	if err != nil {
		return nil, err
	}
	frame, index, part := at.Split()
	page := r.plainPage
	if r.history != nil {
		page = r.framePage(frame)
		_, before := r.history.Find(execution.AddressOf(frame, index-1, ""))
		_, own := r.history.Find(at)
		if whole := execution.AddressOf(frame, index, ""); !own && !before && r.history.Below(whole).Steps == 0 {
			return nil, r.noStep(at)
		}
	} else if frame != "" || part != "" || index > r.run.Steps {
		return nil, fmt.Errorf("run %s has %d steps; step %s has no context", r.run.ID, r.run.Steps, at)
	}
	const pageSteps = 100 // bounds the memory: only latest outputs are held
	seen := map[string]Value{}
	for from := 0; from < index; from += pageSteps {
		before, err := page(ctx, from, min(pageSteps, index-from))
		if err != nil {
			return nil, err
		}
		for _, b := range before {
			switch {
			case b.Record.Error != nil:
			case b.Output.Nothing:
				delete(seen, b.Record.NodeID)
			default:
				seen[b.Record.NodeID] = view.RecordedOf(b.Output)
			}
		}
	}
	if r.history != nil && part != "" && r.history.IsBlock(execution.AddressOf(frame, index, "")) {
		return r.aboveStep(ctx, at, seen)
	}
	return seen, nil
}

// aboveStep returns args and the values of the steps above a step, and above what it is in; nodes are those before the
// steps.
func (r *reading) aboveStep(ctx context.Context, at execution.Address, nodes map[string]Value) (map[string]Value, error) {
	seen := map[string]Value{}
	if args, known := nodes[config.StepsEntry]; known {
		seen["args"] = args
	}
	var places []int
	for outer := at.Outer(); outer != at; at, outer = outer, outer.Outer() {
		for _, name := range r.history.Names(outer) {
			if name == at.Name() {
				break
			}
			own := outer + execution.Address("."+name)
			place, ended := r.history.Find(own)
			for ended && place+1 < r.history.Len() && r.history.At(place+1) == own {
				place++ // an edit of it
			}
			if ended {
				places = append(places, place)
			}
		}
	}
	above, err := r.history.Steps(ctx, places, r.most)
	for _, s := range above {
		if at := s.Record.At(); s.Record.Error == nil && !s.Output.Nothing {
			seen[at.Name()] = view.RecordedOf(s.Output)
		}
	}
	return seen, err
}

func (r *reading) plainPage(ctx context.Context, from, limit int) ([]journal.Step, error) {
	return r.store.Steps(ctx, r.run.ID, from, limit, r.most)
}

// framePage returns a function that reads the steps of a frame, without their parts.
func (r *reading) framePage(frame execution.Address) func(ctx context.Context, from, limit int) ([]journal.Step, error) {
	return func(ctx context.Context, from, limit int) ([]journal.Step, error) {
		var places []int
		for index := from; index < from+limit; index++ {
			if place, ok := r.history.Find(execution.AddressOf(frame, index, "")); ok {
				places = append(places, place)
			}
		}
		return r.history.Steps(ctx, places, r.most)
	}
}
