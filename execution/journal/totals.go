package journal

import (
	"context"
)

const (
	// canContinue selects what Run.canContinue reports.
	canContinue = `(status IN ('running', 'interrupted') OR status = 'error' AND failure LIKE '` + unknownOutcome + `')`
	// canPrune selects the runs that retention may delete. Table totals counts them, and index ended has them, so that their
	// conditions are these.
	canPrune = `status NOT IN ('running', 'interrupted', 'deleting') AND failure NOT LIKE '` + unknownOutcome + `'`
	// isOld selects the runs that began before the bounds of the last pruning.
	isOld = `EXISTS (SELECT 1 FROM upkeep WHERE started < old)`
)

// group are the runs of one server, tool and status that retention may delete.
type group struct {
	Selector
	amount
	first int64 // when the oldest began, in microseconds since 1970
}

// amount is a number of runs, with their bytes.
type amount struct{ runs, bytes int64 }

func (a *amount) add(b amount)  { a.runs, a.bytes = a.runs+b.runs, a.bytes+b.bytes }
func (a *amount) take(b amount) { a.runs, a.bytes = a.runs-b.runs, a.bytes-b.bytes }

// groupsQuery reads table totals, and of index ended the first entry of each group.
const groupsQuery = `SELECT server, tool, status, runs, bytes, coalesce((SELECT started FROM runs
		WHERE runs.server = t.server AND runs.tool = t.tool AND runs.status = t.status AND ` + canPrune + ` ORDER BY started, seq LIMIT 1), 0)
	FROM (SELECT server, tool, status, CAST(sum(runs) AS BIGINT) AS runs, CAST(sum(bytes) AS BIGINT) AS bytes
		FROM totals GROUP BY server, tool, status HAVING sum(runs) > 0) AS t`

// groupsOf reads how much there is that can be deleted. It reads no run but the oldest of each group.
func groupsOf(ctx context.Context, db executor) (all []group, err error) {
	rows, err := db.QueryContext(ctx, groupsQuery)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var g group
		if err := rows.Scan(&g.Server, &g.Tool, &g.Status, &g.runs, &g.bytes, &g.first); err != nil {
			return nil, err
		}
		all = append(all, g)
	}
	return all, rows.Err()
}

// merge reads the runs of groups, the oldest first.
type merge struct {
	parts []*part
	page  int // rows that one statement reads
}

// part is a group that was read up to a run.
type part struct {
	of        Selector
	read      []size
	at        [2]int64 // started and seq of the last run that was read, before the first: when that began
	exhausted bool
}

// leastPage is how many rows one statement reads at least.
const leastPage = 32

func newMerge(groups []group) *merge {
	m := &merge{page: max(leastPage, stepRuns/max(1, len(groups)))}
	for _, g := range groups {
		m.parts = append(m.parts, &part{of: g.Selector, at: [2]int64{g.first, 0}})
	}
	return m
}

// next returns the oldest run that is left; nil for none. It stays the next until it is taken.
func (m *merge) next(ctx context.Context, db executor) (oldest *size, of *part, err error) {
	for {
		of = nil
		for _, p := range m.parts {
			if !p.exhausted && (of == nil || before(p.place(), of.place())) {
				of = p
			}
		}
		if of == nil {
			return nil, nil, nil
		}
		if len(of.read) > 0 {
			return &of.read[0], of, nil
		}
		if err := of.fill(ctx, db, m.page); err != nil {
			return nil, nil, err
		}
	}
}

// place is that of the next run, or a place before it.
func (p *part) place() [2]int64 {
	if len(p.read) > 0 {
		return [2]int64{p.read[0].started, p.read[0].seq}
	}
	return p.at
}

func before(a, b [2]int64) bool { return a[0] < b[0] || a[0] == b[0] && a[1] < b[1] }

// pageQuery reads entries of index ended, and their rows.
const pageQuery = `SELECT seq, bytes, started FROM runs
	WHERE server = $1 AND tool = $2 AND status = $3 AND ` + canPrune + ` AND (started, seq) > ($4, $5) ORDER BY started, seq LIMIT $6`

// fill reads the next runs of a group.
func (p *part) fill(ctx context.Context, db executor, most int) error {
	rows, err := db.QueryContext(ctx, pageQuery, p.of.Server, p.of.Tool, p.of.Status, p.at[0], p.at[1], most)
	if err != nil {
		return err
	}
	defer rows.Close()
	p.read = p.read[:0]
	for rows.Next() {
		var s size
		if err := rows.Scan(&s.seq, &s.bytes, &s.started); err != nil {
			return err
		}
		p.read = append(p.read, s)
		p.at = [2]int64{s.started, s.seq}
	}
	p.exhausted = len(p.read) == 0
	return rows.Err()
}

// take takes the next run.
func (p *part) take() { p.read = p.read[1:] }
