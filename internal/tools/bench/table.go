package main

import (
	"math"

	"toolgraph/internal/tools/bench/machine"
	"toolgraph/internal/tools/bench/stats"
)

// row is what one line of the table measures.
type row struct {
	name   string
	unit   string
	higher bool // more is better
}

// table has the results of a run: a number for each row, peer and round.
type table struct {
	machine machine.Machine
	peers   []string
	rows    []row
	numbers map[string]map[string][]float64 // by row and peer
	titles  []string
	counts  map[string]map[string]*tally // by workload and peer
}

func newTable(m machine.Machine, peers []*peer) *table {
	t := &table{machine: m, numbers: map[string]map[string][]float64{}, counts: map[string]map[string]*tally{}}
	for _, p := range peers {
		t.peers = append(t.peers, p.name)
	}
	return t
}

// add adds the number of a round.
func (t *table) add(r row, peer string, number float64) {
	if t.numbers[r.name] == nil {
		t.rows = append(t.rows, r)
		t.numbers[r.name] = map[string][]float64{}
	}
	t.numbers[r.name][peer] = append(t.numbers[r.name][peer], number)
}

// count adds the outcome of the calls of a round.
func (t *table) count(title, peer string, counts tally) {
	if t.counts[title] == nil {
		t.titles = append(t.titles, title)
		t.counts[title] = map[string]*tally{}
	}
	if t.counts[title][peer] == nil {
		t.counts[title][peer] = &tally{}
	}
	counts.each = nil // no longer of use
	t.counts[title][peer].add(counts)
}

// median is over the rounds; NaN when the peer has no such row.
func (t *table) median(row, peer string) float64 { return stats.Median(t.numbers[row][peer]) }

// ratio is toolgraph over the peer, the median of the ratios of the rounds, because a
// disturbance of a round affects both. If a peer has missed rounds, it is the ratio of the
// medians.
func (t *table) ratio(row, peer string) float64 { return t.of(row, ours, peer) }

// of is the same ratio of one peer over another.
func (t *table) of(row, peer, other string) float64 {
	mine, theirs := t.numbers[row][peer], t.numbers[row][other]
	if len(mine) == 0 || len(theirs) == 0 {
		return math.NaN()
	}
	if len(mine) != len(theirs) {
		return stats.Median(mine) / stats.Median(theirs)
	}
	return stats.Median(stats.Ratios(mine, theirs))
}

// between is the ratio of two rows of toolgraph.
func (t *table) between(over, under string) float64 {
	return stats.Median(stats.Ratios(t.numbers[over][ours], t.numbers[under][ours]))
}

// wrong is the number of calls that toolgraph did not answer correctly.
func (t *table) wrong() int {
	n := 0
	for _, peers := range t.counts {
		if own := peers[ours]; own != nil {
			n += own.failed()
		}
	}
	return n
}
