package flows

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/value"
)

// part is one call of a node that makes several, or one of the items of a step.
type part struct {
	name string
	node *config.Node
	run  func() outcome
}

// forEach makes a call for each item; nothing is null in the list.
func (f *frame) forEach(n *config.Node) (value.Value, *failure) {
	list, failed := f.eval(n, n.ForEach.Items.Value, nil)
	if failed != nil {
		failed.node, failed.server, failed.tool, failed.fatal = n.ID.Value, n.Server.Value, n.Tool.Value, true
		return nil, failed
	}
	items, isList := list.([]any)
	switch {
	case list == nil || value.IsNull(list):
		items = nil
	case !isList:
		items = []any{list}
	}
	parts := make([]part, len(items))
	for i, item := range items {
		name, vars := strconv.Itoa(i), map[string]value.Value{"item": item, "index": float64(i)}
		parts[i] = part{name, n, func() outcome { return f.call(n, name, vars) }}
	}
	all, failed := f.parts("", parts, n.ForEach.MaxParallel > 1)
	values := make([]any, len(all))
	for i, done := range all {
		values[i] = orNull(done.value)
	}
	return values, failed
}

// branches makes the calls of a parallel; a branch that yields nothing has no key.
func (f *frame) branches(n *config.Node) (value.Value, *failure) {
	parts := make([]part, len(n.Branches))
	for i, b := range n.Branches {
		parts[i] = part{b.ID.Value, b, func() outcome { return f.call(b, b.ID.Value, nil) }}
	}
	all, failed := f.parts("", parts, true)
	if failed != nil {
		return nil, failed
	}
	m := value.NewMap()
	for i, p := range parts {
		if all[i].value != nil {
			m.Set(p.name, all[i].value)
		}
	}
	return m, nil
}

// parts makes the calls one after the other. Where they may overlap, those after a failure are
// made as well, since each of them may have been the first to fail.
func (f *frame) parts(whole string, parts []part, overlap bool) ([]outcome, *failure) {
	f.order[f.next(whole)] = !overlap
	if !f.affords(parts) {
		return nil, limit()
	}
	before, all := f.budget.copied(), make([]outcome, 0, len(parts))
	var failed *failure
	fail := func(wrong *failure) {
		if failed == nil {
			failed = wrong
		} else if wrong != nil {
			failed.others = append(failed.others, wrong)
		}
	}
	for i, p := range parts {
		done := f.part(p)
		wrong := done.failed
		all = append(all, done)
		if wrong != nil && !overlap {
			return nil, wrong
		}
		fail(wrong)
		if wrong != nil && wrong.code == failLimit {
			if f.reruns++; f.reruns > mostReruns {
				f.undecided = true
				continue
			}
			f.budget.restore(before)
			if i > 0 { // others before it have used what it lacks: it may have come first
				fail(f.part(p).failed)
				f.budget.restore(before)
			}
		}
	}
	if failed != nil {
		if len(parts) > 1 {
			f.raced[f.next(whole)] = failed.open()
		}
		return nil, failed
	}
	return all, nil
}

// affords reports whether the limits leave enough for the least that parts take.
func (f *frame) affords(parts []part) bool {
	least, calls := 0, 0
	for _, p := range parts {
		least++
		switch p.node.Type {
		case config.GraphNode:
			least += f.fewest(p.node.Tool.Value)
		case config.MCPNode:
			calls++
		case config.StepsNode:
			for _, s := range p.node.Steps {
				if s.Step.If.Value == "" {
					least++
				}
			}
		}
	}
	return f.budget.left() >= least && f.budget.callsLeft() >= calls
}

// mostReruns bounds the work on programs in which a limit ends parts inside parts.
const mostReruns = 64

func (f *frame) part(p part) outcome {
	if !f.budget.use(1, 0) {
		return outcome{failed: limit()}
	}
	done := p.run()
	f.see(p.name, p.node, done)
	return done
}

// call makes the call of an mcp or graph node, and asks its onError.
func (f *frame) call(n *config.Node, part string, vars map[string]value.Value) outcome {
	return f.caught(f.called(n, part, vars), n, part, vars)
}

// called makes the call of an mcp or graph node.
func (f *frame) called(n *config.Node, part string, vars map[string]value.Value) outcome {
	done := outcome{next: n.Next.Value}
	args, failed := f.args(n, vars)
	switch {
	case failed != nil:
		done.failed = failed
	case n.Type == config.MCPNode:
		done.value, done.attempts, done.failed = f.attempts(n, part, vars, args)
	default:
		done.value, done.failed = f.enter(n, part, args)
	}
	return done
}

