package lsp

import (
	"context"
	"strings"

	"toolgraph/internal/editor/completion"
)

// hoverFeature describes the word under the pointer.
var hoverFeature = feature{
	provide: func(_ *clientCan, capabilities map[string]any) { capabilities["hoverProvider"] = true },
	answers: map[string]handler{"textDocument/hover": about(hover)},
}

type hoverResult struct {
	Contents Markup `json:"contents"`
	Range    Range  `json:"range"`
}

func hover(ctx context.Context, r *request, p atPosition) (any, error) {
	known, err := r.knownHere(ctx)
	if known == nil || err != nil {
		return nil, err
	}
	d, ok := completion.Describe(ctx, r.src, r.Offset(p.Position), known)
	if !ok {
		return nil, nil //nolint:nilnil // there is nothing to say
	}
	redact := redactor(known)
	kind := r.server.client.markup("textDocument", "hover", "contentFormat")
	w := hoverWriter{markdown: kind == "markdown"}
	w.head(d.Label, redact(d.Detail))
	w.text(redact(d.Doc))
	for _, f := range d.Facts {
		w.line(f.Name, redact(f.Text), "")
	}
	if d.Value != nil {
		if v := r.server.recordedValue(ctx, r.snapshot, d.Value); v != nil {
			w.line(v.head(), "", redact(v.text))
		}
	}
	return hoverResult{Contents: Markup{Kind: kind, Value: w.String()}, Range: r.Range(d.From, d.To)}, nil
}

// hoverWriter writes a description, in Markdown or as plain text.
type hoverWriter struct {
	strings.Builder

	markdown bool
	listed   bool // a line of the list of facts was written
}

func (w *hoverWriter) head(label, detail string) {
	if w.markdown {
		w.WriteString("**" + escapedText(label) + "**")
		if detail != "" {
			w.WriteString(" " + codeText(detail))
		}
		return
	}
	w.WriteString(strings.TrimSpace(label + " " + detail))
}

// text writes a paragraph; its lines stay lines.
func (w *hoverWriter) text(doc string) {
	switch {
	case doc == "":
	case w.markdown:
		w.WriteString("\n\n" + escapedText(doc))
	default:
		w.WriteString("\n\n" + doc)
	}
}

// line writes a line of the list of facts.
func (w *hoverWriter) line(name, text, code string) {
	if !w.markdown {
		w.WriteString("\n" + name + ": " + text + code)
		return
	}
	if w.WriteString("\n"); !w.listed {
		w.WriteString("\n")
		w.listed = true
	}
	w.WriteString("- *" + escapedText(name) + "*: " + strings.ReplaceAll(escapedText(text), "\n", " "))
	if code != "" {
		w.WriteString(codeText(code))
	}
}
