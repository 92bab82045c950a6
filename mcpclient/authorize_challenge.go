package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"toolgraph/config"
)

// challenge sends the server a request without a token, which a server that requires one
// refuses and answers with the name of its authorization server. It returns the header of
// the refusal, nil when there was none.
func (a *authorizer) challenge(ctx context.Context) (http.Header, error) {
	method, body := http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	if a.conf.Transport == config.SSE {
		method, body = http.MethodGet, ""
	}
	ctx, stop := context.WithTimeout(ctx, renewTimeout)
	defer stop()
	req, err := http.NewRequestWithContext(ctx, method, a.server.String(), strings.NewReader(body))
	if err != nil {
		return nil, errors.New("its url cannot be used")
	}
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Content-Type", "application/json")
	for _, h := range a.conf.Headers {
		if !strings.EqualFold(h.Name.Value, "Authorization") {
			req.Header.Set(h.Name.Value, h.Value.Value)
		}
	}
	resp, err := a.plain.Do(req)
	var status *statusError
	switch {
	case errors.As(err, &status) && status.status < 500:
		return nil, nil // it objects to something else in the request
	case status != nil:
		return nil, fmt.Errorf("%s answered with %w", a.server.Host, status)
	case err != nil:
		return nil, err
	}
	defer resp.Body.Close() // a stream of events has no end to read to
	if resp.StatusCode == http.StatusUnauthorized {
		return resp.Header, nil
	}
	return nil, nil
}
