package lsp

import (
	"context"

	"toolgraph/config"
)

// formatFeature puts a file in order: its indentation and its empty lines; comments stay. Where it is not
// certain that the values stay the same, nothing is edited.
var formatFeature = feature{
	provide: func(_ *clientCan, caps map[string]any) { caps["documentFormattingProvider"] = true },
	answers: map[string]handler{"textDocument/formatting": about(format)},
}

func format(_ context.Context, r *request, _ aboutDocument) (any, error) {
	edits := []TextEdit{}
	if r.kind == graphFile || r.kind == testFile {
		for _, e := range config.Tidy(r.path, []byte(r.src)) {
			edits = append(edits, TextEdit{r.Range(e.From, e.To), e.Text})
		}
	}
	return edits, nil
}
