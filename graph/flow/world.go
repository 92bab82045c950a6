package flow

import (
	"slices"
	"strconv"
	"strings"

	"toolgraph/expressions/shape"
)

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
