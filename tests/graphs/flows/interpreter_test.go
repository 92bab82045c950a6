package flows

import (
	"context"
	"slices"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/schema"
	"toolgraph/expressions/value"
)

// failure is why a step, a frame or a run failed.
type failure struct {
	code         config.FailureCode // of config, limit or hang
	node         string             // as the frame that looks at it names it
	server, tool string
	attempts     int
	result       value.Value
	fatal        bool       // nothing catches it
	others       []*failure // which of its siblings may have been the first to fail
}

// The failures that no onError can name. A call that hangs is one until something ends it: the
// timeoutMs of a graph node around it, or the time of the run.
const (
	failLimit config.FailureCode = "limit"
	failHang  config.FailureCode = "hang"
)

func limit() *failure { return &failure{code: failLimit, fatal: true} }

// all returns the failure and those that could have come first.
func (f *failure) all() []*failure {
	all := []*failure{f}
	for _, other := range f.others {
		all = append(all, other.all()...)
	}
	return all
}

// hangBecomes says how a hanging call ended.
func (f *failure) hangBecomes(code config.FailureCode) {
	if f == nil {
		return
	}
	for _, one := range f.all() {
		if one.code == failHang {
			one.code, one.fatal = code, code == failLimit
		}
	}
}

// value is $failure. Messages are not compared, so every message is the same.
func (f *failure) value() value.Value {
	m := value.NewMap()
	m.Set("code", string(f.code))
	m.Set("message", anyMessage)
	m.Set("node", f.node)
	if f.server != "" {
		m.Set("server", f.server)
	}
	if f.tool != "" {
		m.Set("tool", f.tool)
	}
	if f.attempts > 0 {
		m.Set("attempts", float64(f.attempts))
	}
	if f.result != nil {
		m.Set("result", f.result)
	}
	return m
}

// open reports whether the failure does not say how the run goes on: another could have come first, what a
// limit leaves depends on what else has run, and a call that hangs ends with something else.
func (f *failure) open() bool { return len(f.others) > 0 || f.code == failLimit || f.code == failHang }

// upstream answers a call: a pure function of the tool, the arguments and the number of the
// attempt.
type upstream func(tool string, args value.Value, attempt int) (value.Value, *failure)

// budget is what a frame, and every frame inside it, may still use.
type budget struct {
	nodes, calls int
	outer        *budget
}

// left returns how many executions are left.
func (b *budget) left() int {
	if b == nil {
		return 1 << 30
	}
	return min(b.nodes, b.outer.left())
}

// callsLeft returns how many calls to servers are left.
func (b *budget) callsLeft() int {
	if b == nil {
		return 1 << 30
	}
	return min(b.calls, b.outer.callsLeft())
}

// use takes executions and calls, and reports whether there were as many.
func (b *budget) use(nodes, calls int) bool {
	if b.left() < nodes || b.callsLeft() < calls {
		return false
	}
	for ; b != nil; b = b.outer {
		b.nodes -= nodes
		b.calls -= calls
	}
	return true
}

// copied returns a budget of its own that has as much left.
func (b *budget) copied() *budget {
	if b == nil {
		return nil
	}
	return &budget{b.nodes, b.calls, b.outer.copied()}
}

// restore gives back what was used since b was copied.
func (b *budget) restore(from *budget) {
	for ; b != nil; b, from = b.outer, from.outer {
		b.nodes, b.calls = from.nodes, from.calls
	}
}

// outcome is what an execution or a part came to: a value, where nil is nothing, or a failure.
type outcome struct {
	node     string // as records, mocks and breakpoints name it
	value    value.Value
	failed   *failure
	handled  *failure // what onError took; value is its value then
	attempts int      // of a call to a server
	next     string   // the node that follows
	notRun   bool     // of a step: its if did not hold
}

