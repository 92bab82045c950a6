package lsp

import (
	"context"

	"toolgraph/internal/editor/names"
)

// definitionFeature goes from a name to where it is defined, and to all its uses.
var definitionFeature = feature{
	provide: func(_ *clientCan, caps map[string]any) {
		caps["definitionProvider"], caps["referencesProvider"], caps["documentHighlightProvider"] = true, true, true
	},
	answers: map[string]handler{
		"textDocument/definition":        about(definition),
		"textDocument/references":        about(references),
		"textDocument/documentHighlight": about(highlights),
	},
}

func definition(_ context.Context, r *request, p atPosition) (any, error) {
	v := r.view()
	x := v.names(r.path)
	offset := r.Offset(p.Position)
	o, ok := x.At(r.path, offset)
	if !ok {
		if path := names.FileAt(r.path, []byte(r.src), offset); path != "" && v.text(path) != nil {
			return []Location{{URI: v.uri(path)}}, nil
		}
		return nil, nil
	}
	if path := x.Target(o.Name); path != "" && o.Definition {
		return []Location{{URI: v.uri(path)}}, nil
	}
	return v.locations(x.Definitions(o.Name)), nil
}

func references(_ context.Context, r *request, p struct {
	atPosition

	Context struct {
		IncludeDeclaration bool `json:"includeDeclaration"`
	} `json:"context"`
},
) (any, error) {
	v := r.view()
	x := v.names(r.path)
	o, ok := x.At(r.path, r.Offset(p.Position))
	if !ok {
		return nil, nil
	}
	var wanted []names.Occurrence
	for _, o := range x.Of(o.Name) {
		if !o.Definition || p.Context.IncludeDeclaration {
			wanted = append(wanted, o)
		}
	}
	return v.locations(wanted), nil
}

// The kinds of a highlight.
const (
	highlightRead  = 2
	highlightWrite = 3
)

type highlight struct {
	Range Range `json:"range"`
	Kind  int   `json:"kind"`
}

func highlights(_ context.Context, r *request, p atPosition) (any, error) {
	x := names.Read([]names.Source{{Path: r.path, Text: []byte(r.src)}})
	if r.kind != graphFile {
		x = r.view().names(r.path)
	}
	o, ok := x.At(r.path, r.Offset(p.Position))
	if !ok {
		return nil, nil
	}
	found := []highlight{}
	for _, o := range x.Of(o.Name) {
		if o.Path == r.path {
			h := highlight{r.Range(o.From, o.To), highlightRead}
			if o.Definition {
				h.Kind = highlightWrite
			}
			found = append(found, h)
		}
	}
	return found, nil
}
