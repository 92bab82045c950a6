package journal

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
)

// BenchmarkMillion measures a store with a million runs of 1 KB (MILLION_RUNS: another number; MILLION_SPAN: how long it is under load), over SQLite and Postgres: what reading costs, with the
// plans of the statements, and what calls notice of retention while 1,000 runs a second end. make bench-store
// runs it once.
func BenchmarkMillion(b *testing.B) {
	runs := 1_000_000
	if text := os.Getenv("MILLION_RUNS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			b.Fatal(err)
		}
		runs = n
	}
	for _, place := range []struct {
		name string
		open func(testing.TB, string, Options) (*Store, error)
	}{
		{"SQLite", func(_ testing.TB, dir string, opts Options) (*Store, error) { return Open(dir, opts) }},
		{"Postgres", OpenPlace},
	} {
		b.Run(place.name, func(b *testing.B) {
			dir := b.TempDir()
			m := million{B: b, runs: runs, open: func() *Store {
				s, err := place.open(b, dir, Options{})
				if err != nil {
					b.Fatal(err)
				}
				return s
			}}
			m.measure()
		})
	}
}

// million is a store that is measured.
type million struct {
	*testing.B
	runs int
	open func() *Store

	s    *Store
	made int
}

func (m *million) row(what, format string, args ...any) {
	fmt.Printf("| %s | %s |\n", what, fmt.Sprintf(format, args...))
}

func (m *million) measure() {
	m.s = m.open()
	m.s.pruner.begin.Do(func() {}) // no passes yet
	began, cpu := time.Now(), cpuOfProcess()
	for n := m.runs; n > 0; n-- {
		m.add(time.Duration(n)*30*24*time.Hour/time.Duration(m.runs), false)
	}
	m.s.writer.flush()
	m.row("recorded", "%d runs in %.0f s, %.0f µs of CPU a run", m.runs, time.Since(began).Seconds(), perRun(cpuOfProcess()-cpu, m.runs))
	m.upgrade()
	m.queries()
	for range 30 { // interrupted
		m.begin()
	}
	m.reopen()
	m.claims()
	m.underLoad("runs end, and the bound is reached", func(is amount) Policy { return Policy{Retention: Retention{MaxBytes: is.bytes * 103 / 100}} }, nil)
	m.underLoad("half of all is deleted", func(is amount) Policy { return Policy{Retention: Retention{MaxRuns: int(is.runs / 2)}} }, func(is, was amount) bool { return is.runs <= was.runs/2+2000 })
	if err := m.s.Close(); err != nil {
		m.Fatal(err)
	}
}

func (m *million) reopen() {
	if err := m.s.Close(); err != nil {
		m.Fatal(err)
	}
	m.s = m.open()
}

// text is random, so that nothing compresses it.
func text(n int) string {
	t := make([]byte, n)
	for i := range t {
		t[i] = byte('a' + rand.IntN(26))
	}
	return string(t)
}

// begin records the beginning of a run, and returns the rest.
func (m *million) begin() []execution.Event { return m.beginAged(0, false) }

func (m *million) beginAged(age time.Duration, sync bool) []execution.Event {
	m.made++
	all := made(fmt.Sprintf("%s%08d", text(8), m.made), time.Now().Add(-age), sync)
	all[0].Start.Tool = fmt.Sprintf("tool_%d", rand.IntN(20))
	all[0].Start.Args = text(400)
	all[1].End = endOf([]Status{Finished, Finished, Finished, Failed, Cancelled}[rand.IntN(5)])
	step := execution.Event{Kind: execution.StepFinished, Run: all[0].Run, Time: all[0].Time, Record: &execution.Record{
		NodeID: "n", NodeType: config.TransformNode, Start: all[0].Time, End: all[0].Time, Output: text(300),
	}}
	m.append(all[0])
	return []execution.Event{step, all[1]}
}

func (m *million) append(all ...execution.Event) {
	j := m.s.Journal(nil, About{File: "/home/user/graph.yaml", Server: "demo"})
	for _, e := range all {
		if err := j.Append(context.Background(), e); err != nil {
			m.Fatal(err)
		}
	}
}

func (m *million) add(age time.Duration, sync bool) { m.append(m.beginAged(age, sync)...) }

