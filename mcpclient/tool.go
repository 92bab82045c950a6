package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
)

// Tool is a tool as its server tells it. The raw fields are the server's bytes, so
// that no keyword of a schema is lost; those it left out are nil.
type Tool struct {
	Name         string          `json:"name"`
	Title        string          `json:"title,omitempty"`
	Description  string          `json:"description,omitempty"`
	InputSchema  json.RawMessage `json:"inputSchema,omitempty"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  json.RawMessage `json:"annotations,omitempty"`
	Raw          json.RawMessage `json:"-"` // the whole definition
}

const (
	pagesMost = 1000 // pages of one tools/list; more is a server that never ends
	toolsMost = 50_000
)

var errPages = errors.New("tools/list does not end")

func (u *upstream) listTools(ctx context.Context) ([]Tool, *Error) {
	begun := u.opts.clock.now()
	tools, fail := u.pages(func(cursor string) ([]byte, *Error) {
		raw, _, fail := u.request(ctx, listMethod, func(s *session) (request, *Error) {
			params, err := s.listParams(cursor)
			if err != nil {
				return request{}, u.unencoded(err)
			}
			return request{params: params}, nil
		})
		return raw, fail
	})
	if fail == nil {
		u.learn(tools, begun)
	}
	return tools, fail
}

// pages gathers the pages that ask gets.
func (u *upstream) pages(ask func(cursor string) ([]byte, *Error)) ([]Tool, *Error) {
	var tools []Tool
	cursor := ""
	for range pagesMost {
		raw, fail := ask(cursor)
		if fail != nil {
			return nil, fail
		}
		page, next, err := readPage(raw)
		if err != nil {
			return nil, u.fault(CodeBadResult, "the answer to tools/list is none: "+err.Error())
		}
		tools = append(tools, page...)
		if next == "" {
			return tools, nil
		}
		if next == cursor || len(tools) > toolsMost {
			break
		}
		cursor = next
	}
	e := u.fault(CodeBadResult, fmt.Sprintf("tools/list does not end, expected a last page after at most %d", pagesMost))
	e.Err = errPages
	return nil, e
}

func (s *session) listParams(cursor string) (json.RawMessage, error) {
	out := []byte{'{'}
	if cursor != "" {
		raw, err := json.Marshal(cursor)
		if err != nil {
			return nil, err
		}
		out = append(append(out, `"cursor":`...), raw...)
	}
	return s.endParams(out, nil)
}

// readPage reads one page and the cursor of the next. A definition without a name is
// passed over: one bad tool must not hide the others.
func readPage(raw json.RawMessage) (tools []Tool, next string, err error) {
	var page struct {
		Tools      []json.RawMessage `json:"tools"`
		NextCursor string            `json:"nextCursor"`
	}
	if err := json.Unmarshal(raw, &page); err != nil {
		return nil, "", err
	}
	for _, def := range page.Tools {
		if t := readTool(def); t.Name != "" {
			tools = append(tools, t)
		}
	}
	return tools, page.NextCursor, nil
}

// readTool reads a definition; a field that is null or of a wrong kind is left out. Keys
// are taken to the letter, which a struct does not do: a Description beside a description
// would pass for it there, and not in what a check of the whole definition sees.
func readTool(def json.RawMessage) Tool {
	t := Tool{Raw: def}
	var fields map[string]json.RawMessage
	if json.Unmarshal(def, &fields) != nil {
		return t
	}
	maps.DeleteFunc(fields, func(_ string, raw json.RawMessage) bool { return string(raw) == "null" })
	for key, text := range map[string]*string{"name": &t.Name, "title": &t.Title, "description": &t.Description} {
		if json.Unmarshal(fields[key], text) != nil {
			*text = ""
		}
	}
	t.InputSchema, t.OutputSchema, t.Annotations = fields["inputSchema"], fields["outputSchema"], fields["annotations"]
	return t
}
