package execution

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"toolgraph/expressions"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// fan is an execution that makes several calls at once: its parts.
type fan struct {
	site    *site // of the whole execution
	ctx     context.Context
	work    context.Context // of the evaluations of its parts
	cancel  context.CancelCauseFunc
	ended   *interruption     // the cause of ctx's end when a part fails
	part    func(i int) *site // makes the site of a part
	needs   [][]int           // for each part the parts before it that end first; nil: none
	steps   *graph.Steps      // of a block; else nil
	edits   *edits            // of a block, in a run with a Gate; else nil
	mixed   bool              // the output is not just the list, or the object, of those of all parts
	enough  func(i int) bool  // of parts that run one after the other: none follows part i; nil: all run
	surely  int               // parts that run unless one fails
	records []*Record         // one for each part, nil until it has ended
	over    []atomic.Bool     // of a plan: which of them have

	failing chan struct{} // a lock, which may be held while a failure is recorded: guards what follows
	first   *Failure      // of the part that failed first
	noted   bool          // first is recorded, with its part or with the whole execution
	more    int           // parts that failed after it
	err     error         // that ends the run
}

// forEach makes a call for each item of a list.
func (l *live) forEach(s *site, each *graph.ForEach) (outcome, error) {
	start := l.clock.now()
	items, err := s.items(each)
	if err != nil {
		return s.fails(start, err)
	}
	f := newFan(s, len(items))
	defer f.cancel(nil)
	f.part = func(i int) *site {
		part := f.new(strconv.Itoa(i), s.node)
		part.item = items[i]
		part.scope = part.with(map[string]value.Value{expressions.VarItem: items[i], expressions.VarIndex: float64(i)})
		return part
	}
	parts := &Parts{Count: len(items)}
	if l.hooks.journal != nil || l.past.parts(s.address()) != nil {
		if parts.Digest, err = digestWithin(s.work, items); err != nil {
			return s.fails(start, endOf(s.work, s.node, "before its parts", err))
		}
	}
	if failed, err := l.startParts(f, parts, len(items)*leastExecutions(s.node)); failed != nil || err != nil {
		return outcome{failed: failed}, err
	}
	if err := l.agreeAll(f); err != nil {
		return outcome{}, err
	}
	return l.finishParts(f, start, each.MaxParallel, func() (value.Value, error) {
		list := make([]any, len(f.records))
		for i, rec := range f.records {
			list[i] = orNull(rec.Output)
		}
		return list, nil
	})
}

// items returns the list of a forEach.
func (s *site) items(each *graph.ForEach) (items []value.Value, err error) {
	defer recovered(&err)
	return each.List(s.work, s.scope)
}

// parallel makes the calls of the branches.
func (l *live) parallel(s *site, n *graph.Parallel) (outcome, error) {
	start := l.clock.now()
	f := newFan(s, len(n.Branches))
	defer f.cancel(nil)
	f.part = func(i int) *site { return f.new(n.Branches[i].Name, n.Branches[i].Node) }
	parts := &Parts{Count: len(n.Branches)}
	needs := 0
	for _, b := range n.Branches {
		parts.Branches = append(parts.Branches, b.Name)
		needs += leastExecutions(b.Node)
	}
	if failed, err := l.startParts(f, parts, needs); failed != nil || err != nil {
		return outcome{failed: failed}, err
	}
	return l.finishParts(f, start, len(n.Branches), func() (value.Value, error) {
		var keys []string
		var values []value.Value
		for i, rec := range f.records {
			if rec.Output != nil {
				keys, values = append(keys, n.Branches[i].Name), append(values, rec.Output)
			}
		}
		return value.NewObject(keys, values), nil
	})
}

// leastExecutions returns how few executions a part takes: itself, and those of the graph that it
// calls.
func leastExecutions(part graph.Node) int {
	if n, isGraph := part.(*graph.SubGraph); isGraph {
		return 1 + n.Graph.Shortest()
	}
	return 1
}

func newFan(s *site, parts int) *fan {
	f := &fan{site: s, records: make([]*Record, parts), surely: parts, ended: &interruption{why: "another part of the node has failed"}, failing: make(chan struct{}, 1)}
	f.ctx, f.cancel = context.WithCancelCause(s.ctx)
	f.work = s.frame.live.evaluating(f.ctx)
	if s.frame.graph.Plan != nil {
		f.over = make([]atomic.Bool, parts)
	}
	return f
}

// new returns the site of a part.
func (f *fan) new(part string, node graph.Node) *site {
	s := *f.site
	s.part, s.node, s.ctx, s.work = part, node, f.ctx, f.work
	return &s
}

