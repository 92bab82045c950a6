package execution

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"toolgraph/expressions"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// fan is an execution that makes several calls at once: its parts.
type fan struct {
	site    *site // of the whole execution
	ctx     context.Context
	cancel  context.CancelCauseFunc
	ended   *interruption // the cause of ctx's end when a part fails
	parts   []*site
	records []*Record // of the parts that have ended

	failing chan struct{} // a lock, which may be held while a failure is recorded: guards what follows
	first   *Failure      // of the part that failed first
	kept    bool          // the part of first has a record
	more    int           // parts that failed after it
	err     error         // that ends the run
}

// forEach makes a call for each item of a list.
func (l *live) forEach(s *site, each *graph.ForEach) (outcome, error) {
	start := l.clock.now()
	items, err := s.items(each)
	if err != nil {
		rec := s.frame.failed(s, start, failureOf(s.ctx, s.node, err))
		return outcome{record: &rec}, nil
	}
	f := newFan(s)
	defer f.cancel(nil)
	for i, item := range items {
		part := f.add(strconv.Itoa(i), s.node)
		part.item = item
		part.scope = part.with(map[string]value.Value{expressions.VarItem: item, expressions.VarIndex: float64(i)})
	}
	parts := &Parts{Count: len(items)}
	if l.hooks.journal != nil || l.past.parts(s.address()) != nil {
		parts.Digest = digest(items)
	}
	if failed, err := l.startParts(f, parts); failed != nil || err != nil {
		return outcome{failed: failed}, err
	}
	return l.finishParts(f, start, each.MaxParallel, func() value.Value {
		list := make([]any, len(f.records))
		for i, rec := range f.records {
			list[i] = orNull(rec.Output)
		}
		return list
	})
}

// items returns the list of a forEach: what is no list is a list of one.
func (s *site) items(each *graph.ForEach) (items []any, err error) {
	defer recovered(&err)
	v, err := each.Items.Eval(s.ctx, s.scope)
	switch v := v.(type) {
	case nil:
		return nil, err
	case []any:
		return v, err
	default:
		if v == value.Null {
			return nil, err
		}
		return []any{v}, err
	}
}

// parallel makes the calls of the branches.
func (l *live) parallel(s *site, n *graph.Parallel) (outcome, error) {
	start := l.clock.now()
	f := newFan(s)
	defer f.cancel(nil)
	parts := &Parts{Count: len(n.Branches)}
	for _, b := range n.Branches {
		f.add(b.Name, b.Node)
		parts.Branches = append(parts.Branches, b.Name)
	}
	if failed, err := l.startParts(f, parts); failed != nil || err != nil {
		return outcome{failed: failed}, err
	}
	return l.finishParts(f, start, len(n.Branches), func() value.Value {
		var keys []string
		var values []value.Value
		for i, rec := range f.records {
			if rec.Output != nil {
				keys, values = append(keys, n.Branches[i].Name), append(values, rec.Output)
			}
		}
		return value.NewObject(keys, values)
	})
}

func newFan(s *site) *fan {
	f := &fan{site: s, ended: &interruption{why: "another part of the node has failed"}, failing: make(chan struct{}, 1)}
	f.ctx, f.cancel = context.WithCancelCause(s.ctx)
	return f
}

// add adds a part.
func (f *fan) add(part string, node graph.Node) *site {
	s := *f.site
	s.part, s.node, s.ctx = part, node, f.ctx
	f.parts = append(f.parts, &s)
	return &s
}