// attempts calls a tool of a server until it answers, or nothing repeats it, and counts.
func (f *frame) attempts(n *config.Node, part string, vars map[string]value.Value, args value.Value) (value.Value, int, *failure) {
	for attempt := 1; ; attempt++ {
		if !f.budget.use(0, 1) {
			return nil, attempt, limit()
		}
		f.sent[f.next(part)] = textOf(args)
		v, failed := f.upstream(n.Tool.Value, args, attempt)
		if failed != nil && failed.code == failHang {
			if n.Timeout == 0 {
				f.hangs++
				return nil, attempt, &failure{code: failHang, fatal: true}
			}
			failed.code = config.FailTimeout
		}
		if failed == nil && n.Retry != nil && n.Retry.Until.Value != "" {
			var holds bool
			if holds, failed = f.truth(n, n.Retry.Until.Value, with(vars, "result", v)); failed == nil && !holds {
				failed = &failure{code: config.FailNotYet, result: v}
			}
		}
		if failed == nil {
			return v, attempt, nil
		}
		at := func(failed *failure) *failure {
			failed.node, failed.server, failed.tool, failed.attempts = f.name(n, part), n.Server.Value, n.Tool.Value, attempt
			return failed
		}
		again, wrong := f.again(n, vars, at(failed))
		if wrong != nil {
			failed = at(wrong)
		}
		if !again {
			return nil, attempt, failed
		}
	}
}

// again reports whether a failed attempt is repeated.
func (f *frame) again(n *config.Node, vars map[string]value.Value, failed *failure) (bool, *failure) {
	r := n.Retry
	switch {
	case r == nil || failed.attempts >= r.Attempts || failed.code == config.FailExpression || failed.code == config.FailRaised:
		return false, nil
	case failed.code == config.FailNotYet:
		return true, nil
	case r.Codes != nil:
		if !slices.ContainsFunc(r.Codes, func(c config.Text) bool { return c.Value == string(failed.code) }) {
			return false, nil
		}
	case r.When.Value == "" && !harmless(n, failed.code), !failed.code.Catchable():
		return false, nil
	}
	if r.When.Value == "" {
		return true, nil
	}
	vars = with(vars, "failure", failed.value())
	vars["attempt"] = float64(failed.attempts)
	return f.truth(n, r.When.Value, vars)
}

// harmless reports whether a call that failed so is repeated by default.
func harmless(n *config.Node, code config.FailureCode) bool {
	twice := n.OnCrash == config.RerunCall || n.OnCrash == "" && (n.Effect == config.ReadEffect || n.Retry.Until.Value != "")
	switch code {
	case config.FailServerStart:
		return true
	case config.FailTimeout, config.FailTransport, config.FailServerExited, config.FailToolError, config.FailRPCError:
		return twice
	}
	return false
}

// enter runs the graph of another tool in a frame.
func (f *frame) enter(n *config.Node, part string, args value.Value) (value.Value, *failure) {
	if f.depth >= f.maxDepth {
		return nil, limit()
	}
	t := f.interpreter.tool(n.Tool.Value)
	args, failed := f.arguments(t, args)
	if failed != nil {
		return nil, failed
	}
	own := &budget{or(t.Limits.MaxNodeExecutions, 1<<30), or(t.Limits.MaxCalls, 1<<30), f.budget}
	inner := &frame{interpreter: f.interpreter, tool: t, at: f.next(part), depth: f.depth + 1, timed: f.timed || n.Timeout > 0, budget: own}
	v, failed := inner.run(args)
	switch {
	case failed != nil && failed.code == failHang && n.Timeout > 0:
		if f.timed || f.hangs > mostHangs { // which of the times ends first is not decided
			f.raced[f.next("")] = true
		}
		others := failed.outward(t.Name.Value).others
		failed = &failure{code: config.FailTimeout, others: others}
		failed.hangBecomes(config.FailTimeout)
		return nil, failed
	case failed != nil:
		return nil, failed.outward(t.Name.Value)
	case !f.fits(t, v):
		exit := t.Nodes[slices.IndexFunc(t.Nodes, func(n *config.Node) bool { return n.Type == config.ExitNode })]
		return nil, &failure{code: config.FailOutputMismatch, node: t.Name.Value + ":" + exit.ID.Value}
	}
	return v, nil
}

// mostHangs is how many calls can hang one after the other within the time of a run.
const mostHangs = 8

// outward is the failure as the caller of a frame sees it.
func (f *failure) outward(tool string) *failure {
	out := *f
	if !strings.Contains(f.node, ":") {
		out.node = tool + ":" + f.node
	}
	out.fatal = f.code == failLimit || f.code == failHang
	out.others = nil
	for _, other := range f.others {
		out.others = append(out.others, other.outward(tool))
	}
	return &out
}

// fewest returns the executions of the shortest way from entry to exit of a tool; each branch of a
// parallel is one more.
func (in *interpreter) fewest(tool string) int {
	nodes := map[string]*config.Node{}
	least := map[*config.Node]int{}
	for _, n := range in.tool(tool).Nodes {
		nodes[n.ID.Value] = n
		if n.Type == config.EntryNode {
			least[n] = 1
		}
	}
	for changed := true; changed; {
		changed = false
		for n, steps := range maps.Clone(least) {
			targets := []string{n.Next.Value}
			for _, c := range n.Conditions {
				targets = append(targets, c.Next.Value)
			}
			if n.OnError != nil {
				targets = append(targets, n.OnError.Next.Value)
			}
			for _, id := range targets {
				to := nodes[id]
				if to == nil {
					continue
				}
				price := steps + 1 + len(to.Branches) + len(to.Steps)
				if known, seen := least[to]; !seen || price < known {
					least[to], changed = price, true
				}
			}
		}
	}
	for n, steps := range least {
		if n.Type == config.ExitNode {
			return steps
		}
	}
	return 0
}
