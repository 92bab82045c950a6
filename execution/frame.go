package execution

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"toolgraph/config"
	"toolgraph/expressions"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// frame is the run of one graph: the run's own, or of a graph that a graph node calls. It has a
// history and a context of its own, and belongs to one goroutine.
type frame struct {
	ctx      context.Context // ends with the client's call, a time limit or an enclosing part
	work     context.Context // of evaluations: ends earlier, see live.evaluating
	address  Address         // of the call; empty for the run's own frame
	tool     string          // whose graph it is; empty for the run's own frame
	callers  []string        // the tools around it, outermost first, and its own; empty for the run's own frame
	graph    *graph.Graph
	args     value.Value
	live     *live
	allow    []*graph.Allow // of the graphs around and its own; all hold
	pace     *pace
	budget   *budget
	largest  int // bytes of one output
	maxDepth int // tools in callers; 0: no limit

	state *state
	scope *expressions.Scope
}

// newFrame makes a frame of a run; vars are the constants that the run has recorded, nil for those of
// the file.
func newFrame(g *graph.Graph, args, vars value.Value) *frame {
	s := newState(len(g.Nodes))
	f := &frame{
		graph: g, args: args, largest: g.Limits.MaxNodeOutputBytes, maxDepth: g.Limits.MaxDepth,
		state: s, scope: expressions.NewScope(s.context, s),
	}
	f.scope.Variables = g.Variables(vars)
	return f
}

// site returns the place where the node runs next.
func (f *frame) site(node graph.Node) *site {
	return &site{frame: f, node: node, owner: node, index: len(f.state.records), ctx: f.ctx, work: f.work, scope: f.scope}
}

// failure returns the failure of the last record, or nil.
func (f *frame) failure() *Failure {
	if n := len(f.state.records); n > 0 {
		return f.state.records[n-1].Error
	}
	return nil
}

// next returns the node to run now, which follows from the last record alone; nil when the exit
// has run.
func (f *frame) next() (graph.Node, error) {
	if len(f.state.records) == 0 {
		return f.graph.Entry, nil
	}
	last := f.state.last()
	node := f.graph.Node(last.NodeID)
	if on := onErrorOf(node); last.Handled != nil && on != nil && on.Next != nil {
		return on.Next, nil
	}
	switch node := node.(type) {
	case *graph.Entry:
		return node.Next, nil
	case *graph.MCP:
		return node.Next, nil
	case *graph.SubGraph:
		return node.Next, nil
	case *graph.Parallel:
		return node.Next, nil
	case *graph.Steps:
		return node.Next, nil
	case *graph.Ask:
		return node.Next, nil
	case *graph.Transform:
		return node.Next, nil
	case *graph.Switch:
		output, _ := f.state.Previous(1) // with an edit of it
		id, _ := output.(string)
		if target := f.graph.Node(id); target != nil {
			return target, nil
		}
		return nil, fmt.Errorf("the history goes from node %q to %q, but this graph has no such node", last.NodeID, id)
	case *graph.Exit:
		return nil, nil
	}
	return nil, fmt.Errorf("the history has node %q, but this graph does not", last.NodeID)
}

func onErrorOf(n graph.Node) *graph.OnError {
	if n == nil {
		return nil
	}
	return graph.OnErrorOf(n)
}

// begin reserves the execution of a node. It returns when, and the limit that prevents it, or nil.
func (f *frame) begin(node graph.Node) (now time.Time, failed *Failure) {
	if reached := f.budget.reserve(executions, 1); reached != nil {
		return now, failureAt(CodeLimit, node, nil, "executionLimits.maxNodeExecutions is %d, and that many nodes have run; "+
			"check the way out of the loop, or raise the limit", reached.most)
	}
	limit := f.live.root.graph.Limits.MaxExecutionTime
	now, elapsed := f.live.clock.read()
	if elapsed >= limit {
		return now, timeLimit(limit, node, "before this node")
	}
	if err := f.ctx.Err(); err != nil {
		return now, endOf(f.ctx, node, "before this node", err)
	}
	return now, nil
}

// visit runs a node that makes no call and began at start, and returns its record.
func (f *frame) visit(node graph.Node, start time.Time) *Record {
	output, err := f.evaluate(node)
	return f.record(f.site(node), start, output, err)
}

func (f *frame) evaluate(node graph.Node) (output value.Value, err error) {
	defer recovered(&err)
	switch n := node.(type) {
	case *graph.Entry:
		output = f.args
	case *graph.Transform:
		output, err = n.Expr.Eval(f.work, f.scope)
	case *graph.Switch:
		output, err = f.choose(n)
	case *graph.Exit:
		output, _ = f.state.Previous(1)
	case *graph.MCP, *graph.SubGraph, *graph.Parallel, *graph.Ask, *graph.Steps: // see live.step
		err = fmt.Errorf("node %q has a type that cannot be visited: %T", node.ID(), node)
	}
	return output, err
}

