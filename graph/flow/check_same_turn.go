package flow

import (
	"fmt"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/jsonata"
	"toolgraph/graph"
	"toolgraph/internal/base/wording"
)

// cycle returns the nodes from which runs come to a node and to which they come from it; empty for a node in no loop.
func (c *checker) cycle(node int) set {
	forward, backward := c.spread(node, c.departures), c.spread(node, c.arrivals)
	forward.intersect(backward)
	return forward
}

// spread returns the nodes to which edges lead from a node; the node itself only when they lead back to it.
func (c *checker) spread(from int, edges [][]int) set {
	seen := newSet(len(c.graph.Nodes))
	for todo := []int{from}; len(todo) > 0; {
		i := todo[0]
		todo = todo[1:]
		for _, to := range edges[i] {
			if !seen.has(to) {
				seen.add(to)
				todo = append(todo, to)
			}
		}
	}
	return seen
}

// turns reports a call of a loop whose arguments are the same in every turn, where one of them chooses a page, and where a cache answers it.
func (c *checker) turns(node int, call graph.Node, defined *config.Node) {
	of := graph.CallingOf(call)
	m, isMCP := call.(*graph.MCP)
	key, page := pagingKey(defined.Args)
	if of == nil || of.ForEach != nil || c.faulty[node] || page == nil && (!isMCP || m.Cache == 0) {
		return
	}
	loop := c.cycle(node)
	if !loop.has(node) || !c.sameArguments(node, call, loop) {
		return
	}
	for i := range c.endless {
		if loop.has(i) {
			return
		}
	}
	by := c.decidedBy(node, loop)
	switch {
	case page != nil && (page.Kind == config.KindExpression || c.gathers(node, loop)):
		hint := fmt.Sprintf("compute it from $executionCount(%q)", call.ID())
		if isCursor(key.Value) {
			hint = fmt.Sprintf("read it from the last answer, which is $.%s", call.ID())
		}
		c.found.Warn(key.Pos, "same-each-turn", fmt.Sprintf("%q and all other arguments of node %q are the same in each turn of the loop (%s), so that each turn reads the same page",
			key.Value, call.ID(), c.loopText(loop)), hint)
	case isMCP && m.Cache > 0 && by != "":
		c.found.Warn(defined.Cache.Pos, "same-each-turn", fmt.Sprintf("switch %q decides by the answer of node %q, but its arguments are the same in each turn of the loop (%s), so that each turn gets the answer of the first from the cache",
			by, m.ID(), c.loopText(loop)), "remove cache")
	}
}

// sameArguments reports whether the arguments of a call of a loop are the same in each turn.
func (c *checker) sameArguments(node int, call graph.Node, loop set) bool {
	steady := steadiness{checker: c, node: node, body: loop, known: map[int]bool{}}
	for i, use := range c.uses[node] {
		if use.call == call && use.at == inArgs && !steady.all(c.reads[node][i]) {
			return false
		}
	}
	return true
}

// pagingNames are arguments that choose a part of a list, without the signs between words; cursors those that come from the part before.
var (
	pagingNames = []string{"skip", "offset", "page", "pagenumber", "pageno", "pageindex", "start", "startat", "startindex", "from", "fromindex", "index"}
	cursorNames = []string{"cursor", "after", "startcursor", "pagetoken", "nextpagetoken", "nexttoken", "continuation", "continuationtoken"}
)

func plainKey(key string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(key))
}

func isCursor(key string) bool { return slices.Contains(cursorNames, plainKey(key)) }

// pagingKey returns the argument that chooses a part of a list, and its value; nil for none. A literal 0 may say that there are no parts.
func pagingKey(args *config.Data) (key config.Text, value *config.Data) {
	if args == nil {
		return key, nil
	}
	for i, key := range args.Keys {
		if value := args.Items[i]; (isCursor(key.Value) || slices.Contains(pagingNames, plainKey(key.Value))) &&
			(value.Kind == config.KindExpression || value.Kind == config.KindScalar && value.Scalar != 0.0 && value.Scalar != nil && value.Scalar != "") {
			return key, value
		}
	}
	return key, nil
}

// gathers reports whether the answers of a call of a loop are put together: a loop that only asks again until something has happened keeps none.
func (c *checker) gathers(node int, loop set) bool {
	for i := range c.graph.Nodes {
		for _, use := range c.uses[i] {
			if slices.ContainsFunc(use.expr.References(), func(ref jsonata.Reference) bool {
				return ref.Function == "nodeExecutions" && len(ref.Path) > 0 && ref.Path[0] == c.graph.Nodes[node].ID()
			}) || loop.has(i) && use.expr.Tree() != nil && appends(use.expr.Tree()) {
				return true
			}
		}
	}
	return false
}

// appends reports whether an expression calls $append.
func appends(t *jsonata.Tree) bool {
	return t.Kind == "variable" && t.Text == "append" || slices.ContainsFunc(t.Parts, func(part jsonata.Tree) bool { return appends(&part) })
}

