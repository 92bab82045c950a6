package page

import (
	"context"
	"net/http"
	"time"
)

const (
	lookBudget = 3 * time.Second // for what one request evaluates, waiting included
	mostLooks  = 8               // requests that evaluate at once
)

// evaluating is the context of a request that evaluates. done gives its place back.
func (s *Server) evaluating(ctx context.Context) (bounded context.Context, done func(), err error) {
	bounded, cancel := context.WithTimeout(ctx, s.look)
	select {
	case s.looks <- struct{}{}:
	case <-bounded.Done():
		cancel()
		return nil, nil, errorf(http.StatusServiceUnavailable, "%d expressions are being evaluated; ask again when some have ended", mostLooks)
	}
	return bounded, func() {
		<-s.looks
		cancel()
	}, nil
}
