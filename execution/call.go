package execution

import (
	"context"
	"fmt"

	"toolgraph/execution/call"
	"toolgraph/expressions"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// idempotencyMeta is the key of _meta that has the idempotency key.
const idempotencyMeta = "toolgraph/idempotencyKey"

// idempotencyKey is the key that the engine sends with a call. It is the same again after an
// attempt whose outcome is unknown; attempt is the last one before which the server has answered
// all others, 1 for the first.
func idempotencyKey(run string, at Address, attempt int) string {
	key := run + "/" + string(at)
	if attempt > 1 {
		key += fmt.Sprintf("#%d", attempt)
	}
	return key
}

// site is where a node's work is done: in a frame, as a whole or as a part of it.
type site struct {
	frame *frame
	node  graph.Node // of a branch: the branch's node
	owner graph.Node // of a branch: the parallel node; otherwise the node itself
	index int
	part  string             // of a step: its path, as users.3.lookup@2
	item  value.Value        // of a part of a forEach
	ctx   context.Context    // of a part: it ends when another part fails
	work  context.Context    // of evaluations: ends earlier, see live.evaluating
	scope *expressions.Scope // with the item of a part

	ready  *prepared  // of a part whose arguments were evaluated before; else nil
	agreed *agreement // of a part about which the user was asked before; else nil

	step   *graph.Step // of a step or a part of one; else nil
	isStep bool        // the site is that of the whole step
	block  *fan        // of a step or a part of one: the steps of its block
	place  int         // of the step in the block

	do func(*site) (outcome, error) // what a part does; nil: its call

	turn <-chan struct{} // of a part: closed when the parts before it have begun; nil: at once
	next func()          // of a part: the next part may begin; nil without one
}

func (s *site) address() Address { return AddressOf(s.frame.address, s.index, s.part) }

// name names the node in its tool.
func (s *site) name() string { return call.NameOf("", s.owner.ID(), s.part) }

// visit returns the site as an event has it; nil for none.
func (s *site) visit() *Visit {
	if s == nil {
		return nil
	}
	v := &Visit{
		Frame: s.frame.address, Index: s.index, Part: s.part, Graph: s.frame.tool, NodeID: s.owner.ID(), NodeType: s.node.Type(),
	}
	switch n := s.node.(type) {
	case *graph.MCP:
		v.Server, v.Tool = n.Server, n.Tool
	case *graph.SubGraph:
		v.Tool = n.Tool
	case *graph.Entry, *graph.Parallel, *graph.Ask, *graph.Transform, *graph.Switch, *graph.Steps, *graph.Exit:
	}
	return v
}

// await waits until the parts before this one have begun.
func (s *site) await() {
	if s.turn == nil {
		return
	}
	select {
	case <-s.turn:
		return
	default:
	}
	ctx, back := s.frame.live.waits(s.ctx, wait{})
	defer back()
	select {
	case <-s.turn:
	case <-ctx.Done():
	}
}

// begin lets the parts begin in their order.
func (s *site) begin() {
	s.await()
	if s.next != nil {
		s.next()
	}
}

// with returns the scope of the site with more variables, which hide those of the same name. The map becomes
// that of the scope.
func (s *site) with(variables map[string]value.Value) *expressions.Scope {
	scope := *s.scope
	for name, v := range scope.Variables {
		if _, hidden := variables[name]; !hidden {
			variables[name] = v
		}
	}
	scope.Variables = variables
	return &scope
}

// call makes the call of an mcp or graph node, or of a part of one.
func (l *live) call(s *site) (outcome, error) {
	start := l.clock.now()
	args, err := s.arguments()
	if err != nil {
		if failed := l.resolve(s, nil); failed != nil {
			return ended(failed)
		}
		return recorded(s.frame.record(s, start, nil, err), false)
	}
	if n, isMCP := s.node.(*graph.MCP); isMCP {
		return l.attempts(s, n, start, args)
	}
	if failed := l.resolve(s, nil); failed != nil {
		return ended(failed)
	}
	s.begin()
	n, _ := s.node.(*graph.SubGraph)
	output, confirmed, failed, err := l.graphCallAgreed(s, n, args)
	switch {
	case err != nil:
		return outcome{}, err
	case failed == nil:
		rec := s.frame.record(s, start, output, nil)
		rec.Confirmed = confirmed
		return recorded(rec, false)
	case suspended(l.base, failed) || failed.interrupted() || failed.unrecorded || failed.Code == CodeOutcomeUnknown:
		return ended(s.located(failed))
	}
	return recorded(s.frame.record(s, start, nil, withHelp(n.Help, failed)), false)
}

// arguments evaluates the arguments of a call.
func (s *site) arguments() (args value.Value, err error) {
	if s.ready != nil {
		return s.ready.args, s.ready.err
	}
	defer recovered(&err)
	args, err = graph.CallingOf(s.node).Args.Eval(s.work, s.scope)
	if err == nil && value.Exceeds(args, s.frame.largest) { // before anything makes a text of them
		return nil, argumentsLimit(s.frame.largest, s.node)
	}
	return args, err
}

// graphCallAgreed is graphCall for a call to which the user has agreed, where a plan needs that.
func (l *live) graphCallAgreed(s *site, n *graph.SubGraph, args value.Value) (output value.Value, confirmed *Confirmation, failed *Failure, err error) {
	if failed := s.permitInPlan(n); failed != nil {
		return nil, nil, failed, nil
	}
	if confirmed, failed, err = l.agreed(s, n, args); failed != nil || err != nil {
		return nil, nil, failed, err
	}
	output, failed, err = l.graphCall(s, n, args)
	return output, confirmed, failed, err
}

// graphCall calls a graph, unless the caller answers for it.
func (l *live) graphCall(s *site, n *graph.SubGraph, args value.Value) (value.Value, *Failure, error) {
	instead, has := l.caller.(GraphCaller)
	if !has {
		return l.enter(s, n, args)
	}
	c := l.newCall(s, args)
	c.Tool, c.Timeout = n.Tool, n.Timeout
	output, answered, err := answer(s.ctx, instead, c)
	switch {
	case err != nil:
		return nil, failureOf(s.ctx, n, err), nil
	case answered:
		return output, nil, nil
	}
	return l.enter(s, n, args)
}

func answer(ctx context.Context, caller GraphCaller, c *Call) (output value.Value, answered bool, err error) {
	defer recovered(&err)
	return caller.CallGraph(ctx, *c)
}

func (l *live) newCall(s *site, args value.Value) *Call {
	return &Call{
		Run: l.id, Frame: s.frame.address, Index: s.index, Part: s.part, Graph: s.frame.tool, Node: s.owner.ID(), Args: args,
	}
}

// request makes one attempt of a call, unless its result is known.
func (l *live) request(s *site, node *graph.MCP, c *Call, unsafe bool) (output value.Value, err error) {
	defer recovered(&err)
	leave, err := l.takePlace(s)
	if err != nil {
		return nil, err
	}
	defer leave()
	if c.Task != "" {
		s.begin()
		return l.takeUp(s, node, c, unsafe)
	}
	started, output, known, err := l.startCall(s, node, c, unsafe)
	if err != nil {
		return nil, err
	}
	s.begin()
	if known {
		return output, nil
	}
	return l.send(s, node, started, c, unsafe)
}

// startCall records that an attempt begins, if it may be made: if the process dies then, the call
// may have been made. known: the operator has said what it returned.
func (l *live) startCall(s *site, node *graph.MCP, c *Call, unsafe bool) (visit *Visit, output value.Value, known bool, err error) {
	started := Event{Kind: CallStarted, Run: c.Run, Time: l.clock.now(), Step: s.visit(), Sync: unsafe}
	visit = started.Step
	visit.Attempt, visit.Args = c.Attempt, c.Args
	if visit.Digest, err = digestWithin(s.work, c.Args); err != nil {
		return nil, nil, false, endOf(s.work, node, "before its call", err)
	}
	if result, known := l.past.result(c); known {
		return visit, result, true, recordFailure(node, l.hooks.record(s.ctx, &started)) // a replay finds the result by it
	}
	if err := l.mayCall(s, node, c); err != nil {
		return nil, nil, false, err
	}
	if failed := s.reserveCall(node); failed != nil {
		return nil, nil, false, failed
	}
	l.tally.called(visit)
	return visit, nil, false, recordFailure(node, l.emit(s.ctx, &started))
}

// mayCall returns why a call is not made, or its task not taken up; or nil, and the call has its effect.
func (l *live) mayCall(s *site, node *graph.MCP, c *Call) error {
	if err := s.ctx.Err(); err != nil { // before it is recorded as a call that may have been made
		return endOf(s.ctx, node, "before its call", err)
	}
	if failed := l.hooks.stopped(); failed != nil {
		return failed
	}
	effect, failed := s.permit(node)
	if failed != nil {
		return failed
	}
	c.Effect, c.Believed = effect, effect != node.Effect
	return nil
}

// reserveCall counts a call for maxCalls.
func (s *site) reserveCall(node *graph.MCP) *Failure {
	reached, most, times := s.frame.budget.call(node)
	if reached == nil {
		return nil
	}
	has := ""
	if most != "" {
		has = fmt.Sprintf("; it has called %s %d times", most, times)
	}
	return failureAt(CodeLimit, node, nil, "executionLimits.maxCalls is %d and the run wants another call%s", reached.most, has)
}

// recordFailure returns the error of the journal or an observer as a failure of a call.
func recordFailure(node *graph.MCP, err error) error {
	if err == nil {
		return nil
	}
	return failureAt(CodeInternal, node, err, "%s", err)
}
