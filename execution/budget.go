package execution

import (
	"sync"

	"toolgraph/config"
	"toolgraph/graph"
)

// budget is what the frames of a run use together of its limits. A called tool with limits of its
// own has a budget inside that of its caller.
type budget struct {
	outer *budget // nil: of the run
	most  [counters]int
	used  [counters]int // guarded by mu

	mu     *sync.Mutex    // one for all budgets of a run: its own
	own    sync.Mutex     // of the run
	called map[string]int // of the run: calls by server and tool; guarded by mu
}

// counter is one of the counts of a budget.
type counter int

const (
	executions  counter = iota // of nodes, parts included
	callsMade                  // to servers, attempts included
	outputBytes                // of the outputs, as compact JSON
	counters    = iota
)

// inside returns a budget inside another one.
func (b *budget) inside(limits config.Limits) *budget {
	inner := &budget{outer: b, mu: b.mu}
	inner.limit(limits)
	return inner
}

// limit sets the limits; 0 is no limit.
func (b *budget) limit(limits config.Limits) {
	b.most = [counters]int{executions: limits.MaxNodeExecutions, callsMade: limits.MaxCalls, outputBytes: limits.MaxHistoryBytes}
}

// limitReached is a limit that does not leave enough.
type limitReached struct{ most, left int }

// reserve adds n to a counter, before what is counted happens: several parts run at once, and
// none may exceed a limit. Nothing is added when a limit would be exceeded.
func (b *budget) reserve(what counter, n int) *limitReached {
	b.mu.Lock()
	defer b.mu.Unlock()
	if reached := b.check(what, n); reached != nil {
		return reached
	}
	for ; b != nil; b = b.outer {
		b.used[what] += n
	}
	return nil
}

// leaves returns the limit that leaves less than n; or nil.
func (b *budget) leaves(what counter, n int) *limitReached {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.check(what, n)
}

// check returns the limit that n more would exceed. mu is held.
func (b *budget) check(what counter, n int) *limitReached {
	for ; b != nil; b = b.outer {
		if most := b.most[what]; most > 0 && n > most-b.used[what] {
			return &limitReached{most: most, left: max(0, most-b.used[what])}
		}
	}
	return nil
}

// add adds to a counter what no limit prevents: what a resumed run has used before.
func (b *budget) add(what counter, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used[what] += n
}

// call reserves a call of a tool. When there is none left, it also returns the tool that was
// called most, and how often.
func (b *budget) call(node *graph.MCP) (reached *limitReached, most string, times int) {
	reached = b.reserve(callsMade, 1)
	run := b.run()
	if run.most[callsMade] == 0 && reached == nil {
		return nil, "", 0 // no message names the calls
	}
	run.mu.Lock()
	defer run.mu.Unlock()
	if reached == nil {
		run.addCall(node.Server+"."+node.Tool, 1)
		return nil, "", 0
	}
	for name, n := range run.called {
		if n > times || n == times && name < most {
			most, times = name, n
		}
	}
	return reached, most, times
}

// addCall counts calls of a tool for messages. mu is held.
func (b *budget) addCall(tool string, n int) {
	if b.called == nil {
		b.called = map[string]int{}
	}
	b.called[tool] += n
}

func (b *budget) run() *budget {
	for b.outer != nil {
		b = b.outer
	}
	return b
}
