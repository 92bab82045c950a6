package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// asked answers requests of the server as the stdio transport does. They come down the
// stream of the call that they belong to, whose watch is in ctx.
func (r *remote) asked(ctx context.Context, req transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	params, err := rawParams(req.Params)
	if err != nil {
		return nil, err
	}
	if req.Method == string(mcp.MethodElicitationCreate) {
		by := func() (*watch, func(), error) {
			if w, ok := ctx.Value(watchKey{}).(*watch); ok {
				return w, func() {}, nil
			}
			return nil, nil, errNoCall
		}
		r.later(func() { r.reply(req.ID, req.Method, params, by) })
		return nil, nil // the library would wait for 30 s at most
	}
	result, refusal := r.asks(nil, req.Method, params)
	if refusal != nil {
		return transport.NewJSONRPCErrorResponse(req.ID, refusal.Code, refusal.Message, nil), nil
	}
	return transport.NewJSONRPCResultResponse(req.ID, result), nil
}

// later runs f behind the library's back unless the connection has failed.
func (r *remote) later(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed == nil {
		r.tasks.Go(f)
	}
}

// reply posts the answer to a request of the server.
func (r *remote) reply(id mcp.RequestId, method string, params json.RawMessage, by claim) {
	result, refusal := r.asks(by, method, params)
	answer := transport.JSONRPCResponse{JSONRPC: mcp.JSONRPC_VERSION, ID: id, Result: result, Error: refusal}
	if err := r.post(answer); err != nil {
		r.note.logger.Debug("an answer did not reach the upstream", "server", r.note.server, "error", r.plain(err))
	}
}

// post sends a message that has no answer, as well as it can. The library would take a
// 404 for the end of the session, and all its calls with it.
func (r *remote) post(message any) error {
	body, err := json.Marshal(message)
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(r.life, courtesy)
	defer stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	for name, value := range r.headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	r.mu.Lock()
	version := r.version
	r.mu.Unlock()
	req.Header.Set(mcp.HeaderProtocolVersion, version)
	if session := r.GetSessionId(); session != "" {
		req.Header.Set(mcp.HeaderSessionID, session)
	}
	resp, err := r.client.Do(req)
	if err != nil {
		return r.explain(ctx, err)
	}
	discard(resp)
	return nil
}