// interpreter runs a tool, one call after the other.
type interpreter struct {
	ctx      context.Context
	file     *config.File
	upstream upstream
	maxDepth int
	seen     map[execution.Address]outcome
	// raced are the executions whose parts a failure has ended while other parts may have been in flight: which of
	// the parts have a record is not decided. True: nor is which failure is reported, and what follows.
	raced map[execution.Address]bool
	// beside are steps of blocks that a failure has ended, or may have ended, in the same way: whether they have a
	// record themselves is not decided.
	beside map[execution.Address]bool
	blocks map[execution.Address]*block // that were executed
	orders map[*config.Node]*block
	paths  map[*config.Node]string      // of steps: the ids of the blocks around them, and their own
	order  map[execution.Address]bool   // parts of them run one after the other
	sent   map[execution.Address]string // the arguments of the calls to the server
	// undecided: an onError takes one of several failures that could have been the first, so how
	// the run goes on is not decided either.
	undecided bool
	reruns    int // parts that were run again, to find how else they may end
	hangs     int // calls that something else had to end
}

// interpret runs a tool of the file.
func interpret(ctx context.Context, file *config.File, tool string, args value.Value, up upstream) (*interpreter, value.Value, *failure) {
	in := &interpreter{
		ctx: ctx, file: file, upstream: up, seen: map[execution.Address]outcome{}, raced: map[execution.Address]bool{}, beside: map[execution.Address]bool{}, sent: map[execution.Address]string{},
		blocks: map[execution.Address]*block{}, orders: map[*config.Node]*block{}, paths: map[*config.Node]string{}, order: map[execution.Address]bool{},
	}
	for _, t := range file.Tools {
		for _, n := range t.Nodes {
			in.setPaths(n, "")
		}
	}
	t := in.tool(tool)
	in.maxDepth = or(t.Limits.MaxDepth, file.Limits.MaxDepth)
	all := &budget{nodes: or(t.Limits.MaxNodeExecutions, file.Limits.MaxNodeExecutions), calls: or(t.Limits.MaxCalls, file.Limits.MaxCalls, 1<<30)}
	args, failed := in.arguments(t, args)
	if failed != nil {
		return in, nil, failed
	}
	v, failed := (&frame{interpreter: in, tool: t, depth: 1, budget: all}).run(args)
	if failed == nil && !in.fits(t, v) {
		failed = &failure{code: config.FailOutputMismatch}
	}
	failed.hangBecomes(failLimit)
	return in, orNull(v), failed
}

func or(numbers ...int) int {
	return numbers[max(0, slices.IndexFunc(numbers, func(n int) bool { return n != 0 }))]
}

func orNull(v value.Value) value.Value {
	if v == nil {
		return value.Null
	}
	return v
}

func (in *interpreter) tool(name string) *config.Tool {
	i := slices.IndexFunc(in.file.Tools, func(t *config.Tool) bool { return t.Name.Value == name })
	return in.file.Tools[i]
}

// arguments returns the arguments of a tool with the defaults of its inputSchema.
func (in *interpreter) arguments(t *config.Tool, args value.Value) (value.Value, *failure) {
	var found config.Diagnostics
	s := schema.Input(in.ctx, t.InputSchema, &found)
	args, err := s.Complete(in.ctx, args)
	problems, err2 := s.Check(in.ctx, args)
	if len(problems) > 0 || err != nil || err2 != nil {
		return nil, &failure{code: config.FailInvalidArguments}
	}
	return args, nil
}

// fits reports whether a result matches the outputSchema.
func (in *interpreter) fits(t *config.Tool, v value.Value) bool {
	if t.OutputSchema == nil {
		return true
	}
	var found config.Diagnostics
	problems, err := schema.Output(in.ctx, t.OutputSchema, &found).Check(in.ctx, orNull(v))
	return len(problems) == 0 && err == nil
}

// frame is a graph that runs: the run's own, or one that a graph node calls.
type frame struct {
	*interpreter
	tool    *config.Tool
	at      execution.Address
	depth   int
	timed   bool // a timeoutMs around it bounds it
	budget  *budget
	records []record       // of whole executions, in order
	given   value.Value    // its arguments
	context map[string]any // what the expressions of a step can read; nil: those of nodes
}

// record is an execution as the expressions after it see it.
type record struct {
	node  string
	value value.Value
}

// run runs the graph from its entry to its exit.
func (f *frame) run(args value.Value) (value.Value, *failure) {
	n := f.tool.Nodes[slices.IndexFunc(f.tool.Nodes, func(n *config.Node) bool { return n.Type == config.EntryNode })]
	f.given = args
	for {
		if !f.budget.use(1, 0) {
			return nil, limit()
		}
		done := f.step(n, args)
		f.see("", n, done)
		if done.failed != nil {
			return nil, done.failed
		}
		f.records = append(f.records, record{n.ID.Value, done.value})
		if n.Type == config.ExitNode {
			return done.value, nil
		}
		n = f.node(done.next)
	}
}