// startParts records that the parts begin, unless that is recorded. The failure is a limit that
// leaves too little for them: they need so many executions or more.
func (l *live) startParts(f *fan, parts *Parts, needs int) (*Failure, error) {
	s := f.site
	if before := l.past.parts(s.address()); before != nil { // of a resumed run
		if before.Count != parts.Count || before.Digest != "" && before.Digest != parts.Digest {
			return nil, fmt.Errorf("node %q has other items than before the run was interrupted: %w", s.name(), ErrItemsChanged)
		}
		return nil, nil
	}
	if parts.Count == 0 {
		return nil, nil
	}
	if failed := f.limit(needs); failed != nil {
		return s.located(failed), nil
	}
	return nil, l.emit(s.ctx, &Event{Kind: PartsStarted, Run: l.id, Time: l.clock.now(), Step: s.visit(), Parts: parts})
}

// ErrItemsChanged is the error of a resumed run whose forEach has other items than before: its
// parts cannot be continued. The run stays interrupted.
var ErrItemsChanged = errors.New("items-changed: compute the items in a transform, whose output is recorded")

// limit returns the limit that leaves too little for all parts; or nil.
func (f *fan) limit(needs int) *Failure {
	s, n := f.site, len(f.records)
	what := "forEach has " + strconv.Itoa(n) + " items"
	if s.step != nil {
		what = fmt.Sprintf("step %q has %d items", s.name(), n)
	}
	calls := 0
	switch node := s.node.(type) {
	case *graph.Steps:
		if f.needs != nil {
			what = fmt.Sprintf("the steps of %q are %d", s.name(), n)
		}
	case *graph.MCP:
		if !s.frame.live.caches(node) { // cached answers are no calls
			calls = f.surely
		}
	case *graph.Parallel:
		what = "parallel has " + strconv.Itoa(n) + " branches"
		for _, b := range node.Branches {
			if m, isCall := b.Node.(*graph.MCP); isCall && !s.frame.live.caches(m) {
				calls++
			}
		}
	case *graph.Entry, *graph.SubGraph, *graph.Ask, *graph.Transform, *graph.Switch, *graph.Exit:
	}
	if reached := s.frame.budget.leaves(executions, needs); reached != nil {
		if needs > n {
			what += fmt.Sprintf(", which take %d executions or more,", needs)
		}
		return failureAt(CodeLimit, s.node, nil, "%s and executionLimits.maxNodeExecutions leaves %d of %d; raise it, or take fewer",
			what, reached.left, reached.most)
	}
	if reached := s.frame.budget.leaves(callsMade, calls); reached != nil {
		return failureAt(CodeLimit, s.node, nil, "%s and executionLimits.maxCalls leaves %d of %d; raise it, or take fewer",
			what, reached.left, reached.most)
	}
	return nil
}

// finishParts runs the parts and makes the record of the whole execution.
func (l *live) finishParts(f *fan, start time.Time, most int, joined func() (value.Value, error)) (outcome, error) {
	s := f.site
	if failed := l.past.failedPart(s.address()); failed != nil {
		return recorded(s.frame.failed(s, start, failed), false)
	}
	l.runParts(f, most)
	switch {
	case f.err != nil:
		return outcome{}, f.err
	case f.first != nil && (!f.noted || f.first.interrupted() || suspended(l.base, f.first)):
		return ended(f.first)
	case f.first != nil:
		failed := *f.first
		failed.More = f.more
		return recorded(s.frame.failed(s, start, &failed), false)
	}
	output, err := joined()
	if err != nil {
		return s.fails(start, err)
	}
	parts := len(f.records)
	if f.mixed {
		parts = 0
	}
	return recorded(s.frame.joined(s, start, output, parts), false)
}

// fails ends an execution that fails before its parts, between or after them. No onError takes that.
func (s *site) fails(start time.Time, err error) (outcome, error) {
	return recorded(s.frame.failed(s, start, s.located(failureOf(s.ctx, s.node, err))), false)
}

// failed makes the record of an execution whose items or parts have failed. No onError takes
// that: those of the parts have been asked.
func (f *frame) failed(s *site, start time.Time, failed *Failure) *Record {
	rec := f.newRecord(s, start)
	rec.Error = failed
	return rec
}

// joined makes the record of an execution whose output is made of its parts.
func (f *frame) joined(s *site, start time.Time, output value.Value, parts int) *Record {
	rec := f.newRecord(s, start)
	rec.Parts = parts
	if f.setOutput(s.work, rec, s.node, output); rec.Error != nil {
		rec.Parts = 0
	}
	return rec
}
