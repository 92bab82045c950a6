package graph

import "slices"

// reach marks the nodes that can be reached from the given ones, themselves included.
func reach(next [][]int, from []int) []bool {
	seen := make([]bool, len(next))
	todo := slices.Clone(from)
	for _, i := range from {
		seen[i] = true
	}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, t := range next[i] {
			if !seen[t] {
				seen[t] = true
				todo = append(todo, t)
			}
		}
	}
	return seen
}

// traps are the sets of nodes that lead to each other and nowhere else, among the
// nodes that cannot end: what keeps them all from ending. Each set and the list of
// sets are in file order.
func traps(next [][]int, canEnd []bool) [][]int {
	t := &tarjan{next: next, order: make([]int, len(next)), low: make([]int, len(next)), set: make([]int, len(next))}
	for i := range next {
		if !canEnd[i] && t.order[i] == 0 {
			t.visit(i)
		}
	}
	var closed [][]int
	for number, nodes := range t.sets {
		if t.isClosed(number+1, nodes) {
			slices.Sort(nodes)
			closed = append(closed, nodes)
		}
	}
	slices.SortFunc(closed, slices.Compare)
	return closed
}

// tarjan finds strongly connected sets. It keeps its own stack of frames: a chain
// of nodes may be longer than recursion should be deep.
type tarjan struct {
	next  [][]int
	order []int // 1-based order of the first visit; 0: not visited
	low   []int // the earliest node on the stack that can be reached
	set   []int // 1-based index in sets; 0: still on the stack, or not visited
	stack []int
	sets  [][]int
	count int
}

type frame struct{ node, edge int }

func (t *tarjan) visit(start int) {
	frames := []frame{t.enter(start)}
	for len(frames) > 0 {
		f := &frames[len(frames)-1]
		if f.edge < len(t.next[f.node]) {
			to := t.next[f.node][f.edge]
			f.edge++
			switch {
			case t.order[to] == 0:
				frames = append(frames, t.enter(to))
			case t.set[to] == 0:
				t.low[f.node] = min(t.low[f.node], t.order[to])
			}
			continue
		}
		node := f.node
		frames = frames[:len(frames)-1]
		if len(frames) > 0 {
			above := frames[len(frames)-1].node
			t.low[above] = min(t.low[above], t.low[node])
		}
		if t.low[node] == t.order[node] {
			t.leave(node)
		}
	}
}

func (t *tarjan) enter(node int) frame {
	t.count++
	t.order[node], t.low[node] = t.count, t.count
	t.stack = append(t.stack, node)
	return frame{node: node}
}

// leave takes the set whose first visited node is root off the stack.
func (t *tarjan) leave(root int) {
	i := len(t.stack) - 1
	for t.stack[i] != root {
		i--
	}
	nodes := slices.Clone(t.stack[i:])
	t.stack = t.stack[:i]
	t.sets = append(t.sets, nodes)
	for _, node := range nodes {
		t.set[node] = len(t.sets)
	}
}

func (t *tarjan) isClosed(number int, nodes []int) bool {
	for _, node := range nodes {
		for _, to := range t.next[node] {
			if t.set[to] != number {
				return false
			}
		}
	}
	return true
}
