package flow

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"toolgraph/expressions/shape"
	"toolgraph/graph"
)

// A node is looked at in so many worlds at most, fewer in a large graph; beyond that
// they are taken together, and what is told apart by conditions is told apart no more.
const (
	mostWorlds = 128
	allWorlds  = 20_000
)

// explorer follows a graph's runs.
type explorer struct {
	graph      *graph.Graph
	index      index
	reads      [][]reads      // of each node's expressions or rules, in their order
	terms      [][]*term      // of each switch's rules
	watched    []int          // nodes that are read somewhere, ascending
	asked      map[string]int // in how many switches a subject is asked for
	worlds     []worlds
	arrivals   [][]int // of each node, the nodes that a run can come from
	departures [][]int // of each node, the nodes that a run can go to
}

func newExplorer(ctx context.Context, g *graph.Graph) *explorer {
	e := &explorer{
		graph: g, index: indexOf(g),
		reads: make([][]reads, len(g.Nodes)), terms: make([][]*term, len(g.Nodes)),
		worlds: make([]worlds, len(g.Nodes)), asked: map[string]int{}, arrivals: make([][]int, len(g.Nodes)), departures: make([][]int, len(g.Nodes)),
	}
	var all reads
	for i, node := range g.Nodes {
		if ctx.Err() != nil {
			return e
		}
		e.reads[i] = e.readsOf(ctx, node)
		for _, r := range e.reads[i] {
			all.join(r)
		}
		if s, isSwitch := node.(*graph.Switch); isSwitch {
			e.askedBy(ctx, i, s)
		}
	}
	e.watched = all.nodes
	return e
}

// askedBy reads the rules of a switch.
func (e *explorer) askedBy(ctx context.Context, node int, s *graph.Switch) {
	subjects := map[string]bool{}
	for _, c := range s.Conditions {
		t := e.index.termOf(ctx, c.Rule)
		e.terms[node] = append(e.terms[node], t)
		for _, leaf := range t.leaves() {
			subjects[leaf.subject] = true
		}
	}
	for subject := range subjects {
		e.asked[subject]++
	}
}

// readsOf is what each expression of a node depends on.
func (e *explorer) readsOf(ctx context.Context, node graph.Node) []reads {
	var all []reads
	switch node := node.(type) {
	case *graph.Transform:
		all = append(all, e.index.ofExpression(node.Expr.Expression))
	case *graph.MCP:
		for _, expr := range node.Args.Expressions() {
			all = append(all, e.index.ofExpression(expr.Expression))
		}
	case *graph.Switch:
		for _, c := range node.Conditions {
			all = append(all, e.index.ofRule(ctx, c.Rule, nil))
		}
	case *graph.Entry, *graph.Exit:
	}
	return all
}

// explore finds the worlds of all nodes, nearest to the entry first, so that a world's
// path is a short one.
func (e *explorer) explore(ctx context.Context) {
	most := max(1, min(mostWorlds, allWorlds/len(e.graph.Nodes)))
	n := len(e.graph.Nodes)
	start := &world{node: e.index[e.graph.Entry.ID()], must: newSet(n), may: newSet(n)}
	queue := []*world{e.worlds[start.node].add(start, e.watched, most)}
	for len(queue) > 0 && ctx.Err() == nil {
		w := queue[0]
		queue = queue[1:]
		if at := &e.worlds[w.node]; at.one && at.list[0] != w {
			continue // another world stands for it now
		}
		for _, next := range e.step(w) {
			if !slices.Contains(e.arrivals[next.node], w.node) {
				e.arrivals[next.node] = append(e.arrivals[next.node], w.node)
				e.departures[w.node] = append(e.departures[w.node], next.node)
			}
			if todo := e.worlds[next.node].add(next, e.watched, most); todo != nil {
				queue = append(queue, todo)
			}
		}
	}
}

// step is the worlds that follow on a world.
func (e *explorer) step(w *world) []*world {
	s, isSwitch := e.graph.Nodes[w.node].(*graph.Switch)
	if !isSwitch {
		var next []*world
		for _, id := range e.graph.Nodes[w.node].Successors() {
			next = append(next, w.after(e.index[id]))
		}
		return next
	}
	var next []*world
	left := w.facts
	for i, c := range s.Conditions {
		t := e.terms[w.node][i]
		o := e.decide(w, left, t)
		if o != no {
			next = append(next, e.leave(w, s, c.Next, left.assume(t, true)))
		}
		if o == yes {
			return next
		}
		left = left.assume(t, false)
	}
	return append(next, e.leave(w, s, s.Default, left))
}

// leave is the world behind a switch: its output is the id of the node it went to. Facts
// that no other switch asks for would only tell worlds apart that are the same.
func (e *explorer) leave(w *world, s *graph.Switch, to graph.Node, known facts) *world {
	known = slices.DeleteFunc(slices.Clone(known), func(f fact) bool { return e.asked[f.leaf.subject] < 2 })
	v := (&world{node: w.node, must: w.must, may: w.may, facts: known}).after(e.index[to.ID()])
	v.from = w
	if went := e.index.wentTo(s, to); e.asked[went.subject] > 0 {
		v.facts = v.facts.with(went, true)
	}
	return v
}

