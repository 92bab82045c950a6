package journal

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"toolgraph/execution"
)

// Grouping is by what the figures of runs are added.
type Grouping string

// The groupings.
const (
	ByTool   Grouping = "tool"
	ByServer Grouping = "server" // that the runs have called
	ByDay    Grouping = "day"    // on which the runs began, in the time zone of the query
)

// Groupings are all groupings.
var Groupings = []Grouping{ByTool, ByServer, ByDay}

// StatsQuery selects the runs that Stats adds; its zero fields select all.
type StatsQuery struct {
	Tool  string
	File  string    // the absolute path of a graph file
	Since time.Time // started then or later
	Until time.Time // started before then
	By    []Grouping
	Zone  *time.Location // of days; nil: that of this process
}

// Stats are the figures of the runs that have ended.
type Stats struct {
	Total   Figures              `json:"total"`
	Groups  map[Grouping][]Group `json:"groups,omitempty"`
	Slowest []Slow               `json:"slowest"`        // at most five, the slowest first
	Chains  []Repeated           `json:"chains"`         // at most five, the most often repeated first
	More    bool                 `json:"more,omitempty"` // there are more different chains than could be counted
}

// Figures are sums over runs. Durations are in milliseconds.
type Figures struct {
	Runs     int     `json:"runs"`     // that have ended
	Failures int     `json:"failures"` // of these, with the status error
	Unknown  int     `json:"unknown"`  // of these, recorded by an earlier version: their usage is not known
	Calls    int     `json:"calls"`
	BytesIn  int     `json:"bytesIn"`
	P50      float64 `json:"p50"` // half of the runs took at most so long
	P95      float64 `json:"p95"`

	// Those of results are of whole runs, so that the figures of a server have none.
	BytesOut    *int `json:"bytesOut,omitempty"`
	TokensSaved *int `json:"tokensSaved,omitempty"` // an estimate

	took []int64 // of each run, in microseconds
}

// Group are the figures of a tool, a server or a day.
type Group struct {
	Name string `json:"name"` // of a day as 2026-01-31
	Figures
}

// Slow is a run that took long.
type Slow struct {
	Run      string    `json:"run"`
	Tool     string    `json:"tool"`
	Status   Status    `json:"status"`
	Started  time.Time `json:"started"`
	Duration float64   `json:"duration"` // milliseconds
}

// Repeated is a chain of calls that several runs have, see execution.Used.
type Repeated struct {
	Chain []string `json:"chain"`
	Runs  int      `json:"runs"`
}

const (
	mostListed = 5
	// mostChains bounds how many different chains are counted.
	mostChains = 20_000
)

// Stats adds the figures of runs that have ended. It reads a few columns of each run once, and holds its duration in memory.
// Damaged rows are left out.
func (s *Store) Stats(ctx context.Context, q StatsQuery) (*Stats, error) {
	a := newAdder(q)
	db, err := s.reader(ctx)
	if errors.Is(err, ErrNoStore) {
		return a.stats(), nil
	}
	if err != nil {
		return nil, err
	}
	selected := Filter{Tool: q.Tool, File: q.File, Since: q.Since, Until: q.Until}
	all, args := selected.terms()
	rows, err := db.QueryContext(ctx, `SELECT id, tool, status, started, last, facts FROM runs WHERE `+
		strings.Join(append(all, `status IN ('finished', 'error', 'cancelled')`), " AND "), args...)
	if err != nil {
		return nil, s.readFault(err)
	}
	defer rows.Close()
	var r ended
	for rows.Next() {
		if r.scan(rows) == nil {
			a.add(&r)
		}
	}
	if err := rows.Err(); err != nil {
		return nil, s.readFault(err)
	}
	return a.stats(), nil
}

// ended is what is read of a run.
type ended struct {
	id, tool      string
	status        Status
	started, took int64 // microseconds
	used          *execution.Used
}

func (r *ended) scan(rows *sql.Rows) error {
	var last int64
	var known string
	if err := rows.Scan(&r.id, &r.tool, &r.status, &r.started, &last, &known); err != nil {
		return fmt.Errorf("%w: %w", errFrame, err)
	}
	var f facts
	if err := f.read(known); err != nil {
		return err
	}
	r.took, r.used = max(0, last-r.started), (*execution.Used)(f.Used)
	return nil
}

// adder adds runs.
type adder struct {
	zone    *time.Location
	total   Figures
	groups  map[Grouping]map[string]*Figures
	chains  map[string]int
	more    bool
	slowest []Slow
	day     day // of the run before
}

// day is a day of a time zone.
type day struct {
	from, until int64 // microseconds since 1970
	name        string
}

func newAdder(q StatsQuery) *adder {
	a := &adder{zone: cmp.Or(q.Zone, time.Local), groups: map[Grouping]map[string]*Figures{}, chains: map[string]int{}}
	for _, by := range q.By {
		a.groups[by] = map[string]*Figures{}
	}
	a.total.ofRuns()
	return a
}