// startParts records that the parts begin, unless that is recorded. The failure is a limit that
// leaves too little for them.
func (l *live) startParts(f *fan, parts *Parts) (*Failure, error) {
	s := f.site
	f.records = make([]*Record, len(f.parts))
	if before := l.past.parts(s.address()); before != nil { // of a resumed run
		if before.Count != parts.Count || before.Digest != "" && before.Digest != parts.Digest {
			return nil, fmt.Errorf("node %q has other items than before the run was interrupted: %w", s.name(), ErrItemsChanged)
		}
		return nil, nil
	}
	if len(f.parts) == 0 {
		return nil, nil
	}
	if failed := f.limit(); failed != nil {
		return s.located(failed), nil
	}
	return nil, l.emit(s.ctx, Event{Kind: PartsStarted, Run: l.id, Time: l.clock.now(), Step: s.visit(), Parts: parts})
}

// ErrItemsChanged is the error of a resumed run whose forEach has other items than before: its
// parts cannot be continued. The run stays interrupted.
var ErrItemsChanged = errors.New("items-changed: compute the items in a transform, whose output is recorded")

// limit returns the limit that leaves too little for all parts; or nil.
func (f *fan) limit() *Failure {
	s := f.site
	needs := 0
	for _, part := range f.parts {
		needs++
		if n, isGraph := part.node.(*graph.SubGraph); isGraph {
			needs += n.Graph.Shortest()
		}
	}
	what := "forEach has " + strconv.Itoa(len(f.parts)) + " items"
	if _, isParallel := s.node.(*graph.Parallel); isParallel {
		what = "parallel has " + strconv.Itoa(len(f.parts)) + " branches"
	}
	if reached := s.frame.budget.leaves(executions, needs); reached != nil {
		if needs > len(f.parts) {
			what += fmt.Sprintf(", which take %d executions or more,", needs)
		}
		return failureAt(CodeLimit, s.node, nil, "%s and executionLimits.maxNodeExecutions leaves %d of %d; raise it, or take fewer",
			what, reached.left, reached.most)
	}
	calls := 0
	for _, part := range f.parts {
		if _, isCall := part.node.(*graph.MCP); isCall {
			calls++
		}
	}
	if reached := s.frame.budget.leaves(callsMade, calls); reached != nil {
		return failureAt(CodeLimit, s.node, nil, "%s and executionLimits.maxCalls leaves %d of %d; raise it, or take fewer",
			what, reached.left, reached.most)
	}
	return nil
}

// finishParts runs the parts and makes the record of the whole execution.
func (l *live) finishParts(f *fan, start time.Time, most int, joined func() value.Value) (outcome, error) {
	s := f.site
	if failed := l.past.failedPart(s.address()); failed != nil {
		rec := s.frame.failed(s, start, failed)
		return outcome{record: &rec}, nil
	}
	l.runParts(f, most)
	switch {
	case f.err != nil:
		return outcome{}, f.err
	case f.first != nil && (!f.kept || f.first.interrupted() || suspended(l.base, f.first)):
		return outcome{failed: f.first}, nil
	case f.first != nil:
		failed := *f.first
		failed.More = f.more
		rec := s.frame.failed(s, start, &failed)
		return outcome{record: &rec}, nil
	}
	rec := s.frame.joined(s, start, joined(), len(f.parts))
	return outcome{record: &rec}, nil
}

// failed makes the record of an execution whose items or parts have failed. No onError takes
// that: those of the parts have been asked.
func (f *frame) failed(s *site, start time.Time, failed *Failure) Record {
	return Record{
		Frame: f.address, Index: s.index, Tool: f.tool, NodeID: s.node.ID(), NodeType: s.node.Type(),
		Start: start, End: f.live.clock.now(), Error: failed,
	}
}

// joined makes the record of an execution whose output is made of its parts.
func (f *frame) joined(s *site, start time.Time, output value.Value, parts int) Record {
	rec := Record{
		Frame: f.address, Index: s.index, Tool: f.tool, NodeID: s.node.ID(), NodeType: s.node.Type(),
		Start: start, End: f.live.clock.now(), Parts: parts,
	}
	if f.setOutput(&rec, s.node, output); rec.Error != nil {
		rec.Parts = 0
	}
	return rec
}

