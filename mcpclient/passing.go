package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"toolgraph/expressions/value"
)

// List is a list of a server beside that of its tools.
type List struct {
	method, key string
	has         func(abilities) bool
}

// The lists.
var (
	Prompts           = List{string(mcp.MethodPromptsList), "prompts", func(a abilities) bool { return a.prompts }}
	Resources         = List{string(mcp.MethodResourcesList), "resources", func(a abilities) bool { return a.resources }}
	ResourceTemplates = List{string(mcp.MethodResourcesTemplatesList), "resourceTemplates", func(a abilities) bool { return a.resources }}
)

// Entries asks a server for all entries of a list, every page; each is JSON. A server that does not have such things has
// none. It is started unless it runs. The error is an *Error. Nothing in the entries is redacted.
func (p *Pool) Entries(ctx context.Context, server string, list List) (entries []json.RawMessage, err error) {
	err = p.use(server, "", func(u *upstream) *Error {
		s, fail := u.session(ctx)
		if fail != nil || !list.has(s.able) {
			return fail
		}
		u.subscribe(s)
		entries, fail = u.entries(ctx, list)
		return fail
	})
	return entries, err
}

func (u *upstream) entries(ctx context.Context, list List) (entries []json.RawMessage, fail *Error) {
	cursor := ""
	for range pagesMost {
		raw, fail := u.ask(ctx, list.method, "", func(s *session) (json.RawMessage, error) { return s.listParams(cursor) })
		if fail != nil {
			return nil, fail
		}
		var page map[string]json.RawMessage
		var items []json.RawMessage
		next := ""
		if json.Unmarshal(raw, &page) != nil || json.Unmarshal(page[list.key], &items) != nil {
			return nil, &Error{Code: CodeBadResult, Message: "invalid " + list.method + " response: it has no list " + list.key}
		}
		if json.Unmarshal(page["nextCursor"], &next) != nil {
			next = "" // the last page has none
		}
		entries = append(entries, items...)
		if next == "" {
			return entries, nil
		}
		if next == cursor || len(entries) > toolsMost {
			break
		}
		cursor = next
	}
	return nil, &Error{Code: CodeBadResult, Message: fmt.Sprintf("%s does not end, expected a last page after at most %d", list.method, pagesMost)}
}

// GetPrompt asks a server for a prompt; arguments is a JSON object, nil for none, and meta goes into the request's _meta.
// The result is JSON, and nothing in it is redacted. The error is an *Error.
func (p *Pool) GetPrompt(ctx context.Context, server, name string, arguments []byte, meta map[string]any) (json.RawMessage, error) {
	out := value.AppendString([]byte(`{"name":`), name)
	if arguments != nil {
		out = append(append(out, `,"arguments":`...), arguments...)
	}
	return p.pass(ctx, server, string(mcp.MethodPromptsGet), name, out, meta)
}

// Complete asks a server for the values of an argument. ref, argument and context, which may be nil, are those of
// completion/complete. The result is JSON; of a server that completes nothing it is nil. The error is an *Error.
func (p *Pool) Complete(ctx context.Context, server string, ref, argument, within []byte) (result json.RawMessage, err error) {
	able := false
	err = p.use(server, "", func(u *upstream) *Error {
		s, fail := u.session(ctx)
		able = fail == nil && s.able.completions
		return fail
	})
	if err != nil || !able {
		return nil, err
	}
	out := append(append(append([]byte(`{"ref":`), ref...), `,"argument":`...), argument...)
	if within != nil {
		out = append(append(out, `,"context":`...), within...)
	}
	return p.pass(ctx, server, string(mcp.MethodCompletionComplete), "", out, nil)
}

// pass sends a request whose params are JSON without the closing brace.
func (p *Pool) pass(ctx context.Context, server, method, name string, params []byte, meta map[string]any) (raw json.RawMessage, err error) {
	err = p.use(server, "", func(u *upstream) (fail *Error) {
		raw, fail = u.ask(ctx, method, name, func(s *session) (json.RawMessage, error) { return s.endParams(params[:len(params):len(params)], meta) })
		return fail
	})
	return raw, err
}

// ask sends a request, with the timeout, the slots and the rate of calls.
func (u *upstream) ask(ctx context.Context, method, name string, params func(*session) (json.RawMessage, error)) (json.RawMessage, *Error) {
	waited := false
	raw, s, fail := u.request(ctx, method, func(s *session) (request, *Error) {
		if !waited {
			if fail := u.byRate(ctx); fail != nil {
				return request{}, fail
			}
			waited = true
		}
		out, err := params(s)
		if err != nil {
			return request{}, unencoded(err)
		}
		return request{name: name, params: out}, nil
	})
	if fail == nil && (len(raw) == 0 || raw[0] != '{') {
		return nil, &Error{Code: CodeBadResult, Message: "invalid " + method + " result: " + s.note.shown(headOf(raw), 100)}
	}
	return raw, fail
}

// IsInvalid reports whether an error is that of a server which refuses the parameters of a request.
func IsInvalid(err error) bool {
	var rpc *rpcError
	return errors.As(err, &rpc) && rpc.code == mcp.INVALID_PARAMS
}
