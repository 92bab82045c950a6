package inspect

import (
	"context"
	"time"

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
	var both [2]*fold.History
	for i, run := range []string{d.A.ID, d.B.ID} {
		both[i] = fold.NewHistory()
		if err := s.Events(ctx, run, 0, both[i].Add); err != nil {
			return err
		}
	}
	all := fold.CompareTimes(both[0], both[1])
	d.MoreTimes = max(0, len(all)-mostTimes)
	for _, t := range all[:len(all)-d.MoreTimes] {
		d.Times = append(d.Times, NodeTimes{Node: t.A.Node, Tool: t.A.Tool, A: spent(t.A), B: spent(t.B), Difference: inMilliseconds(t.Difference())})
	}
	return nil
}

func spent(t fold.Times) Spent {
	return Spent{Count: t.Count, Took: inMilliseconds(t.Took), Waited: inMilliseconds(t.Waited)}
}

// mostTimes bounds the nodes in an answer.
const mostTimes = 20

// inMilliseconds has no more digits than microseconds.
func inMilliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
