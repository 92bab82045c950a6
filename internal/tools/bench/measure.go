package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"time"

	"toolgraph/internal/tools/bench/stats"
)

// plan is how much to measure.
type plan struct {
	rounds int           // a round starts every peer afresh
	starts int           // starts of each peer in a round, for the startup time
	slices int           // turns of each peer in a round
	slice  time.Duration // how long a turn is, at least; one call at least
	warm   time.Duration // how long each peer is called before a round
	only   *regexp.Regexp
}

// meter measures a fleet by a plan and collects what it finds in a table.
type meter struct {
	fleet *fleet
	plan  plan
	table *table
	log   io.Writer // progress, for people
}

// The rows that goals are about.
const (
	startup    = "startup to tools/list"
	binarySize = "size of the release binary"
)

// run measures everything that the plan names.
func (m *meter) run(ctx context.Context) error {
	all := workloads()
	for round := range m.plan.rounds {
		if m.plan.only.MatchString(startup) {
			m.note(round, startup)
			if err := m.starts(ctx, all[0]); err != nil {
				return err
			}
		}
		for _, w := range all {
			if !m.plan.only.MatchString(w.title()) {
				continue
			}
			m.note(round, w.title())
			if err := m.measure(ctx, w); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *meter) note(round int, name string) {
	fmt.Fprintf(m.log, "round %d of %d: %s\n", round+1, m.plan.rounds, name)
}

// starts measures how long each peer takes to answer tools/list.
func (m *meter) starts(ctx context.Context, w *workload) error {
	took := map[string][]float64{}
	for range m.plan.starts {
		for _, p := range m.fleet.peers {
			if p.crowded || p.command == nil {
				continue
			}
			line, err := m.fleet.line(p, w)
			if err != nil {
				return err
			}
			c, started, err := dial(ctx, line)
			if err != nil {
				if stop := m.lost(ctx, p, startup, err); stop != nil {
					return stop
				}
				continue
			}
			c.close()
			took[p.name] = append(took[p.name], milliseconds(started))
		}
	}
	m.table.add(row{name: binarySize, unit: "MB"}, ours, float64(m.fleet.binarySize)/1e6)
	row := row{name: startup, unit: "ms"}
	for _, p := range m.fleet.peers {
		if len(took[p.name]) > 0 {
			m.table.add(row, p.name, stats.Median(took[p.name]))
		}
	}
	return nil
}

// turn is one peer's part in a round of a workload.
type turn struct {
	peer   *peer
	conn   driver
	idle   memory
	busy   memory
	counts tally
	lost   bool // the process ended before its time
}

// measure lets the peers take turns at w.
func (m *meter) measure(ctx context.Context, w *workload) error {
	var turns []*turn
	defer func() {
		for _, t := range turns {
			t.conn.close()
		}
	}()
	for _, p := range m.fleet.peers {
		if !p.takes(w) {
			continue
		}
		c, err := m.fleet.open(ctx, p, w)
		if err != nil {
			if stop := m.lost(ctx, p, w.title(), err); stop != nil {
				return stop
			}
			continue
		}
		turns = append(turns, &turn{peer: p, conn: c, idle: memoryOf(c.pid())})
	}
	for slice := range m.plan.slices + 1 {
		for _, t := range turns {
			if err := ctx.Err(); err != nil {
				return err
			}
			t.take(w, m.plan, slice == 0)
		}
	}
	for _, t := range turns {
		m.record(w, t)
	}
	return nil
}

// lost counts a peer that could not be started, unless the whole run is ending.
func (m *meter) lost(ctx context.Context, p *peer, title string, err error) error {
	if stop := ctx.Err(); stop != nil {
		return stop
	}
	if p.name == ours {
		return err
	}
	var t tally
	t.fault(err.Error())
	m.table.count(title, p.name, t)
	return nil
}

// take is a slice of calls; the warm-up is not counted, but for its faults.
func (t *turn) take(w *workload, p plan, warming bool) {
	if t.lost {
		return
	}
	span := p.slice
	if warming {
		span = p.warm
	}
	counts, err := t.conn.drive(w, span)
	if warming {
		counts = tally{faults: counts.faults}
	}
	t.counts.add(counts)
	t.lost = err != nil
	if !t.lost {
		busy := memoryOf(t.conn.pid())
		busy.tree = max(busy.tree, t.busy.tree)
		t.busy = busy
	}
}

// record puts a turn into the table.
func (m *meter) record(w *workload, t *turn) {
	name, title := t.peer.name, w.title()
	m.table.count(title, name, t.counts)
	if w.inflight == 1 && len(t.counts.each) > 0 {
		each := make([]float64, len(t.counts.each))
		for i, d := range t.counts.each {
			each[i] = milliseconds(d)
		}
		m.table.add(row{name: title + ", p50", unit: "ms"}, name, stats.Percentile(each, 50))
		m.table.add(row{name: title + ", p95", unit: "ms"}, name, stats.Percentile(each, 95))
		if w.steps > 0 {
			m.table.add(row{name: title + ", per step", unit: "µs"}, name, 1000*stats.Percentile(each, 50)/float64(w.steps))
		}
	}
	if w.steps == 0 && t.counts.took > 0 {
		m.table.add(row{name: title + ", right answers", unit: "/s", higher: true}, name, float64(t.counts.right)/t.counts.took.Seconds())
	}
	if !w.memory || t.busy.peak == 0 { // without /proc
		return
	}
	memory := func(title string, process, tree float64) {
		m.table.add(row{name: title + ", process", unit: "MB"}, name, process)
		if w.children {
			m.table.add(row{name: title + ", with children", unit: "MB"}, name, tree)
		}
	}
	if w.inflight == 1 && !w.children {
		memory("memory before "+w.name, t.idle.now, t.idle.tree)
	}
	memory("memory under "+title, t.busy.peak, t.busy.tree)
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// errWrong means that toolgraph did not answer every call correctly.
var errWrong = errors.New("toolgraph gave wrong answers or errors")