// upgrade opens the store as an earlier program has left it.
func (m *million) upgrade() {
	db := m.db()
	drop := `DROP INDEX ended; DROP TABLE totals; DROP TRIGGER total_in; DROP TRIGGER total_out; DROP TRIGGER total_old; DROP TRIGGER total_new`
	if m.s.IsShared() {
		drop = `DROP INDEX ended; DROP TABLE totals; DROP FUNCTION count_runs CASCADE`
	}
	for statement := range strings.SplitSeq(drop, "; ") {
		if _, err := db.ExecContext(context.Background(), statement); err != nil {
			m.Fatal(err)
		}
	}
	if err := m.s.Close(); err != nil {
		m.Fatal(err)
	}
	began := time.Now()
	m.s = m.open()
	m.db()
	m.row("opened first by this version (index, counting)", "%.1f s", time.Since(began).Seconds())
	if m.s.IsShared() {
		if _, err := m.db().ExecContext(context.Background(), `ANALYZE runs`); err != nil {
			m.Fatal(err)
		}
	}
}

func (m *million) db() *sql.DB {
	db, err := m.s.data.Open(context.Background(), true)
	if err != nil {
		m.Fatal(err)
	}
	return db
}

// queries measures what reads, and prints the plans.
func (m *million) queries() {
	ctx := context.Background()
	ids := m.ids(200)
	for _, q := range []struct {
		what string
		do   func(i int) error
	}{
		{"runs list", func(int) error { _, err := m.s.List(ctx, Filter{}); return err }},
		{"runs list --tool", func(int) error { _, err := m.s.List(ctx, Filter{Tool: "tool_7"}); return err }},
		{"runs show", func(i int) error { _, err := m.s.Load(ctx, ids[i%len(ids)]); return err }},
		{"sweep", func(int) error { return m.s.data.Sweep(ctx) }},
		{"metrics (census)", func(int) error { _, err := m.s.Census(ctx); return err }},
		{"retention: what is due", func(int) error { _, err := groupsOf(ctx, m.db()); return err }},
		{"retention: the oldest 1,000", m.oldest},
		{"doctor (state)", func(int) error { _, err := m.s.State(ctx); return err }},
	} {
		took := make([]time.Duration, 0, 50)
		for i := range cap(took) {
			began := time.Now()
			if err := q.do(i); err != nil {
				m.Fatal(q.what, err)
			}
			took = append(took, time.Since(began))
		}
		m.row(q.what, "p50 %s, longest %s", quantiles(took, 50), quantiles(took, 100))
	}
	where, args := Filter{}.where()
	m.plan("runs list", `SELECT id FROM runs`+where, args...)
	where, args = Filter{Tool: "tool_7"}.where()
	m.plan("runs list --tool", `SELECT id FROM runs`+where, args...)
	m.plan("runs show", `SELECT seq FROM runs WHERE id = $1 AND status <> 'deleting'`, ids[0])
	m.plan("sweep", `SELECT owner FROM runs WHERE status = 'running'`)
	m.plan("resume", `SELECT id FROM runs WHERE status = 'interrupted' AND file = $1 ORDER BY seq`, "/home/user/graph.yaml")
	m.plan("claim", `UPDATE runs SET status = 'running' WHERE id = $1 AND (status = 'interrupted' OR status = 'error' AND failure LIKE $2)`, ids[0], "")
	m.plan("metrics", censusQuery, censusMost)
	m.plan("retention: due", groupsQuery)
	m.plan("retention: oldest", pageQuery, "demo", "tool_7", string(Finished), 0, 0, leastPage)
	m.plan("retention: delete", `DELETE FROM runs WHERE `+canPrune+` AND seq IN ($1, $2)`, 1, 2)
}

func (m *million) oldest(int) error {
	groups, err := groupsOf(context.Background(), m.db())
	if err != nil {
		return err
	}
	p := pruning{ctx: context.Background(), db: m.db()}
	_, err = p.some(newMerge(groups), &demand{amount: amount{runs: stepRuns}})
	return err
}

func (m *million) ids(n int) (ids []string) {
	rows, err := m.db().QueryContext(context.Background(), `SELECT id FROM runs WHERE seq % $1 = 0 LIMIT $2`, max(1, m.runs/n), n)
	if err != nil {
		m.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			m.Fatal(err)
		}
		ids = append(ids, id)
	}
	return ids
}

