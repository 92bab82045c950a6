package mcpclient

import (
	"context"
	"encoding/json"
	"maps"
	"sync"
)

const (
	progressMost = 16 << 10 // bytes of one report
	progressText = 200      // bytes of its message that are passed on
)

// Progress takes what a server reports of a call in flight; total is 0 when the server
// does not know it. The numbers are the server's own and follow no rule; the message is
// redacted and short. It must return at once, and is not called after the call has ended.
type Progress func(done, total float64, message string)

type progressKey struct{}

// WithProgress returns a context whose calls ask their servers to report progress.
func WithProgress(ctx context.Context, report Progress) context.Context {
	return context.WithValue(ctx, progressKey{}, report)
}

// reports are the calls in flight that asked for progress, by token. Safe for concurrent
// use.
type reports struct {
	mu   sync.Mutex // guards the fields below; held while a report is passed on
	last int64
	by   map[int64]Progress
}

// begin returns the _meta of a call that asks for progress, with a token of its own. The
// caller must call end.
func (r *reports) begin(ctx context.Context, meta map[string]any) (withToken map[string]any, end func()) {
	report, _ := ctx.Value(progressKey{}).(Progress)
	if report == nil {
		return meta, func() {}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.by == nil {
		r.by = map[int64]Progress{}
	}
	r.last++
	token := r.last
	r.by[token] = report
	withToken = map[string]any{}
	maps.Copy(withToken, meta)
	withToken["progressToken"] = token
	return withToken, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.by, token)
	}
}

// reported passes on a report of the server, if it belongs to a call in flight.
func (s *session) reported(params []byte) {
	var p struct {
		ProgressToken   int64
		Progress, Total float64
		Message         string
	}
	if len(params) > progressMost || json.Unmarshal(params, &p) != nil {
		return
	}
	s.reports.mu.Lock()
	defer s.reports.mu.Unlock()
	if report := s.reports.by[p.ProgressToken]; report != nil {
		report(p.Progress, p.Total, s.note.shown(p.Message, progressText))
	}
}
