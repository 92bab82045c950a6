package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"toolgraph/internal/tools/bench/machine"
	"toolgraph/internal/tools/bench/stats"
	"toolgraph/tests/pgtest"
)

// cost is what one run takes. Other programs on the machine change none of it much: CPU time, bytes and counts are no durations.
type cost struct {
	own, database float64 // CPU time of the processes and of Postgres, in ms
	wal, disk     float64 // bytes that Postgres writes ahead, and those by which the database grows
	commits       float64
	connections   float64 // of a process, while the runs are made
}

// kinds are the runs whose costs are measured: each makes 3 calls.
var kinds = []struct {
	name, tool string
	withKey    bool
}{
	{"without a key", "three", false},
	{"with a key", "three", true},
	{"with a key, one call not safe to repeat", "pays", true},
}

// costs measures what runs take in three processes over Postgres: medians of rounds.
func (with *programs) costs(ctx context.Context, runs, rounds int) ([]cost, error) {
	each := make([][]cost, len(kinds))
	for round := range rounds {
		all, err := with.costsOnce(ctx, runs, costsRound+round)
		if err != nil {
			return nil, err
		}
		for i, c := range all {
			each[i] = append(each[i], c)
		}
	}
	medians := make([]cost, len(kinds))
	for i, all := range each {
		of := func(value func(c cost) float64) float64 {
			values := make([]float64, len(all))
			for k, c := range all {
				values[k] = value(c)
			}
			return stats.Median(values)
		}
		medians[i] = cost{
			own: of(func(c cost) float64 { return c.own }), database: of(func(c cost) float64 { return c.database }),
			wal: of(func(c cost) float64 { return c.wal }), disk: of(func(c cost) float64 { return c.disk }),
			commits: of(func(c cost) float64 { return c.commits }), connections: of(func(c cost) float64 { return c.connections }),
		}
	}
	return medians, nil
}

// costsOnce is one round, with a database of its own.
func (with *programs) costsOnce(ctx context.Context, runs, round int) ([]cost, error) {
	var of *place
	for _, p := range places() {
		if p.name == "three behind a balancer" {
			of = p
		}
	}
	r, err := of.start(ctx, with, round)
	if err != nil {
		return nil, err
	}
	defer r.stop()
	c := newClient(r.url, "costs")
	if err := c.some(ctx, "pays", runs/10, true); err != nil { // to warm up
		return nil, err
	}
	var all []cost
	for _, kind := range kinds {
		before, err := r.meter()
		if err != nil {
			return nil, err
		}
		if err := c.some(ctx, kind.tool, runs, kind.withKey); err != nil {
			return nil, fmt.Errorf("%s: %w", kind.name, err)
		}
		time.Sleep(settle)
		after, err := r.meter()
		if err != nil {
			return nil, err
		}
		n := float64(runs)
		all = append(all, cost{
			own: (after.own - before.own) / n, database: (after.database - before.database) / n,
			wal: (after.wal - before.wal) / n, disk: (after.disk - before.disk) / n, commits: (after.commits - before.commits) / n,
			connections: after.connections / float64(of.count),
		})
	}
	return all, nil
}

// costsRound is the first round in the names of the databases of the costs: no other has it.
const costsRound = 1000

// settle is how long the ends of runs without a key may take to be recorded, and the counters of Postgres to be seen.
const settle = 3 * time.Second

// some makes runs, some at a time.
func (c *client) some(ctx context.Context, tool string, runs int, withKey bool) (err error) {
	var next atomic.Int64
	var mu sync.Mutex // guards err
	var all sync.WaitGroup
	begin := time.Now().UnixNano()
	for range working {
		all.Go(func() {
			for i := next.Add(1); i <= int64(runs); i = next.Add(1) {
				if failed := c.call(ctx, tool, fmt.Sprintf("%s-%s-%d-%d", c.name, tool, begin, i), 0, withKey); failed != nil {
					mu.Lock()
					err = failed
					mu.Unlock()
					return
				}
			}
		})
	}
	all.Wait()
	return err
}

