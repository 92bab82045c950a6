package graphs

import (
	"context"
	"fmt"
	"strings"
)

// difference is where a run diverges from the reference's.
type difference struct {
	sample       uint64 // which graph of the seed
	node         string
	pair         *pair // nil where no single expression shows it
	ours, theirs answer
	kind         string // of kinds, or empty
	note         string // where there is no pair
}

// comparer compares the runs of one graph.
type comparer struct {
	ctx   context.Context
	r     *reference
	index uint64
	s     sample
	found []difference
}

func (c *comparer) byID(id string) *node {
	for _, n := range c.s.file.Nodes {
		if n.ID == id {
			return n
		}
	}
	return nil
}

// compare walks both runs side by side, up to the first step that differs. Rules are
// compared by their values, so one can differ although the run goes the same way.
func (c *comparer) compare(ours ourRun, theirs refRun) {
	if theirs.Failed == "build" {
		c.noted("", "only the reference refuses the graph: "+theirs.At, answer{}, answer{Error: theirs.At})
		return
	}
	for i, want := range theirs.Steps {
		if i >= len(ours.steps) {
			c.noted(want.Node, fmt.Sprintf("the run ends before execution %d, %s at %s", i, ours.failed, ours.at), answer{}, want.answer)
			return
		}
		if ours.nodes[i] != want.Node {
			c.noted(want.Node, fmt.Sprintf("execution %d is of %s", i, ours.nodes[i]), ours.steps[i], want.answer)
			return
		}
		before := recordsOf(theirs.Steps[:i])
		c.compareRules(want, before)
		if !ours.steps[i].agrees(want.answer) {
			if len(want.Rules) == 0 || !c.explained(want.Node) {
				c.locate(c.byID(want.Node), before, ours.steps[i], want.answer)
			}
			return
		}
	}
	switch {
	case len(ours.steps) > len(theirs.Steps):
		c.noted(ours.nodes[len(theirs.Steps)], "the reference ends before: "+theirs.Failed, ours.steps[len(theirs.Steps)], answer{})
	case ours.failed != theirs.Failed || ours.at != theirs.At:
		c.noted(ours.at, fmt.Sprintf("%s at %q, the reference %s at %q", ours.failed, ours.at, theirs.Failed, theirs.At), answer{}, answer{})
	case ours.failed == "":
		want := theirs.Steps[len(theirs.Steps)-1].answer
		if want.Nothing {
			want = answer{Value: []byte("null")}
		}
		if ours.value.Nothing {
			ours.value = answer{Value: []byte("null")}
		}
		if !ours.value.agrees(want) {
			c.noted("exit", "the result", ours.value, want)
		}
	}
}

func recordsOf(steps []refStep) []record {
	records := make([]record, len(steps))
	for i, s := range steps {
		records[i] = record{Node: s.Node}
		if !s.Nothing {
			records[i].Value = s.Value
		}
	}
	return records
}

func (c *comparer) noted(node, note string, ours, theirs answer) {
	c.found = append(c.found, difference{sample: c.index, node: node, note: note, ours: ours, theirs: theirs})
}

// explained reports whether a difference of the node was found already.
func (c *comparer) explained(node string) bool {
	return len(c.found) > 0 && c.found[len(c.found)-1].node == node
}

func (c *comparer) compareRules(step refStep, before []record) {
	n := c.byID(step.Node)
	for i, want := range step.Rules {
		p := pair{source: n.rules[i], isRule: true, records: before}
		got := p.evaluated(c.ctx)
		if got.agrees(want) {
			continue
		}
		if kindOf(p, got, want) == "" && c.locateIn(n, quotedTerms(p.source, nil), before) {
			continue
		}
		c.paired(n.ID, p, got, want)
	}
}

func (c *comparer) paired(node string, p pair, ours, theirs answer) {
	c.found = append(c.found, difference{
		sample: c.index, node: node, pair: &p, ours: ours, theirs: theirs, kind: kindOf(p, ours, theirs),
	})
}

// locate finds the expression of a node whose value differs.
func (c *comparer) locate(n *node, before []record, ours, theirs answer) {
	var sources []*term
	switch {
	case n.expr != nil:
		sources = []*term{n.expr}
	case n.args != nil:
		sources = quotedTerms(n.args, nil)
	}
	if !c.locateIn(n, sources, before) {
		source := string(n.Args)
		if n.expr != nil {
			source = n.expr.String()
		}
		c.noted(n.ID, fmt.Sprintf("not by itself: %s %s %s", n.Type, n.Tool, source), ours, theirs)
	}
}

// locateIn finds the first of the expressions whose value differs.
func (c *comparer) locateIn(n *node, sources []*term, before []record) bool {
	for _, source := range sources {
		if strings.Contains(source.String(), "$ctx") {
			continue // which only rules have
		}
		p := pair{source: source, records: before}
		got, want := p.evaluated(c.ctx), p.theirs(c.r)
		if !got.agrees(want) {
			c.paired(n.ID, p, got, want)
			return true
		}
	}
	return false
}

// quotedTerms are the expressions in arguments or in a rule.
func quotedTerms(t *term, into []*term) []*term {
	for _, inner := range t.terms {
		if inner.hole.quoted {
			into = append(into, inner)
		} else {
			into = quotedTerms(inner, into)
		}
	}
	return into
}