// choose returns the id of the node that a switch goes to.
func (f *frame) choose(n *graph.Switch) (value.Value, error) {
	for _, c := range n.Conditions {
		holds, err := c.Rule.Holds(f.work, f.scope)
		if err != nil {
			return nil, err
		}
		if holds {
			return c.Next.ID(), nil
		}
	}
	return n.Default.ID(), nil
}

// record makes the record of a node's work that began at start. onError takes its failure, if it
// does.
func (f *frame) record(s *site, start time.Time, output value.Value, err error) *Record {
	rec := f.newRecord(s, start)
	if err == nil {
		f.setOutput(s.work, rec, s.node, output)
	} else {
		rec.Error = failureOf(s.ctx, s.node, err)
	}
	if rec.Error != nil {
		s.handle(rec)
	}
	if rec.Error != nil {
		rec.Error = s.located(rec.Error)
	}
	return rec
}

// newRecord makes the record of work at a site that began at start and has ended, without what
// came of it.
func (f *frame) newRecord(s *site, start time.Time) *Record {
	return &Record{
		Frame: f.address, Index: s.index, Part: s.part, Tool: f.tool, NodeID: s.owner.ID(), NodeType: s.node.Type(),
		Start: start, End: f.live.clock.now(),
	}
}

// setOutput gives a record its output, or the size limit that the output exceeds. The work ends with
// the context, but for the value of a call: it has at most the length of a message, and was perhaps made
// by a call that is not safe to repeat.
func (f *frame) setOutput(work context.Context, rec *Record, node graph.Node, output value.Value) {
	rec.Output = output
	size, within := 0, true
	meter := value.Until(work)
	if rec.NodeType == config.MCPNode && rec.Parts == 0 {
		meter = nil
	}
	if counted := isCounted(rec); counted || isJoined(rec) {
		whole, fits := value.SizeWithin(meter, output, f.largest)
		if within = fits; counted {
			size = whole
		}
	}
	if meter != nil && meter.Cause() != nil {
		rec.Output, rec.Error = nil, endOf(work, node, "while its output was measured", meter.Cause())
		return
	}
	switch reached := f.budget.reserve(outputBytes, size); {
	case !within:
		rec.Error = sizeLimit("maxNodeOutputBytes", sizeText(work, output, f.largest), f.largest, node)
	case reached != nil:
		rec.Error = sizeLimit("maxHistoryBytes", strconv.Itoa(reached.most-reached.left+size), reached.most, node)
	default:
		rec.Bytes = size
		return
	}
	rec.Output = nil
}

// sizeOf returns the size of a record's output for the limits, 0 for one that is not counted.
func sizeOf(rec *Record) int {
	if !isCounted(rec) {
		return 0
	}
	return value.Size(rec.Output)
}

// isCounted reports whether the output counts for the limits: not that of an exit, nor the arguments
// of the run, which the server bounds, nor values that are made of the outputs of other records.
func isCounted(rec *Record) bool {
	return rec.Output != nil && rec.NodeType != config.ExitNode && (rec.NodeType != config.EntryNode || rec.Frame != "") && !isJoined(rec)
}

// sizeText describes the size of a value that has more bytes than allowed: by the number, unless the
// value holds its parts so often that counting would take long.
func sizeText(work context.Context, v value.Value, allowed int) string {
	most := max(allowed, value.MaxBytes)
	if size, within := value.SizeWithin(value.Until(work), v, most); within {
		return strconv.Itoa(size)
	}
	return fmt.Sprintf("more than %d", most)
}

// isJoined reports whether the output is made of the outputs of other records: of parts, or of
// the frame of a called graph.
func isJoined(rec *Record) bool {
	return rec.Parts > 0 || rec.NodeType == config.GraphNode && !rec.Edited && rec.Handled == nil
}

// pathShown is how many of the last nodes an error lists.
const pathShown = 12

// path returns the last nodes of the frame, oldest first; an ellipsis first when there are more.
func (f *frame) path() (nodes []string, truncated bool) {
	return f.state.lastNodes(pathShown), f.state.executions() > pathShown
}

// stepError returns a failure of the run's own frame as the error of the run.
func (f *frame) stepError(failed *Failure) *StepError {
	return f.stepErrorOf(f.live.id, f.graph.Tool.Name.Value, failed)
}

func (f *frame) stepErrorOf(run, tool string, failed *Failure) *StepError {
	step := len(f.state.records)
	if f.failure() != nil { // the last record is the step that failed
		step--
	}
	e := &StepError{
		Run: run, Tool: tool, Node: failed.Node, Step: step, Pos: failed.Pos, Err: failed,
	}
	e.Path, e.truncated = f.path()
	return e
}