// runParts runs the parts, at most so many at once; one after the other while a gate holds the
// run. Parts with calls whose outcome is unknown go first, so that these are resolved in order.
func (l *live) runParts(f *fan, most int) {
	for i, s := range f.parts {
		if l.past.isInDoubt(s.address()) && f.ctx.Err() == nil {
			l.runPart(f, i)
		}
	}
	if most <= 1 || l.hooks.gate != nil {
		for i := range f.parts {
			if f.first != nil || f.err != nil {
				return
			}
			l.runPart(f, i)
		}
		return
	}
	var group errgroup.Group
	group.SetLimit(most)
	turn := make(chan struct{})
	close(turn)
	for i, s := range f.parts {
		if f.ctx.Err() != nil {
			break
		}
		next := make(chan struct{})
		s.turn, s.next = turn, sync.OnceFunc(func() { close(next) })
		turn = next
		group.Go(func() error {
			defer s.next()
			l.runPart(f, i)
			return nil
		})
	}
	_ = group.Wait() // the parts return nil
	if err := f.site.ctx.Err(); err != nil && f.first == nil && f.err == nil && f.incomplete() {
		f.first = endOf(f.site.ctx, f.site.node, "while this node waited for its server", err)
	}
}

// incomplete reports whether a part has not ended.
func (f *fan) incomplete() bool {
	for _, rec := range f.records {
		if rec == nil {
			return true
		}
	}
	return false
}

// runPart runs a part, unless its record is known.
func (l *live) runPart(f *fan, i int) {
	s := f.parts[i]
	if f.records[i] != nil {
		return
	}
	if f.records[i] = l.past.part(s.address()); f.records[i] != nil {
		return
	}
	out, err := l.part(s)
	if err == nil && out.failed == nil && out.record.Error == nil {
		if _, err = l.commit(s.frame, out); err == nil {
			f.records[i] = out.record
			return
		}
	}
	f.fail(l, out, err)
}

// fail records the failure of a part and ends the others. A part that only ended because another
// has failed leaves no record.
func (f *fan) fail(l *live, out outcome, err error) {
	f.failing <- struct{}{}
	defer func() { <-f.failing }()
	failed := out.failed
	if out.record != nil {
		failed = out.record.Error
	}
	if failed != nil && errors.Is(failed, ErrSuspended) { // the other parts end their calls, and begin no more
		f.first = cmp.Or(f.first, failed)
		return
	}
	switch {
	case err != nil:
		if f.err == nil {
			f.err = err
		}
	case failed.interrupted() || f.first != nil && failed.endedWithRun():
		if f.first == nil {
			f.first = failed
		}
	case out.record == nil:
		if f.first == nil {
			f.first = failed
		}
	default:
		if _, err := l.commit(f.site.frame, out); err != nil && f.err == nil {
			f.err = err
		}
		if f.first == nil {
			f.first, f.kept = failed, true
		} else {
			f.more++
		}
	}
	f.cancel(f.ended)
}

// part runs one part.
func (l *live) part(s *site) (out outcome, err error) {
	defer func() {
		var fault *PanicError
		if errors.As(err, &fault) {
			rec := s.frame.record(*s, l.clock.now(), nil, err)
			out, err = outcome{record: &rec}, nil
		}
	}()
	defer recovered(&err)
	if err := l.wait(s.frame, s); err != nil {
		return outcome{}, err
	}
	if err := s.ctx.Err(); err != nil {
		return outcome{failed: endOf(s.ctx, s.node, "before its call", err)}, nil
	}
	if failed := l.hooks.stopped(); failed != nil {
		return outcome{failed: failed}, nil
	}
	if reached := s.frame.budget.reserve(executions, 1); reached != nil {
		return outcome{failed: s.located(failureAt(CodeLimit, s.node, nil, "executionLimits.maxNodeExecutions is %d, and that many nodes have run; "+
			"raise it, or take fewer items", reached.most))}, nil
	}
	return l.call(s)
}
