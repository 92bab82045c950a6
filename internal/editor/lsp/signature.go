package lsp

import (
	"context"

	"toolgraph/internal/editor/completion"
)

// signatureFeature shows the parameters of the function whose arguments are written.
var signatureFeature = feature{
	provide: func(_ *clientCan, capabilities map[string]any) {
		capabilities["signatureHelpProvider"] = map[string]any{"triggerCharacters": []string{"(", ","}, "retriggerCharacters": []string{")"}}
	},
	answers: map[string]handler{"textDocument/signatureHelp": about(signature)},
}

type signatureHelp struct {
	Signatures []signatureInformation `json:"signatures"`
	Active     int                    `json:"activeSignature"`
	Parameter  int                    `json:"activeParameter"`
}

type signatureInformation struct {
	Label      string      `json:"label"`
	Doc        *Markup     `json:"documentation,omitempty"`
	Parameters []parameter `json:"parameters"`
}

type parameter struct {
	Label any `json:"label"` // its text, or its place in the label
}

func signature(ctx context.Context, r *request, p atPosition) (any, error) {
	known, err := r.knownHere(ctx)
	if known == nil || err != nil {
		return nil, err
	}
	call, ok := completion.CallAt(ctx, r.src, r.Offset(p.Position), known)
	if !ok {
		return nil, nil //nolint:nilnil // there is no call
	}
	const capability = "signatureInformation"
	info := signatureInformation{Label: call.Label, Parameters: []parameter{}}
	if call.Doc != "" {
		doc := r.server.markup(call.Doc, "textDocument", "signatureHelp", capability, "documentationFormat")
		info.Doc = &doc
	}
	offsets := r.server.client.has("textDocument", "signatureHelp", capability, "parameterInformation", "labelOffsetSupport")
	label := newText(call.Label, utf16Units)
	for _, at := range call.Parameters {
		if offsets {
			info.Parameters = append(info.Parameters, parameter{[2]int{label.Position(at[0]).Character, label.Position(at[1]).Character}})
		} else {
			info.Parameters = append(info.Parameters, parameter{call.Label[at[0]:at[1]]})
		}
	}
	return signatureHelp{Signatures: []signatureInformation{info}, Parameter: call.Active}, nil
}
