package page

import (
	"sync"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/fold"
	"toolgraph/internal/base/wording"
)

// mostReports is how many calls in flight have a report.
const mostReports = 64

// reportJSON is the latest progress that a server has reported of a call in flight.
type reportJSON struct {
	At      execution.Address `json:"at"`
	Done    float64           `json:"done"`
	Total   float64           `json:"total,omitempty"` // 0: unknown
	Message string            `json:"message,omitempty"`
}

// reports are what servers report of the calls of a run. They are not recorded. Safe for concurrent use.
type reports struct {
	secrets *config.Secrets
	news    chan struct{} // has an element when there is something new

	mu sync.Mutex // guards by
	by map[execution.Address]reportJSON
}

func newReports(secrets *config.Secrets) *reports {
	return &reports{secrets: secrets, news: make(chan struct{}, 1), by: map[execution.Address]reportJSON{}}
}

// take takes the progress of a call.
func (r *reports) take(at execution.Address, done, total float64, message string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.by[at]; !known && len(r.by) >= mostReports {
		return
	}
	r.by[at] = reportJSON{At: at, Done: done, Total: total, Message: wording.Printable(r.secrets.Redact(message))}
	select {
	case r.news <- struct{}{}:
	default:
	}
}

// of returns the reports of the calls that are in flight, and forgets others.
func (r *reports) of(history *fold.History) (all []reportJSON) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.by) == 0 {
		return nil
	}
	flying := map[execution.Address]bool{}
	for _, f := range history.InFlight("") {
		at := f.Visit.At()
		flying[at] = true
		if report, has := r.by[at]; has {
			all = append(all, report)
		}
	}
	for at := range r.by {
		if !flying[at] {
			delete(r.by, at)
		}
	}
	return all
}