// meter reads what was used so far.
func (r *running) meter() (c cost, err error) {
	own, _ := r.cpu()
	c.own = 1000 * own
	pid, err := r.programs.postgres.PID()
	if err != nil {
		return c, err
	}
	c.database = 1000 * usedBelow(pid)
	for query, into := range map[string]*float64{
		"SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8":                                                  &c.wal,
		"SELECT pg_database_size(current_database())::float8":                                                          &c.disk,
		"SELECT xact_commit::float8 FROM pg_stat_database WHERE datname = current_database()":                          &c.commits,
		"SELECT count(*)::float8 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()": &c.connections,
	} {
		if *into, err = pgtest.Number(r.state, query); err != nil {
			return c, err
		}
	}
	return c, nil
}

// usedBelow returns the CPU time of a process, of its children that live and of those that have ended, on Linux, in seconds.
func usedBelow(pid int) (sum float64) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return 0
	}
	for _, e := range entries {
		of, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		src, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		_, after, found := strings.Cut(string(src), ") ")
		fields := strings.Fields(after)
		if err != nil || !found || len(fields) < 15 {
			continue // it has ended
		}
		if of != pid && fields[1] != strconv.Itoa(pid) {
			continue
		}
		last := 13
		if of == pid {
			last = 15 // and of its children that have ended
		}
		for _, field := range fields[11:last] {
			n, _ := strconv.Atoi(field) // 0 when it is no number
			sum += float64(n) / ticks
		}
	}
	return sum
}

// rates are the calls a second for which sums are computed.
var rates = []float64{1000, 10_000, 100_000}

const (
	// lasts is how long a call of the sums lasts, in seconds: it decides how many are in flight.
	lasts = 1.0
	// mostRuns is how many runs a process has in flight at most, see docs/scaling.md.
	mostRuns = 1024
	// busyAt is the part of a core that is used before one more is needed.
	busyAt = 0.7
)

// costTables prints what was measured of a run, and apart from it what follows for many calls a second.
func costTables(w io.Writer, all []cost, m machine.Machine, runs, rounds int) {
	fmt.Fprintf(w, "\nMeasured, for a run of 3 calls in three processes over Postgres; %s; medians of %d rounds of %d runs:\n\n| a run | CPU of toolgraph | CPU of Postgres | write-ahead log | disk | commits | connections of a process |\n|---|---|---|---|---|---|---|\n", m, rounds, runs)
	for i, c := range all {
		fmt.Fprintf(w, "| %s | %.2f ms | %.2f ms | %.1f kB | %.1f kB | %.2f | %.0f |\n", kinds[i].name, c.own, c.database, c.wal/1000, c.disk/1000, c.commits, c.connections)
	}
	fmt.Fprint(w, "\nComputed from that:\n\n| calls a second | | cores for toolgraph | processes | connections | cores of Postgres | write-ahead log | disk a day |\n|---|---|---|---|---|---|---|---|\n")
	for _, rate := range rates {
		for i, c := range all {
			cores := rate * c.own / 1000 / busyAt
			processes := math.Ceil(max(cores, rate*lasts/mostRuns, 2))
			fmt.Fprintf(w, "| %.0f | %s | %s | %s | %s | %s | %s MB/s | %s GB |\n", rate, kinds[i].name, about(cores), strings.TrimSuffix(about(processes), ".0"),
				about(processes*mostConnections), about(rate*c.database/1000/busyAt), about(rate*c.wal/1e6), about(rate*c.disk*86400/1e9))
		}
	}
}

// about returns a number with two digits, which is what the sums are worth.
func about(v float64) string {
	if v < 10 {
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	unit := math.Pow(10, math.Floor(math.Log10(v))-1)
	return strconv.FormatFloat(math.Round(v/unit)*unit, 'f', 0, 64)
}

// mostConnections is how many connections a process has at most, the one that listens included.
const mostConnections = 9
