package page

import (
	"net/http"

	"toolgraph/execution"
	"toolgraph/execution/journal"
)

// usageJSON is what a run has used, without its servers and its chain of calls.
type usageJSON struct {
	Calls       int `json:"calls"`
	BytesIn     int `json:"bytesIn"`
	BytesOut    int `json:"bytesOut"`
	TokensSaved int `json:"tokensSaved"` // an estimate
}

func usageOf(u *execution.Used) *usageJSON {
	if u == nil {
		return nil
	}
	return &usageJSON{Calls: u.Calls, BytesIn: u.BytesIn, BytesOut: u.BytesOut, TokensSaved: u.TokensSaved()}
}

// getStats returns the figures of the recorded runs of the file that have ended, by tool and by day.
func (s *Server) getStats(r *http.Request) (any, error) {
	if s.opts.Store == nil {
		return nil, errorf(http.StatusNotFound, "runs are not recorded (history is off)")
	}
	q := r.URL.Query()
	query := journal.StatsQuery{Tool: q.Get("tool"), File: s.loaded().path, By: []journal.Grouping{journal.ByTool, journal.ByDay}}
	var err error
	if query.Since, err = timeOf(q.Get("since"), "since"); err != nil {
		return nil, err
	}
	if query.Until, err = timeOf(q.Get("until"), "until"); err != nil {
		return nil, err
	}
	return s.opts.Store.Stats(r.Context(), query)
}
