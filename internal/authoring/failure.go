package authoring

import (
	"errors"

	"toolgraph/expressions"
	"toolgraph/expressions/jsonlogic"
	"toolgraph/graph"
	"toolgraph/mcpclient"
)

// concerning adds what an expression's or a server's own error tells.
func (d *failureDetails) concerning(err error) {
	var eval *expressions.EvalError
	if errors.As(err, &eval) {
		d.Code = orText(d.Code, eval.Code)
		d.at(eval.Offset)
	}
	var syntax *expressions.SyntaxError
	if errors.As(err, &syntax) {
		d.Code, d.Hint = orText(d.Code, "syntax"), syntax.Hint
		d.at(syntax.Offset)
	}
	var rule *jsonlogic.Error
	if errors.As(err, &rule) {
		d.Code, d.Hint = orText(d.Code, "rule"), orText(d.Hint, rule.Hint)
	}
	var placed *graph.PlacedError
	if errors.As(err, &placed) {
		d.Caret = placed.Caret
	}
	var upstream *mcpclient.Error
	if errors.As(err, &upstream) {
		d.Code = orText(d.Code, upstream.Code)
		d.Stderr, d.Hint, d.Structured = upstream.Stderr, upstream.Hint, upstream.Structured
	}
}

func (d *failureDetails) at(offset int) {
	if offset >= 0 {
		d.Offset = &offset
	}
}

func orText(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
