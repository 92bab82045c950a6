package execution

import "toolgraph/graph"

// wait waits for the gate before the next node, if there is one, and makes its edits. The time
// does not count for the time limit.
func (l *live) wait() error {
	if l.hooks.gate == nil {
		return nil
	}
	l.cancel()
	held := l.hooks.now()
	err := l.hold()
	l.run.started = l.run.started.Add(max(0, l.hooks.now().Sub(held)))
	l.startClock()
	if l.base.Err() == nil {
		return err
	}
	return nil // checkLimits returns why the run ends
}

func (l *live) hold() error {
	for {
		node, err := l.run.next() // afresh each time: an edit may lead elsewhere
		if err != nil || node == nil {
			return err
		}
		step := &Visit{Index: len(l.run.Records()), NodeID: node.ID(), NodeType: node.Type()}
		if call, isCall := node.(*graph.MCP); isCall {
			step.Server, step.Tool = call.Server, call.Tool
		}
		edits, err := l.hooks.gate.Wait(l.base, Event{
			Kind: StepReady, Run: l.run.id, Time: l.hooks.now(), Scope: l.run.scope, Step: step,
		})
		if err != nil || len(edits) == 0 || l.base.Err() != nil {
			return err
		}
		for _, e := range edits {
			if err := l.edit(e); err != nil {
				return err
			}
		}
	}
}

// edit records an edit, then applies it.
func (l *live) edit(e Edit) error {
	rec, err := l.run.edit(e)
	if err != nil {
		return err
	}
	if err := l.hooks.emit(l.base, Event{Kind: ContextEdited, Run: l.run.id, Time: rec.End, Record: &rec, Sync: true}); err != nil {
		return err
	}
	return l.run.Apply(rec)
}
