package lsp

import (
	"context"

	"toolgraph/expressions/jsonata"
	"toolgraph/internal/editor/names"
)

// tokensFeature colours names, and the expressions inside YAML.
var tokensFeature = feature{
	provide: func(c *clientCan, caps map[string]any) {
		if !c.accepts("relative", "textDocument", "semanticTokens", "formats") {
			return
		}
		caps["semanticTokensProvider"] = map[string]any{
			"legend": map[string]any{"tokenTypes": tokenTypes, "tokenModifiers": []string{"definition"}},
			"full":   true, "range": true,
		}
	},
	answers: map[string]handler{
		"textDocument/semanticTokens/full":  about(allTokens),
		"textDocument/semanticTokens/range": about(tokensInRange),
	},
}

// tokenTypes are the types of tokens, all of them those of the protocol.
var tokenTypes = []string{"class", "property", "function", "namespace", "method", "variable", "string", "number", "regexp", "keyword", "operator", "comment"}

// typeOf returns the index of a token's type.
func typeOf(t names.Token) int {
	switch t.Name {
	case names.Node:
		return 0
	case names.Branch:
		return 1
	case names.Tool:
		return 2
	case names.Server, names.Import:
		return 3
	case names.ServerTool:
		return 4
	case names.Var, names.Local:
		return 5
	}
	return map[jsonata.TokenKind]int{
		jsonata.NameToken: 1, jsonata.CallToken: 2, jsonata.VariableToken: 5, jsonata.StringToken: 6, jsonata.NumberToken: 7,
		jsonata.PatternToken: 8, jsonata.WordToken: 9, jsonata.OperatorToken: 10, jsonata.CommentToken: 11,
	}[t.Kind]
}

type semanticTokens struct {
	Data []int `json:"data"`
}

func allTokens(_ context.Context, r *request, _ aboutDocument) (any, error) {
	return r.tokens(0, len(r.src)), nil
}

func tokensInRange(_ context.Context, r *request, p struct {
	aboutDocument

	Range Range `json:"range"`
},
) (any, error) {
	from, to := r.Span(p.Range)
	return r.tokens(from, to), nil
}

// tokens returns the tokens that begin in a part of the file, each relative to the one before it.
func (r *request) tokens(from, to int) semanticTokens {
	data := []int{}
	if r.kind == otherFile || r.kind == lockFile {
		return semanticTokens{data}
	}
	x := names.Read([]names.Source{{Path: r.path, Text: []byte(r.src)}})
	if r.kind == testFile {
		x = r.view().names(r.path)
	}
	var last Position
	for _, t := range names.Tokens(x, r.path, []byte(r.src)) {
		if t.From < from || t.From >= to {
			continue
		}
		at := r.Range(t.From, t.To)
		if at.Start.Line != at.End.Line {
			continue
		}
		column, modifiers := at.Start.Character, 0
		if at.Start.Line == last.Line {
			column -= last.Character
		}
		if t.Definition {
			modifiers = 1
		}
		data = append(data, at.Start.Line-last.Line, column, at.End.Character-at.Start.Character, typeOf(t), modifiers)
		last = at.Start
	}
	return semanticTokens{data}
}
