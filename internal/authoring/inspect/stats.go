package inspect

import (
	"context"

	"toolgraph/execution/journal"
	"toolgraph/internal/serving/toolset"
)

// Stats returns the figures of the runs that have ended; only those of the file when there is one.
func (i *Inspector) Stats(ctx context.Context, q journal.StatsQuery) (*journal.Stats, error) {
	s, err := i.store()
	if err != nil {
		return nil, err
	}
	if i.File != "" {
		if q.File, err = i.ofFile(); err != nil {
			return nil, err
		}
	}
	return s.Stats(ctx, q)
}

// statsQuery returns the query of the question stats.
func statsQuery(a toolset.Arguments) (journal.StatsQuery, error) {
	f, err := filterOf(a)
	q := journal.StatsQuery{Tool: f.Tool, Since: f.Since, Until: f.Until, By: []journal.Grouping{journal.ByTool}}
	if by := a.Text("by"); by != "" {
		q.By[0] = journal.Grouping(by)
	}
	return q, err
}