// see notes the outcome of an execution or a part. One that hangs has no end of its own.
func (f *frame) see(part string, n *config.Node, done outcome) {
	if done.failed != nil && done.failed.code == failHang {
		return
	}
	done.node = f.name(n, part)
	if f.at != "" {
		done.node = f.tool.Name.Value + ":" + done.node
	}
	f.seen[f.next(part)] = done
}

// next returns the address of the next execution, or of a part of it.
func (f *frame) next(part string) execution.Address {
	return execution.AddressOf(f.at, len(f.records), part)
}

func (f *frame) node(id string) *config.Node {
	return f.tool.Nodes[slices.IndexFunc(f.tool.Nodes, func(n *config.Node) bool { return n.ID.Value == id })]
}

// step executes a node.
func (f *frame) step(n *config.Node, args value.Value) outcome {
	done := outcome{next: n.Next.Value}
	switch n.Type {
	case config.EntryNode:
		done.value = args
	case config.ExitNode:
		done.value, _ = f.Previous(1)
	case config.SwitchNode:
		done.next, done.failed = f.choose(n)
		done.value = done.next
	case config.TransformNode:
		done.value, done.failed = f.eval(n, n.Expr.Value, nil)
		return f.caught(done, n, "", nil)
	case config.ParallelNode:
		done.value, done.failed = f.branches(n)
	case config.StepsNode:
		in := *f
		in.context = map[string]any{"args": f.given}
		done.value, done.failed = in.block(n, "", nil)
	case config.MCPNode, config.GraphNode:
		if n.ForEach == nil {
			return f.call(n, "", nil)
		}
		done.value, done.failed = f.forEach(n)
	}
	return done
}

// choose returns the node that a switch goes to.
func (f *frame) choose(n *config.Node) (string, *failure) {
	for _, c := range n.Conditions {
		holds, failed := f.holds(n, c.Rule)
		if failed != nil || holds {
			return c.Next.Value, failed
		}
	}
	return n.Next.Value, nil
}

// caught is what the onError of a node makes of an outcome.
func (f *frame) caught(done outcome, n *config.Node, part string, vars map[string]value.Value) outcome {
	failed := done.failed
	if failed == nil {
		return done
	}
	if failed.node == "" {
		failed.node, failed.server, failed.tool = f.name(n, part), n.Server.Value, n.Tool.Value
	}
	on, skip := n.OnError, n.Step != nil && n.Step.Skip.IsSet()
	if skip {
		on = &config.OnError{}
	}
	takes := func(failed *failure) bool { return on != nil && !failed.fatal && catches(on, failed.code) }
	f.undecided = f.undecided || len(failed.others) > 0 && slices.ContainsFunc(failed.all(), takes)
	if !takes(failed) {
		return done
	}
	done.handled, done.failed = failed, nil
	if on.Next.Value != "" {
		done.next = on.Next.Value
	}
	if skip {
		done.value = nil
		return done
	}
	if on.Value == nil {
		done.value = value.NewObject([]string{"error"}, []value.Value{failed.value()})
		return done
	}
	vars = with(vars, "failure", failed.value())
	vars["attempt"] = float64(max(1, failed.attempts))
	done.value, done.failed = f.walk(n, on.Value, vars)
	if done.failed != nil {
		done.failed.fatal, done.handled = n.Step == nil, nil // that of a block may take it
	}
	return done
}

// name names a node of the frame: a branch as facts.weather.
func (f *frame) name(n *config.Node, part string) string {
	if path := f.paths[n]; path != "" {
		return path
	}
	for _, p := range f.tool.Nodes {
		if slices.Contains(p.Branches, n) {
			return p.ID.Value + "." + part
		}
	}
	return n.ID.Value
}

func catches(on *config.OnError, code config.FailureCode) bool {
	if on.Codes == nil {
		return code.CaughtByDefault()
	}
	return slices.ContainsFunc(on.Codes, func(c config.Text) bool { return c.Value == string(code) })
}