// decidedBy returns the id of a switch of a loop that reads the output of a node, or of a transform of the loop that is made of it; "" for none.
func (c *checker) decidedBy(node int, loop set) string {
	made := newSet(len(c.graph.Nodes))
	made.add(node)
	readsMade := func(i int) bool {
		return slices.ContainsFunc(c.reads[i], func(r reads) bool { return slices.ContainsFunc(r.nodes, made.has) })
	}
	for changed := true; changed; {
		changed = false
		for i, n := range c.graph.Nodes {
			if _, isTransform := n.(*graph.Transform); isTransform && loop.has(i) && !made.has(i) && readsMade(i) {
				made.add(i)
				changed = true
			}
		}
	}
	for i, n := range c.graph.Nodes {
		if _, isSwitch := n.(*graph.Switch); isSwitch && loop.has(i) && readsMade(i) {
			return n.ID()
		}
	}
	return ""
}

// loopText returns the ids of the nodes of a loop.
func (c *checker) loopText(loop set) string {
	const most = 5
	var ids []string
	for i, n := range c.graph.Nodes {
		if loop.has(i) {
			ids = append(ids, n.ID())
		}
	}
	if len(ids) > most {
		ids = append(ids[:most-1:most-1], "…")
	}
	return strings.Join(ids, ", ")
}

// stale reports a loop that only its own count ends, where another condition reads the answer of a call before the loop, and a call that may
// change something gets that same answer in each turn.
func (c *checker) stale(node int, s *graph.Switch) {
	if c.endless[node] || !slices.ContainsFunc(c.terms[node], func(t *term) bool { return t.op == "and" }) {
		return
	}
	loop := c.cycle(node)
	steady := steadiness{checker: c, node: node, body: loop, known: map[int]bool{}}
	for k, condition := range s.Conditions {
		t := c.terms[node][k]
		if t.op != "and" || !loop.has(node) || !loop.has(c.index[condition.Next.ID()]) {
			continue
		}
		var stays *term
		of := -1
		for _, leaf := range t.leaves() {
			if !steady.all(leaf.reads) {
				if c.onlyCounts(condition.Rule, leaf, loop) {
					continue
				}
				stays = nil
				break
			}
			if before := c.answerBefore(leaf, loop); before >= 0 {
				stays, of = leaf, before
			}
		}
		if stays == nil {
			continue
		}
		if by := c.usesStale(of, loop); by != "" {
			c.found.Warn(stays.left.Pos, "same-each-turn", fmt.Sprintf("%s is the same in each turn of the loop (%s), and so is what node %q gets of node %q: only the count of the turns ends the loop",
				wording.Truncate(sideText(stays.left), 60), c.loopText(loop), by, c.graph.Nodes[of].ID()), fmt.Sprintf("let the loop lead back to node %q", c.graph.Nodes[of].ID()))
			return
		}
	}
}

// onlyCounts reports whether what a leaf of a rule reads of a loop is how often nodes of it have run.
func (c *checker) onlyCounts(rule *graph.Rule, leaf *term, loop set) bool {
	if leaf.reads.open {
		return false
	}
	for _, ref := range rule.References() {
		if len(ref.Path) == 0 || len(ref.Var) < len(leaf.path) || !slices.Equal(ref.Var[:len(leaf.path)], leaf.path) {
			continue
		}
		if i, isNode := c.index[ref.Path[0]]; isNode && loop.has(i) && ref.Function != "executionCount" {
			return false
		}
	}
	return true
}

// answerBefore returns the call before a loop whose answer a leaf reads; -1 for none.
func (c *checker) answerBefore(leaf *term, loop set) int {
	for _, i := range leaf.reads.nodes {
		switch c.graph.Nodes[i].(type) {
		case *graph.MCP, *graph.SubGraph:
			if !loop.has(i) && leaf.left != nil {
				return i
			}
		case *graph.Entry, *graph.Parallel, *graph.Ask, *graph.Transform, *graph.Switch, *graph.Steps, *graph.Exit:
		}
	}
	return -1
}

// usesStale returns the id of a call of a loop that may change something and gets a part of the answer of a node before the loop, the same in
// each turn; "" where a call reads an output of the loop, or chooses a part of that answer by a count.
func (c *checker) usesStale(of int, loop set) (id string) {
	for i, n := range c.graph.Nodes {
		if !loop.has(i) {
			continue
		}
		for k := range c.uses[i] {
			r := c.reads[i][k]
			reads := slices.Contains(r.nodes, of)
			counts := slices.ContainsFunc(r.past, loop.has)
			latest := slices.ContainsFunc(r.nodes, func(node int) bool { return loop.has(node) && !slices.Contains(r.past, node) })
			if r.open || latest || reads && counts {
				return ""
			}
			if m, isMCP := n.(*graph.MCP); isMCP && reads && c.all.effect(m) != config.ReadEffect && c.uses[i][k].at == inArgs {
				id = n.ID()
			}
		}
	}
	return id
}
