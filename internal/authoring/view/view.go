// Package view has the shapes that people, pages and agents get of expressions, their
// errors and values: compiled nodes and errors go in, structs come out whose JSON is
// shown. Each caller adds its own keys; what is in them is decided here.
//
// It must not know who reads the answer. Callers redact what it returns, apart from Beginning. Its
// functions may be called by several goroutines.
package view

import (
	"context"
	"unicode/utf8"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
)

// Beginning returns at most so many bytes of the JSON of a value that has more, without secrets. It
// writes no more of it than that takes: a secret that lies across the end is left out.
func Beginning(ctx context.Context, v value.Value, most int, secrets *config.Secrets) string {
	// What is encoded last may be a part of a character, each byte of it as one of three bytes, and a quote.
	hidden := secrets.Longest() + 3*utf8.UTFMax
	raw, _ := value.AppendMost(value.Until(ctx), nil, v, most+hidden) // ErrTooLong, or ctx has ended
	clean := secrets.Redact(string(raw))
	return wording.Head(clean[:max(0, len(clean)-hidden)], most)
}
