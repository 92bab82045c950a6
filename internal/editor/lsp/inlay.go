package lsp

import (
	"context"
	"time"

	"toolgraph/internal/editor/completion"
	"toolgraph/internal/editor/names"
)

// inlayFeature shows the type of each node's output behind its id.
var inlayFeature = feature{
	provide: func(_ *clientCan, caps map[string]any) { caps["inlayHintProvider"] = true },
	answers: map[string]handler{"textDocument/inlayHint": about(inlayHints)},
}

const typeHint = 1

type inlayHint struct {
	Position Position `json:"position"`
	Label    string   `json:"label"`
	Kind     int      `json:"kind"`
}

// mostWait bounds how long hints wait for the first check of a file.
const mostWait = 10 * time.Second

// inlayHints go by the last valid version: a node has the hint that it had there.
func inlayHints(ctx context.Context, r *request, p struct {
	aboutDocument

	Range Range `json:"range"`
},
) (any, error) {
	hints := []inlayHint{}
	r.server.mu.Lock()
	wanted := r.server.settings.inlayHints()
	r.server.mu.Unlock()
	symbols, ok := names.Symbols(r.path, []byte(r.src))
	if !wanted || !ok || r.kind != graphFile {
		return hints, nil
	}
	ctx, cancel := context.WithTimeout(ctx, mostWait)
	defer cancel()
	known, err := r.known(ctx)
	if err != nil {
		return nil, err
	}
	from, to := r.Span(p.Range)
	for _, tool := range symbols {
		hints = append(hints, r.nodeHints(ctx, known, tool, from, to)...)
	}
	return hints, nil
}

func (r *request) nodeHints(ctx context.Context, known *completion.Known, tool names.Symbol, from, to int) (hints []inlayHint) {
	if tool.Kind != names.Tool || tool.To < from || tool.From > to {
		return nil
	}
	types := known.Outputs(ctx, tool.Name)
	var add func(prefix string, all []names.Symbol)
	add = func(prefix string, all []names.Symbol) {
		for _, n := range all {
			if t := types[prefix+n.Name]; t != "" && n.NameFrom >= from && n.NameFrom <= to {
				hints = append(hints, inlayHint{r.Position(n.NameTo), ": " + t, typeHint})
			}
			if n.Kind == names.Node {
				add(prefix+n.Name+".", n.Children)
			}
		}
	}
	add("", tool.Children)
	return hints
}
