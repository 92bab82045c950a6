package inspect

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"toolgraph/execution"
	"toolgraph/execution/fold"
	"toolgraph/execution/journal"
)

// NodeTimes is where the time of two runs went, for one node of a tool, or one step.
type NodeTimes struct {
	Node       string  `json:"nodeId"`         // or a branch, both.one, or the path of a step, texts.read
	Tool       string  `json:"tool,omitempty"` // whose node it is; empty: the tool of the run
	A          Spent   `json:"a"`
	B          Spent   `json:"b"`
	Difference float64 `json:"differenceMs"` // b minus a; called graphs, items and branches are part of what calls them
}

// Spent is what the executions of a node took in one run. Items and turns are no executions of their own.
type Spent struct {
	Count  int     `json:"count"`
	Took   float64 `json:"tookMs"`   // all of them, what they waited included
	Waited float64 `json:"waitedMs"` // for answers of the user
}

// times compares where the time of two runs went: the nodes with the largest difference first.
func (d *Difference) times(ctx context.Context, s *journal.Store) error {
	type key struct{ tool, node string }
	all := map[key]*NodeTimes{}
	for _, side := range []struct {
		run string
		of  func(*NodeTimes) *Spent
	}{
		{d.A.ID, func(t *NodeTimes) *Spent { return &t.A }},
		{d.B.ID, func(t *NodeTimes) *Spent { return &t.B }},
	} {
		h := fold.NewHistory()
		if err := s.Events(ctx, side.run, 0, h.Add); err != nil {
			return err
		}
		for _, r := range h.Sorted() {
			if r.Edited || r.Skipped || isNumber(r.At().Name()) { // the time of an item or a turn is part of that of its node
				continue
			}
			k := key{r.Tool, nodeName(&r)}
			of := all[k]
			if of == nil {
				of = &NodeTimes{Node: k.node, Tool: k.tool}
				all[k] = of
			}
			spent := side.of(of)
			spent.Count++
			spent.Took += inMilliseconds(r.End.Sub(r.Start))
			spent.Waited += inMilliseconds(h.Waited(r.At()))
		}
	}
	for _, of := range all {
		for _, ms := range []*float64{&of.A.Took, &of.A.Waited, &of.B.Took, &of.B.Waited} {
			*ms = micro(*ms)
		}
		of.Difference = micro(of.B.Took - of.A.Took)
		d.Times = append(d.Times, *of)
	}
	slices.SortFunc(d.Times, func(a, b NodeTimes) int {
		return cmp.Or(cmp.Compare(math.Abs(b.Difference), math.Abs(a.Difference)), cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Node, b.Node))
	})
	most := min(len(d.Times), mostTimes)
	d.Times, d.MoreTimes = d.Times[:most], len(d.Times)-most
	return nil
}

// mostTimes bounds the nodes in an answer.
const mostTimes = 20

// micro rounds milliseconds to microseconds.
func micro(ms float64) float64 { return math.Round(ms*1000) / 1000 }

func inMilliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func isNumber(text string) bool {
	_, err := strconv.Atoi(text)
	return err == nil
}

// nodeName names a node, a branch below its node, or a step by its path; without the numbers of items and turns.
func nodeName(r *execution.Record) string {
	path := slices.DeleteFunc(strings.FieldsFunc(r.Part, func(c rune) bool { return c == '.' || c == '@' }), isNumber)
	if len(path) == 0 || !strings.HasPrefix(r.NodeID, "$") {
		path = slices.Insert(path, 0, r.NodeID)
	}
	return strings.Join(path, ".")
}