// outward returns a failure of the frame as its caller sees it.
func (f *frame) outward(failed *Failure) *Failure {
	out := *failed
	path, truncated := f.path()
	if truncated {
		path = append([]string{"…"}, path...)
	}
	out.Callers = append(slices.Clip(failed.Callers), Caller{
		Tool: f.graph.Tool.Name.Value, Node: failed.Node, Part: failed.Part, Item: failed.Item, Path: path,
	})
	out.Node, out.Part, out.Item = "", "", ""
	return &out
}

// enter runs the graph that a graph node calls, in a frame of its own, and returns its result. The
// failure is that of the call; the error ends the run.
func (l *live) enter(s *site, n *graph.SubGraph, args value.Value) (value.Value, *Failure, error) {
	f := s.frame
	callers := append(slices.Clip(f.callers), n.Tool)
	if len(f.callers) == 0 {
		callers = []string{f.graph.Tool.Name.Value, n.Tool}
	}
	if f.maxDepth > 0 && len(callers) > f.maxDepth {
		return nil, depthLimit(f.maxDepth, n, callers), nil
	}
	args, failed := l.arguments(s, n, args)
	if failed != nil {
		return nil, failed, nil
	}
	sub := newFrame(n.Graph, args, l.hooks.vars)
	sub.live, sub.address, sub.tool, sub.callers = l, s.address(), n.Tool, callers
	sub.budget, sub.largest, sub.maxDepth, sub.pace = f.budget, f.largest, f.maxDepth, f.pace
	sub.allow = narrowed(f.allow, n.Graph.Allow)
	ended := &interruption{why: fmt.Sprintf("tool %q did not end within %s (timeoutMs)", n.Tool, n.Timeout)}
	ctx, cancel := context.WithCancelCause(s.ctx)
	defer cancel(nil)
	own := n.Graph.Tool.Limits
	if n.Timeout > 0 || own.MaxExecutionTime > 0 {
		sub.pace = f.pace.inside()
	}
	if n.Timeout > 0 {
		defer l.clock.after(sub.pace, string(sub.address)+"!", l.hooks.rest.left(string(sub.address)+"!", n.Timeout, l.clock.now()), func() { cancel(ended) })()
	}
	if own != (config.Limits{}) {
		sub.budget = f.budget.inside(own)
		l.past.charge(sub.budget, sub.address)
		if own.MaxNodeOutputBytes > 0 {
			sub.largest = min(sub.largest, own.MaxNodeOutputBytes)
		}
		if own.MaxDepth > 0 {
			sub.maxDepth = min(sub.maxDepth, len(callers)-1+own.MaxDepth)
		}
		if own.MaxExecutionTime > 0 {
			defer l.clock.after(sub.pace, string(sub.address), l.hooks.rest.left(string(sub.address), own.MaxExecutionTime, l.clock.now()), func() { cancel(&timeLimitError{own.MaxExecutionTime}) })()
		}
	}
	sub.ctx, sub.work = ctx, l.evaluating(ctx)
	if err := l.past.restore(sub); err != nil {
		return nil, nil, err
	}
	result, failed, err := l.drive(sub)
	if err == nil && failed == nil {
		failed = sub.checkValue(orNull(result))
	}
	switch {
	case err != nil:
		return nil, nil, err
	case failed == nil:
		return result, nil, nil
	case errors.Is(failed, ended) && s.ctx.Err() == nil:
		return nil, graphFailure(config.FailTimeout, n, nil, "%s", ended.why), nil
	case errors.Is(failed, ended):
		failed = endOf(s.ctx, n, "while this node ran its graph", ended)
		failed.unrecorded = true
		return nil, failed, nil
	}
	return nil, sub.outward(failed), nil
}

// arguments returns the arguments of a called graph, with the defaults of its inputSchema.
func (l *live) arguments(s *site, n *graph.SubGraph, args value.Value) (value.Value, *Failure) {
	full, err := Arguments(s.work, n.Graph, args)
	if err == nil {
		return full, nil
	}
	if s.work.Err() != nil {
		return nil, endOf(s.work, n, "while its arguments were validated", err)
	}
	failed := graphFailure(config.FailInvalidArguments, n, err, "tool %q: %s", n.Tool, err)
	if n.Args.Pos.IsValid() {
		failed.Pos = n.Args.Pos
	}
	return nil, failed
}

func graphFailure(code config.FailureCode, node graph.Node, err error, format string, args ...any) *Failure {
	failed := failureAt(CodeGraph, node, err, format, args...)
	failed.Detail = string(code)
	return failed
}
