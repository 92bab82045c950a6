package flow

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"toolgraph/expressions/shape"
	"toolgraph/graph"
)

// The number of states of one node, smaller in a large graph. When there would be more, they
// are joined into one, without the facts that conditions give.
const (
	mostStates = 128
	allStates  = 20_000
)

// explorer finds the states of every node of a graph.
type explorer struct {
	graph      *graph.Graph
	defaults   defaults
	index      index
	uses       [][]use        // the expressions of each node
	reads      [][]reads      // of the expressions or rules of each node, in order
	terms      [][]*term      // of each switch's rules
	watched    []int          // nodes that an expression or rule reads, ascending
	asked      map[string]int // the number of switches that test a subject
	states     []states
	arrivals   [][]int // the nodes from which a run can come to each node
	departures [][]int // the nodes to which a run can go from each node
	ways       []ways  // the ways out of each node that is no switch
	taken      map[[2]int]ending
	connected  set // nodes to which some way leads from the entry, whatever decides on it
}

// ways are the nodes that a node goes to; -1 for none.
type ways struct{ next, onError int }

// ending says how the latest execution of a node may have ended.
type ending uint8

const (
	done    ending = 1 << iota // it went to its next
	handled                    // it went to its onError.next
)

// waysOf returns the ways out of the nodes that are no switches.
func (x index) waysOf(g *graph.Graph) []ways {
	all := make([]ways, len(g.Nodes))
	for i := range all {
		all[i] = ways{-1, -1}
	}
	for _, edge := range g.Edges() {
		switch edge.Kind {
		case graph.NextEdge:
			all[x[edge.From]].next = x[edge.To]
		case graph.ErrorEdge:
			all[x[edge.From]].onError = x[edge.To]
		case graph.ConditionEdge, graph.DefaultEdge:
		}
	}
	return all
}

// connected returns the nodes to which edges lead from the entry.
func (x index) connected(g *graph.Graph) set {
	to := make([][]int, len(g.Nodes))
	for _, edge := range g.Edges() {
		to[x[edge.From]] = append(to[x[edge.From]], x[edge.To])
	}
	seen := newSet(len(g.Nodes))
	todo := []int{x[g.Entry.ID()]}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		if todo = todo[:len(todo)-1]; !seen.has(i) {
			seen.add(i)
			todo = append(todo, to[i]...)
		}
	}
	return seen
}

