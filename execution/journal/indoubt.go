package journal

import (
	"context"
	"maps"
	"slices"

	"toolgraph/config"
	"toolgraph/execution"
)

// InDoubt returns the calls of a run that have started and whose outcome is unknown, in the order
// of their addresses: those in flight when its process died, or now while it runs. A repeated call
// has the number of its attempt.
func (s *Store) InDoubt(ctx context.Context, id string) ([]execution.Visit, error) {
	open := openCalls{}
	err := s.walk(ctx, id, position{}, func(f frame) (bool, error) {
		open.event(&f.event)
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	var calls []execution.Visit
	for _, call := range open.sorted() {
		calls = append(calls, *call.visit)
	}
	return calls, nil
}

// openCalls are the calls of a run without an outcome.
type openCalls map[execution.Address]openCall

type openCall struct {
	visit *execution.Visit
	note  *Note // nil: the run has an event of it
}

// event follows the events of a run.
func (o openCalls) event(e *execution.Event) {
	if e.End != nil && !isUnknown(e.End) {
		clear(o)
		return
	}
	at := e.At()
	switch {
	case e.Kind == execution.CallStarted:
		if before, isOpen := o[at]; !isOpen || attemptOf(e.Step) >= attemptOf(before.visit) {
			o[at] = openCall{visit: e.Step}
		}
	case e.Kind == execution.AttemptFailed:
		if call, isOpen := o[at]; isOpen && attemptOf(call.visit) <= attemptOf(e.Step) {
			delete(o, at)
		}
	case e.Record != nil:
		delete(o, at)
		if e.Record.Part != "" && e.Record.NodeType == config.MCPNode { // nothing is below it
			return
		}
		for inner := range o {
			if closerOf(e.Record).closes(inner) {
				delete(o, inner)
			}
		}
	}
}

// isUnknown reports whether a run ended only because of an in-doubt call.
func isUnknown(end *execution.End) bool {
	return end.Failure != nil && end.Failure.Code == execution.CodeOutcomeUnknown
}

// attemptOf returns the number of the attempt that a visit is of, from 1.
func attemptOf(v *execution.Visit) int { return max(1, v.Attempt) }

// sorted returns the calls in the order of their addresses.
func (o openCalls) sorted() []openCall {
	return slices.SortedFunc(maps.Values(o), func(a, b openCall) int { return a.visit.At().Compare(b.visit.At()) })
}

// closer is where a record is, and so what it ends.
type closer struct {
	frame execution.Address
	index int
	part  string
}

func closerOf(r *execution.Record) closer { return closer{r.Frame, r.Index, r.Part} }

// closes reports whether the record ends everything at an address: it is of the same step or part, of
// one around it, or of a later one.
func (c closer) closes(at execution.Address) bool {
	for at != "" {
		frame, index, part := at.Split()
		if c.frame == frame && (c.index > index || c.index == index && (c.part == "" || c.part == part)) {
			return true
		}
		at = frame
	}
	return false
}
