package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
)

// handler answers a request; a nil result is null. An error that is no responseError fails the request with
// its text.
type handler func(ctx context.Context, r *request) (any, error)

// request is a request of the client.
type request struct {
	*snapshot // the document that it is about, as the client had it; nil: about none

	server *Server
	params json.RawMessage
}

// feature is what the server can do for a document beside findings.
type feature struct {
	// provide adds the capability, as far as the client can use it.
	provide func(client *clientCan, capabilities map[string]any)
	answers map[string]handler // by method
}

// on makes a handler of a function with typed parameters.
func on[P any](answer func(ctx context.Context, r *request, params P) (any, error)) handler {
	return func(ctx context.Context, r *request) (any, error) {
		var params P
		if len(r.params) > 0 {
			if err := json.Unmarshal(r.params, &params); err != nil {
				return nil, errorf(codeInvalidParams, "the parameters cannot be read: %s", err)
			}
		}
		return answer(ctx, r, params)
	}
}

// about makes a handler of a request about a document, which must be open.
func about[P any](answer func(ctx context.Context, r *request, params P) (any, error)) handler {
	return on(func(ctx context.Context, r *request, params P) (any, error) {
		if r.snapshot == nil {
			return nil, errorf(codeInvalidParams, "the document is not open")
		}
		return answer(ctx, r, params)
	})
}

// allAnswers are the handlers of all features, by method.
func allAnswers() map[string]handler {
	all := map[string]handler{}
	for _, f := range features() {
		maps.Copy(all, f.answers)
	}
	return all
}

// requestOf returns a request with the document that it is about as it is now.
func (s *Server) requestOf(params json.RawMessage) (*request, error) {
	var about aboutDocument
	var wrong *json.UnmarshalTypeError
	if len(params) > 0 {
		if err := json.Unmarshal(params, &about); err != nil && !errors.As(err, &wrong) {
			return nil, errorf(codeInvalidParams, "the parameters cannot be read: %s", err)
		}
	}
	r := &request{server: s, params: params}
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.docs[about.TextDocument.URI]; d != nil {
		r.snapshot = d.now
	}
	return r, nil
}

// notifications are the handlers of notifications, in the order in which they come.
var notifications = map[string]func(s *Server, params json.RawMessage) error{
	"initialized":                      (*Server).isReady,
	"$/cancelRequest":                  (*Server).cancelled,
	"textDocument/didOpen":             (*Server).opened,
	"textDocument/didChange":           (*Server).changed,
	"textDocument/didSave":             (*Server).saved,
	"textDocument/didClose":            (*Server).closed,
	"workspace/didChangeConfiguration": (*Server).configured,
	"workspace/didChangeWatchedFiles":  (*Server).filesChanged,
}

// cancelled ends the work for a request; its answer is an error.
func (s *Server) cancelled(params json.RawMessage) error {
	var p struct {
		ID json.RawMessage `json:"id"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel := s.flights[string(p.ID)]; cancel != nil {
		cancel()
	}
	return nil
}