func newExplorer(ctx context.Context, g *graph.Graph, with defaults) *explorer {
	e := &explorer{
		graph: g, defaults: with, index: indexOf(g), uses: make([][]use, len(g.Nodes)), taken: map[[2]int]ending{},
		reads: make([][]reads, len(g.Nodes)), terms: make([][]*term, len(g.Nodes)),
		states: make([]states, len(g.Nodes)), asked: map[string]int{}, arrivals: make([][]int, len(g.Nodes)), departures: make([][]int, len(g.Nodes)),
	}
	e.ways = e.index.waysOf(g)
	e.connected = e.index.connected(g)
	var all reads
	for i, node := range g.Nodes {
		if ctx.Err() != nil {
			return e
		}
		e.uses[i] = append(usesOf(node), stepUses(e.stepOf(node), node)...)
		e.reads[i] = e.readsOf(ctx, i, node)
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

// askedBy reads the rules of a switch and counts their subjects.
func (e *explorer) askedBy(ctx context.Context, node int, s *graph.Switch) {
	subjects := map[string]bool{}
	for _, c := range s.Conditions {
		t := e.index.termOf(ctx, c.Rule, e.defaults)
		e.terms[node] = append(e.terms[node], t)
		for _, leaf := range t.leaves() {
			subjects[leaf.subject] = true
		}
	}
	for subject := range subjects {
		e.asked[subject]++
	}
}

// readsOf returns what each expression or rule of a node depends on.
func (e *explorer) readsOf(ctx context.Context, i int, node graph.Node) []reads {
	var all []reads
	for _, use := range e.uses[i] {
		all = append(all, e.index.ofExpression(use.expr.Expression))
	}
	if s, isSwitch := node.(*graph.Switch); isSwitch {
		for _, c := range s.Conditions {
			all = append(all, e.index.ofRule(ctx, c.Rule, nil))
		}
	}
	return all
}

// explore finds the states of all nodes, nearest to the entry first, so that the path of a
// state is short.
func (e *explorer) explore(ctx context.Context) {
	most := max(1, min(mostStates, allStates/len(e.graph.Nodes)))
	n := len(e.graph.Nodes)
	start := &state{node: e.index[e.graph.Entry.ID()], must: newSet(n), may: newSet(n), done: newSet(n), handled: newSet(n)}
	queue := []*state{e.states[start.node].add(start, e.watched, most)}
	for len(queue) > 0 && ctx.Err() == nil {
		w := queue[0]
		queue = queue[1:]
		if at := &e.states[w.node]; at.one && at.list[0] != w {
			continue // another state stands for it now
		}
		for _, next := range e.step(w) {
			if !slices.Contains(e.arrivals[next.node], w.node) {
				e.arrivals[next.node] = append(e.arrivals[next.node], w.node)
				e.departures[w.node] = append(e.departures[w.node], next.node)
			}
			e.taken[[2]int{w.node, next.node}] |= next.ending(w.node)
			if todo := e.states[next.node].add(next, e.watched, most); todo != nil {
				queue = append(queue, todo)
			}
		}
	}
}

// step returns the states that follow a state.
func (e *explorer) step(w *state) []*state {
	s, isSwitch := e.graph.Nodes[w.node].(*graph.Switch)
	var next []*state
	if !isSwitch {
		if way := e.ways[w.node]; way.next >= 0 {
			next = append(next, w.after(way.next, done))
			if way.onError >= 0 {
				next = append(next, w.after(way.onError, handled))
			}
		}
		return next
	}
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

// leave returns the state after a switch, whose output is the id of the node it goes to. Facts
// that no other switch tests are dropped: they would only make equal states different.
func (e *explorer) leave(w *state, s *graph.Switch, to graph.Node, known facts) *state {
	known = slices.DeleteFunc(slices.Clone(known), func(f fact) bool { return e.asked[f.leaf.subject] < 2 })
	v := (&state{node: w.node, must: w.must, may: w.may, done: w.done, handled: w.handled, facts: known}).after(e.index[to.ID()], done)
	v.from = w
	if went := e.index.wentTo(s, to); e.asked[went.subject] > 0 {
		v.facts = v.facts.with(went, true)
	}
	return v
}

// wentTo returns the comparison of a switch's output with an id.
func (x index) wentTo(s *graph.Switch, to graph.Node) *term {
	t := &term{
		op: "equal", subject: "{var [" + strconv.Quote(s.ID()) + ",]}", constant: to.ID(),
		reads: reads{nodes: []int{x[s.ID()]}},
	}
	t.setKey()
	return t
}

// decide returns the outcome of a rule in a state with these facts.
func (e *explorer) decide(w *state, known facts, t *term) outcome {
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

// counted returns the rule that a node has run at least once.
func (x index) counted(node graph.Node) *term {
	t := &term{
		op: "bound", bound: ">=", constant: 1.0, reads: reads{nodes: []int{x[node.ID()]}},
		subject: "{var [" + strconv.Quote("$executionCount("+strconv.Quote(node.ID())+")") + ",]}",
	}
	t.setKey()
	return t
}

// set is a set of nodes, as a bit for each index.
type set []uint64

func newSet(n int) set             { return make(set, (n+63)/64) }
func (s set) has(i int) bool       { return s[i/64]&(1<<(i%64)) != 0 }
func (s set) add(i int)            { s[i/64] |= 1 << (i % 64) }
func (s set) remove(i int)         { s[i/64] &^= 1 << (i % 64) }
func (s set) clone() set           { return slices.Clone(s) }
func (s set) equal(other set) bool { return slices.Equal(s, other) }

func (s set) intersect(other set) {
	for i := range s {
		s[i] &= other[i]
	}
}

func (s set) unite(other set) {
	for i := range s {
		s[i] |= other[i]
	}
}

// state is a state that a run can have before a node: which nodes have run, and what is known
// of the outcomes of rules.
type state struct {
	node      int
	must, may set // nodes that have certainly run, and nodes that may have run
	// Nodes whose latest execution may have gone to next, and nodes whose latest execution may
	// have gone to onError.next.
	done, handled set
	facts         facts
	from          *state // the state of the node before it; nil for the entry
}

// presence reports whether a node has run.
func (s *state) presence(node int) shape.Presence {
	switch {
	case s.must.has(node):
		return shape.Always
	case s.may.has(node):
		return shape.Maybe
	}
	return shape.Never
}

// ending returns how the latest execution of a node may have ended; 0 when it has not run.
func (s *state) ending(node int) (all ending) {
	if s.done.has(node) {
		all |= done
	}
	if s.handled.has(node) {
		all |= handled
	}
	return all
}

// after returns the state before next, to which the run goes when the node has run and ended in
// this way.
func (s *state) after(next int, by ending) *state {
	v := &state{
		node: next, must: s.must.clone(), may: s.may.clone(), done: s.done.clone(), handled: s.handled.clone(),
		facts: s.facts.after(s.node), from: s,
	}
	v.must.add(s.node)
	v.may.add(s.node)
	v.done.remove(s.node)
	v.handled.remove(s.node)
	if by == handled {
		v.handled.add(s.node)
	} else {
		v.done.add(s.node)
	}
	return v
}

// join makes s cover another state as well, and reports whether that changed s.
func (s *state) join(other *state) bool {
	was := *s
	s.must, s.may, s.done, s.handled = s.must.clone(), s.may.clone(), s.done.clone(), s.handled.clone()
	s.must.intersect(other.must)
	s.may.unite(other.may)
	s.done.unite(other.done)
	s.handled.unite(other.handled)
	return !s.must.equal(was.must) || !s.may.equal(was.may) || !s.done.equal(was.done) || !s.handled.equal(was.handled)
}

// path returns the nodes on the way of a run into the state; the last is the state's own. A
// node of a loop may occur more than once.
func (s *state) path() []int {
	var nodes []int
	for at := s; at != nil; at = at.from {
		nodes = append(nodes, at.node)
	}
	slices.Reverse(nodes)
	return nodes
}

// states are all states that a run can have before one node.
type states struct {
	list  []*state
	byKey map[string]*state
	one   bool // there were too many: list has one state that covers all
}

// add adds a state. It returns the state that must be followed from here, or nil when the
// states cover the added one already.
func (all *states) add(s *state, watched []int, most int) *state {
	if all.one {
		if all.list[0].join(s) {
			return all.list[0]
		}
		return nil
	}
	key := s.key(watched)
	if known := all.byKey[key]; known != nil {
		if known.join(s) {
			return known
		}
		return nil
	}
	if len(all.list) < most {
		if all.byKey == nil {
			all.byKey = map[string]*state{}
		}
		all.byKey[key] = s
		all.list = append(all.list, s)
		return s
	}
	s.facts = nil
	for _, other := range all.list {
		s.join(other)
	}
	all.list, all.byKey, all.one = []*state{s}, nil, true
	return s
}

// presences returns the presence of each of the nodes and how it may have ended, as text.
func (s *state) presences(nodes []int) string {
	var b strings.Builder
	for _, node := range nodes {
		b.WriteByte('0' + byte(s.presence(node)) + 4*byte(s.ending(node)))
	}
	return b.String()
}

// key is equal for states that differ neither in the presence of the watched nodes, nor in how
// these ended, nor in their facts.
func (s *state) key(watched []int) string {
	return s.presences(watched) + "\n" + s.facts.key()
}