// plan prints the plan of a statement.
func (m *million) plan(what, statement string, args ...any) {
	explain := `EXPLAIN QUERY PLAN `
	if m.s.IsShared() {
		explain = `EXPLAIN (COSTS OFF) `
	}
	rows, err := m.db().QueryContext(context.Background(), explain+statement, args...)
	if err != nil {
		m.Fatal(what, err)
	}
	defer rows.Close()
	var lines []string
	for rows.Next() {
		var line string
		into := []any{new(any), new(any), new(any), &line}
		if m.s.IsShared() {
			into = into[3:]
		}
		if err := rows.Scan(into...); err != nil {
			m.Fatal(err)
		}
		if line = strings.TrimSpace(line); !m.s.IsShared() || strings.Contains(line, "Scan") || strings.Contains(line, "Sort") {
			lines = append(lines, strings.TrimPrefix(line, "-> "))
		}
	}
	m.row("plan of "+what, "%s", strings.Join(lines, "; "))
}

// claims takes interrupted runs over, as the processes do that resume them.
func (m *million) claims() {
	found, err := m.s.Interrupted(context.Background(), About{File: "/home/user/graph.yaml", Server: "demo"})
	if err != nil || len(found) == 0 {
		m.Fatal(len(found), err)
	}
	var took []time.Duration
	for _, r := range found {
		began := time.Now()
		if err := m.s.Claim(context.Background(), r.ID); err != nil {
			m.Fatal(err)
		}
		took = append(took, time.Since(began))
		if err := m.s.Release(context.Background(), r.ID); err != nil {
			m.Fatal(err)
		}
	}
	m.row("claim", "p50 %s, longest %s", quantiles(took, 50), quantiles(took, 100))
}

// underLoad records 1,000 runs a second while a policy deletes, for a while, or until it has.
func (m *million) underLoad(what string, policy func(amount) Policy, over func(is, was amount) bool) {
	was := m.amount()
	keep := policy(was)
	if err := m.s.SetPolicy(context.Background(), keep); err != nil {
		m.Fatal(err)
	}
	counted := stopAt(m.s, 0)
	before := m.s.Health().Pruned
	began, cpu := time.Now(), cpuOfProcess()
	var keyed []time.Duration
	var most int64
	ended := 0
	during, err := time.ParseDuration(cmp.Or(os.Getenv("MILLION_SPAN"), "1m"))
	if err != nil {
		m.Fatal(err)
	}
	for i := 0; ; i++ {
		due := began.Add(time.Duration(ended) * time.Millisecond)
		time.Sleep(time.Until(due))
		if i%5 == 0 { // with a key: it begins and ends in the database
			at := time.Now()
			m.add(0, true)
			keyed = append(keyed, time.Since(at))
			ended++
		}
		for range 9 {
			m.add(0, false)
			ended++
		}
		if i%100 == 99 {
			is := m.amount()
			most = max(most, is.bytes)
			if over != nil && over(is, was) || over == nil && time.Since(began) > during {
				break
			}
		}
	}
	m.s.writer.flush()
	span := time.Since(began)
	deleted := m.s.Health().Pruned - before
	m.row(what, "%d runs ended and %d were deleted in %.0f s (%d steps), %.0f µs of CPU for each that ended and was deleted", ended, deleted, span.Seconds(), counted.n.Load(), perRun(cpuOfProcess()-cpu, ended))
	m.row("calls with a key meanwhile", "p50 %s, p99 %s, longest %s; steps during one batch: at most %d", quantiles(keyed, 50), quantiles(keyed, 99), quantiles(keyed, 100), counted.during.Load())
	if keep.MaxBytes > 0 {
		m.row("bytes at most, of the bound", "%.1f %%", 100*float64(most)/float64(keep.MaxBytes))
	}
	m.s.data = counted.Database
}

func (m *million) amount() (all amount) {
	groups, err := groupsOf(context.Background(), m.db())
	if err != nil {
		m.Fatal(err)
	}
	for _, g := range groups {
		all.add(g.amount)
	}
	return all
}

func perRun(d time.Duration, runs int) float64 {
	return float64(d.Microseconds()) / float64(max(1, runs))
}

// quantiles returns a percentile of times, as a text.
func quantiles(took []time.Duration, percent int) string {
	took = slices.Clone(took)
	slices.Sort(took)
	if len(took) == 0 {
		return "-"
	}
	at := took[cmp.Or((len(took)*percent+99)/100, 1)-1]
	return fmt.Sprintf("%.1f ms", float64(at.Microseconds())/1000)
}

// cpuOfProcess is the time that this process has used processors for, its system calls included.
func cpuOfProcess() time.Duration {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
