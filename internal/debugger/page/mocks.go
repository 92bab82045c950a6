package page

import (
	"context"
	"encoding/json"
	"net/http"

	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/authoring"
	"toolgraph/internal/authoring/graphtest"
	"toolgraph/internal/debugger/debug"
)

// startMocked starts a run whose calls are answered by mocks, as in tests. It calls no server and is not recorded.
func (s *Server) startMocked(p *loaded, g *graph.Graph, args value.Value, o debug.StartOptions, mocks json.RawMessage) (any, error) {
	given, err := value.Decode(mocks)
	if err != nil {
		return nil, errorf(http.StatusUnprocessableEntity, "the mocks are not JSON: %s", err)
	}
	mocked, err := graphtest.NewMocked(g, authoring.DataOf(given))
	if err != nil {
		return nil, &failure{status: http.StatusUnprocessableEntity, Message: p.File.Secrets.Redact(err.Error()), Mocks: true}
	}
	ctx := s.base
	if p.Believe != nil {
		ctx, o.Run = p.Believe(ctx, g)
	}
	return s.launch(ctx, p, g, args, o, func(ctx context.Context, o debug.StartOptions) (*debug.Session, error) {
		o.Run = append(o.Run, execution.WithUser(mocked.User(user{s, g.Tool.Name.Value, p.File.Secrets})))
		return s.opts.Controller.Start(ctx, g, args, mocked.Engine(), o)
	}, func(i *info) { i.Mocked = true })
}