// wentTo is the comparison of a switch's output with an id.
func (x index) wentTo(s *graph.Switch, to graph.Node) *term {
	t := &term{
		op: "equal", subject: "{var [" + strconv.Quote(s.ID()) + ",]}", constant: to.ID(),
		reads: reads{nodes: []int{x[s.ID()]}},
	}
	t.setKey()
	return t
}

// decide is the outcome of a rule in a world with these facts.
func (e *explorer) decide(w *world, known facts, t *term) outcome {
	for _, leaf := range t.leaves() {
		switch {
		case leaf.reads.open || len(leaf.reads.nodes) == 0:
		case !slices.ContainsFunc(leaf.reads.nodes, w.may.has):
			if leaf.absent != unknown {
				known = known.with(leaf, leaf.absent == yes)
			}
		case len(leaf.reads.nodes) == 1 && w.must.has(leaf.reads.nodes[0]):
			known = known.with(e.index.counted(e.graph.Nodes[leaf.reads.nodes[0]]), true)
		}
	}
	return known.decide(t)
}

// counted is that a node has run at least once.
func (x index) counted(node graph.Node) *term {
	t := &term{
		op: "bound", bound: ">=", constant: 1.0, reads: reads{nodes: []int{x[node.ID()]}},
		subject: "{var [" + strconv.Quote("$executionCount("+strconv.Quote(node.ID())+")") + ",]}",
	}
	t.setKey()
	return t
}

// set is a set of nodes, by index.
type set []uint64

func newSet(n int) set             { return make(set, (n+63)/64) }
func (s set) has(i int) bool       { return s[i/64]&(1<<(i%64)) != 0 }
func (s set) add(i int)            { s[i/64] |= 1 << (i % 64) }
func (s set) clone() set           { return slices.Clone(s) }
func (s set) equal(other set) bool { return slices.Equal(s, other) }

func (s set) keepBoth(other set) {
	for i := range s {
		s[i] &= other[i]
	}
}

func (s set) addAll(other set) {
	for i := range s {
		s[i] |= other[i]
	}
}

// world is one way in which a run can stand before a node: what has run, and what is
// known of the outcomes of rules.
type world struct {
	node      int
	must, may set // what has run for certain, and what may have
	facts     facts
	from      *world // the world of the node before it; nil for the entry
}

// presence tells whether a node has run.
func (w *world) presence(node int) shape.Presence {
	switch {
	case w.must.has(node):
		return shape.Always
	case w.may.has(node):
		return shape.Maybe
	}
	return shape.Never
}

// after is the world when its node has run and the run goes on to next.
func (w *world) after(next int) *world {
	v := &world{node: next, must: w.must.clone(), may: w.may.clone(), facts: w.facts.after(w.node), from: w}
	v.must.add(w.node)
	v.may.add(w.node)
	return v
}

// join makes w stand for another world as well, and tells whether that changed it.
func (w *world) join(other *world) bool {
	must, may := w.must.clone(), w.may.clone()
	must.keepBoth(other.must)
	may.addAll(other.may)
	if must.equal(w.must) && may.equal(w.may) {
		return false
	}
	w.must, w.may = must, may
	return true
}

// path is the nodes by which a run comes into the world, the world's own last. A path
// through a loop has some of them more than once.
func (w *world) path() []int {
	var nodes []int
	for at := w; at != nil; at = at.from {
		nodes = append(nodes, at.node)
	}
	slices.Reverse(nodes)
	return nodes
}

// worlds are all ways in which a run can stand before one node.
type worlds struct {
	list  []*world
	byKey map[string]*world
	one   bool // there were too many, and one world stands for all of them
}

// add notes a world; it returns the world that now has to be followed (further), or nil.
func (ws *worlds) add(w *world, watched []int, most int) *world {
	if ws.one {
		if ws.list[0].join(w) {
			return ws.list[0]
		}
		return nil
	}
	key := w.key(watched)
	if known := ws.byKey[key]; known != nil {
		if known.join(w) {
			return known
		}
		return nil
	}
	if len(ws.list) < most {
		if ws.byKey == nil {
			ws.byKey = map[string]*world{}
		}
		ws.byKey[key] = w
		ws.list = append(ws.list, w)
		return w
	}
	w.facts = nil
	for _, other := range ws.list {
		w.join(other)
	}
	ws.list, ws.byKey, ws.one = []*world{w}, nil, true
	return w
}

// presences is whether each of the nodes has run, as text.
func (w *world) presences(nodes []int) string {
	var b strings.Builder
	for _, node := range nodes {
		b.WriteString(strconv.Itoa(int(w.presence(node))))
	}
	return b.String()
}

// key tells worlds apart by what matters: whether the nodes that are read somewhere
// have run, and the facts.
func (w *world) key(watched []int) string {
	return w.presences(watched) + "\n" + w.facts.key()
}
