package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"toolgraph/internal/editor/completion"
)

// completionFeature offers what can be written at a place.
var completionFeature = feature{
	provide: func(_ *clientCan, capabilities map[string]any) {
		capabilities["completionProvider"] = map[string]any{
			"triggerCharacters": []string{".", "$", " ", "\"", "'", "`", "(", "[", "{", "-"},
			"resolveProvider":   true,
		}
	},
	answers: map[string]handler{
		"textDocument/completion": about(complete),
		"completionItem/resolve":  on(resolveItem),
	},
}

// completionParams are the parameters of a completion.
type completionParams struct {
	atPosition

	Context struct {
		TriggerKind      int    `json:"triggerKind"`
		TriggerCharacter string `json:"triggerCharacter"`
	} `json:"context"`
}

// triggeredByCharacter is the triggerKind of a request that a typed character has caused.
const triggeredByCharacter = 2

// completionList is a CompletionList.
type completionList struct {
	IsIncomplete bool             `json:"isIncomplete"`
	Defaults     *itemDefaults    `json:"itemDefaults,omitempty"`
	Items        []completionItem `json:"items"`
}

type itemDefaults struct {
	EditRange any `json:"editRange,omitempty"`
}

// completionItem is a CompletionItem.
type completionItem struct {
	Label        string        `json:"label"`
	Kind         int           `json:"kind,omitempty"`
	Detail       string        `json:"detail,omitempty"`
	LabelDetails *labelDetails `json:"labelDetails,omitempty"`
	Doc          any           `json:"documentation,omitempty"`
	Sort         string        `json:"sortText,omitempty"`
	Filter       string        `json:"filterText,omitempty"`
	Format       int           `json:"insertTextFormat,omitempty"`
	Mode         int           `json:"insertTextMode,omitempty"`
	Edit         any           `json:"textEdit,omitempty"`
	EditText     string        `json:"textEditText,omitempty"`
	Data         *itemData     `json:"data,omitempty"`
}

type labelDetails struct {
	Description string `json:"description,omitempty"`
}

// itemData says what completionItem/resolve describes.
type itemData struct {
	Function string `json:"function"`
}

type insertReplaceEdit struct {
	NewText string `json:"newText"`
	insertReplace
}

type insertReplace struct {
	Insert  Range `json:"insert"`
	Replace Range `json:"replace"`
}

const (
	snippetFormat = 2 // an insertTextFormat
	asIs          = 1 // insertTextModes
	adjusted      = 2
)

// itemKinds are the kinds of the protocol by those of candidates.
var itemKinds = map[string]int{
	"property": 10, "enum": 12, "node": 18, "server": 9, "tool": 2, "field": 5, "function": 3, "variable": 6, "snippet": 15,
}

func complete(ctx context.Context, r *request, p completionParams) (any, error) {
	at := r.Offset(p.Position)
	if p.Context.TriggerKind == triggeredByCharacter && !begins(r.src[:at], p.Context.TriggerCharacter) {
		return nil, nil //nolint:nilnil // there is no list
	}
	known, err := r.knownHere(ctx)
	if known == nil || err != nil {
		return nil, err
	}
	found := completion.At(ctx, r.src, at, known)
	if len(found.Candidates) == 0 {
		return nil, nil //nolint:nilnil // there is no list
	}
	w := itemWriter{r: r, known: known, insert: r.Range(found.From, at), replace: r.Range(found.From, max(found.To, at))}
	return w.list(found), nil
}

// begins reports whether a typed character begins something that can be completed: a blank does where a value
// begins, a dash where an item does.
func begins(before, character string) bool {
	line := before[strings.LastIndexByte(before, '\n')+1:]
	switch character {
	case " ":
		line = strings.TrimRight(line, " ")
		return strings.HasSuffix(line, ":") || strings.HasSuffix(line, "-") && strings.TrimSpace(line) == "-" || strings.HasSuffix(line, ",")
	case "-":
		return strings.TrimSpace(line) == "-"
	}
	return true
}

// itemWriter writes candidates as the client can read them.
type itemWriter struct {
	r               *request
	known           *completion.Known
	insert, replace Range
}

func (w *itemWriter) list(found completion.List) completionList {
	out := completionList{IsIncomplete: found.More, Items: make([]completionItem, len(found.Candidates))}
	both := w.can("insertReplaceSupport")
	defaults := w.r.server.client.accepts("editRange", "textDocument", "completion", "completionList", "itemDefaults")
	if defaults {
		out.Defaults = &itemDefaults{EditRange: w.insert}
		if both {
			out.Defaults.EditRange = insertReplace{w.insert, w.replace}
		}
	}
	for i, c := range found.Candidates {
		item, text := w.item(c)
		item.Sort = fmt.Sprintf("%04d", i)
		switch {
		case defaults && text == item.Label:
		case defaults:
			item.EditText = text
		case both:
			item.Edit = insertReplaceEdit{text, insertReplace{w.insert, w.replace}}
		default:
			item.Edit = TextEdit{Range: w.insert, NewText: text}
		}
		out.Items[i] = item
	}
	return out
}

// can reports whether the client can do something with items.
func (w *itemWriter) can(path ...string) bool {
	return w.r.server.client.has(append([]string{"textDocument", "completion", "completionItem"}, path...)...)
}

// item returns an item and the text that it writes.
func (w *itemWriter) item(c completion.Candidate) (item completionItem, text string) {
	redact := w.redact()
	item = completionItem{Label: c.Label, Kind: itemKinds[c.Kind], Detail: redact(c.Detail)}
	if w.can("labelDetailsSupport") && item.Detail != "" {
		item.LabelDetails, item.Detail = &labelDetails{item.Detail}, ""
	}
	switch doc := redact(c.Doc); {
	case doc == "":
	case completion.FunctionDoc(c.Label) == doc && w.r.server.client.accepts("documentation", "textDocument", "completion", "completionItem", "resolveSupport", "properties"):
		item.Data = &itemData{Function: c.Label}
	default:
		item.Doc = w.r.server.markup(doc, "textDocument", "completion", "completionItem", "documentationFormat")
	}
	text = c.Insert
	if text == "" {
		text = c.Label
	}
	mode := asIs
	if c.Snippet != "" && w.can("snippetSupport") {
		text, item.Format, mode = c.Snippet, snippetFormat, adjusted
	}
	if modes, _ := w.r.server.client.get("textDocument", "completion", "completionItem", "insertTextModeSupport", "valueSet").([]any); strings.Contains(text, "\n") {
		for _, m := range modes {
			if m == float64(mode) {
				item.Mode = mode
			}
		}
	}
	return item, text
}

// redact returns what replaces the secrets of the graph file in texts.
func (w *itemWriter) redact() func(string) string { return redactor(w.known) }

func redactor(known *completion.Known) func(string) string {
	if known.File == nil || known.File.Secrets == nil {
		return func(text string) string { return text }
	}
	return known.File.Secrets.Redact
}

// resolveItem adds the description to an item.
func resolveItem(_ context.Context, r *request, item map[string]json.RawMessage) (any, error) {
	var data itemData
	if err := json.Unmarshal(item["data"], &data); err != nil || data.Function == "" {
		return item, nil //nolint:nilerr // an item without data is whole
	}
	doc, err := json.Marshal(r.server.markup(completion.FunctionDoc(data.Function), "textDocument", "completion", "completionItem", "documentationFormat"))
	if err != nil {
		return nil, err
	}
	item["documentation"] = doc
	return item, nil
}