func (a *adder) add(r *ended) {
	a.total.addRun(r)
	for by := range a.groups {
		switch by {
		case ByTool:
			a.group(by, r.tool).addRun(r)
		case ByDay:
			a.group(by, a.dayOf(r.started)).addRun(r)
		case ByServer:
			a.addServers(r)
		}
	}
	a.addSlow(r)
	if r.used != nil && len(r.used.Chain) > 0 {
		a.addChain(strings.Join(r.used.Chain, "\n"))
	}
}

// group returns the figures of a group of whole runs.
func (a *adder) group(by Grouping, name string) *Figures {
	f := a.groups[by][name]
	if f == nil {
		f = &Figures{}
		if a.groups[by][name] = f; by != ByServer {
			f.ofRuns()
		}
	}
	return f
}

// ofRuns makes the figures those of whole runs.
func (f *Figures) ofRuns() { f.BytesOut, f.TokensSaved = new(int), new(int) }

// addEnd adds that a run has ended.
func (f *Figures) addEnd(r *ended) {
	f.Runs++
	if r.status == Failed {
		f.Failures++
	}
	f.took = append(f.took, r.took)
}

func (f *Figures) addRun(r *ended) {
	f.addEnd(r)
	if r.used == nil {
		f.Unknown++
		return
	}
	f.Calls += r.used.Calls
	f.BytesIn += r.used.BytesIn
	*f.BytesOut += r.used.BytesOut
	*f.TokensSaved += r.used.TokensSaved()
}

func (a *adder) addServers(r *ended) {
	if r.used == nil {
		return
	}
	for _, s := range r.used.Servers {
		f := a.group(ByServer, s.Server)
		f.addEnd(r)
		f.Calls += s.Calls
		f.BytesIn += s.BytesIn
	}
}

// dayOf returns the day of a time. Most runs began on the day of the run before.
func (a *adder) dayOf(micros int64) string {
	if micros < a.day.from || micros >= a.day.until {
		year, month, number := time.UnixMicro(micros).In(a.zone).Date()
		from := time.Date(year, month, number, 0, 0, 0, 0, a.zone)
		a.day = day{from.UnixMicro(), time.Date(year, month, number+1, 0, 0, 0, 0, a.zone).UnixMicro(), from.Format(time.DateOnly)}
	}
	return a.day.name
}

func (a *adder) addSlow(r *ended) {
	took := float64(r.took) / 1000
	if len(a.slowest) == mostListed && took <= a.slowest[mostListed-1].Duration {
		return
	}
	at, _ := slices.BinarySearchFunc(a.slowest, took, func(s Slow, took float64) int {
		if s.Duration >= took {
			return -1
		}
		return 1
	})
	a.slowest = slices.Insert(a.slowest, at, Slow{Run: r.id, Tool: r.tool, Status: r.status, Started: timeOf(r.started), Duration: took})
	a.slowest = a.slowest[:min(len(a.slowest), mostListed)]
}

func (a *adder) addChain(chain string) {
	if _, known := a.chains[chain]; !known && len(a.chains) == mostChains {
		a.more = true
		return
	}
	a.chains[chain]++
}

// stats returns the sums.
func (a *adder) stats() *Stats {
	a.total.finish()
	s := &Stats{Total: a.total, Slowest: append([]Slow{}, a.slowest...), Chains: a.repeated(), More: a.more}
	for by, groups := range a.groups {
		listed := make([]Group, 0, len(groups))
		for name, f := range groups {
			f.finish()
			listed = append(listed, Group{name, *f})
		}
		slices.SortFunc(listed, func(a, b Group) int {
			if by == ByDay {
				return cmp.Compare(a.Name, b.Name)
			}
			return cmp.Or(cmp.Compare(b.Runs, a.Runs), cmp.Compare(a.Name, b.Name))
		})
		if s.Groups == nil {
			s.Groups = map[Grouping][]Group{}
		}
		s.Groups[by] = listed
	}
	return s
}

// repeated returns the chains that most runs have.
func (a *adder) repeated() []Repeated {
	all := []Repeated{}
	for chain, n := range a.chains {
		if n > 1 {
			all = append(all, Repeated{strings.Split(chain, "\n"), n})
		}
	}
	slices.SortFunc(all, func(a, b Repeated) int {
		return cmp.Or(cmp.Compare(b.Runs, a.Runs), slices.Compare(a.Chain, b.Chain))
	})
	return all[:min(len(all), mostListed)]
}

// finish computes the quantiles.
func (f *Figures) finish() {
	slices.Sort(f.took)
	f.P50, f.P95 = quantile(f.took, 50), quantile(f.took, 95)
	f.took = nil
}

// quantile returns in milliseconds what a percentage of the times is at most, of times in order; 0 of none.
func quantile(took []int64, percent int) float64 {
	if len(took) == 0 {
		return 0
	}
	return float64(took[(len(took)*percent+99)/100-1]) / 1000
}
