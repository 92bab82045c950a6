package page

import (
	"net/http"

	"toolgraph/execution"
)

const mostWatches = 20

// watchAt evaluates JSONata as a step would have, one answer a source. Like evaluate it
// sees values without their secrets.
func (s *Server) watchAt(r *http.Request) (any, error) {
	var in struct {
		Sources []string `json:"sources"`
		At      int      `json:"at"`
	}
	if err := read(r, &in); err != nil {
		return nil, err
	}
	if len(in.Sources) > mostWatches {
		return nil, errorf(http.StatusUnprocessableEntity, "%d expressions are watched, expected at most %d", len(in.Sources), mostWatches)
	}
	now, err := s.frame(r)
	if err != nil {
		return nil, err
	}
	ctx, done, err := s.evaluating(r.Context())
	if err != nil {
		return nil, err
	}
	defer done()
	scope := execution.ScopeOf(now.before(in.At))
	out := make([]evaluatedJSON, len(in.Sources))
	for i, source := range in.Sources {
		if out[i], err = answered(ctx, evaluateJSON{Kind: "jsonata", Source: source}, scope); err != nil {
			return nil, err
		}
	}
	return out, nil
}
