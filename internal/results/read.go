package results

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"toolgraph/config"
	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"
	"toolgraph/internal/server"
	"toolgraph/internal/toolset"
	"toolgraph/internal/wording"
)

//go:embed tools.yaml
var tools []byte

// ToolName is the name of the tool that reads results.
const ToolName = "read_result"

// Tool returns the tool that reads the results of a file.
func (k *Store) Tool(of File) (server.Tool, error) {
	set, err := toolset.New(tools, "", map[string]toolset.Handler{
		ToolName: func(ctx context.Context, a toolset.Arguments, _ server.Watch) (any, error) { return k.read(ctx, of, a) },
	})
	if err != nil {
		return server.Tool{}, err
	}
	return *set.Tool(ToolName), nil
}

// read answers one call.
func (k *Store) read(ctx context.Context, of File, a toolset.Arguments) (*server.Notice, error) {
	select {
	case k.readers <- struct{}{}:
		defer func() { <-k.readers }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	raw, limit, err := k.find(ctx, of, a.Text("uri"))
	if err != nil {
		return nil, err
	}
	if source := a.Text("select"); source != "" {
		if raw, err = selected(ctx, source, raw, of.Secrets); err != nil {
			return nil, err
		}
		if raw == nil {
			return &server.Notice{Texts: []string{"nothing: select yields no value; $keys($) lists the keys of an object, and $count($) counts the items of a list"}}, nil
		}
	}
	return page(raw, number(a.Get("offset"), 0), number(a.Get("limit"), len(raw)), limit)
}

// number returns a whole number that is not negative; a larger one than any text has characters is
// as good as that.
func number(v value.Value, otherwise int) int {
	const most = 1 << 40
	switch n := v.(type) {
	case float64:
		return int(min(n, most))
	case json.Number: // it is not exact as a float64
		return most
	}
	return otherwise
}

// selected evaluates an expression over a result and returns what it yields as JSON; nil when that
// is nothing. The evaluation is bounded as each one is.
func selected(ctx context.Context, source string, raw []byte, secrets *config.Secrets) ([]byte, error) {
	expr, err := jsonata.Compile(ctx, source)
	if err != nil {
		return nil, at(source, err)
	}
	result, err := value.Decode(raw)
	if err != nil {
		return nil, err
	}
	v, err := expr.EvalAt(ctx, expressions.NewScope(map[string]any{}, nil), result)
	if err != nil {
		return nil, at(source, err)
	}
	if v == nil {
		return nil, nil
	}
	text, err := value.Encode(v)
	if err != nil {
		return nil, fmt.Errorf("what select yields cannot be written as JSON: %w", err)
	}
	return secrets.RedactJSON(text), nil // parts of a secret may have been joined
}

// at returns the error of an expression with its place.
func at(source string, err error) error {
	message, offset := err.Error(), -1
	var syntax *expressions.SyntaxError
	var eval *expressions.EvalError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
		if syntax.Hint != "" {
			message += "; " + syntax.Hint
		}
	case errors.As(err, &eval):
		offset = eval.Offset
	}
	if caret := expressions.Caret(source, offset); caret != "" {
		message += "\n" + caret
	}
	return errors.New("select: " + message)
}

// noteRoom is how many bytes the note of a page may have.
const noteRoom = 100

// page returns the characters of a text from an offset on, at most so many, and within the limit
// in bytes. Where that is not the whole text, a second one says what it is.
func page(text []byte, offset, most, limit int) (*server.Notice, error) {
	total := utf8.RuneCount(text)
	if offset > 0 && offset >= total {
		return nil, fmt.Errorf("offset is %d, and the answer has %s, numbered from 0; use a smaller one", offset, wording.Count(total, "character"))
	}
	if offset == 0 && most >= total && len(text) <= limit {
		return &server.Notice{Texts: []string{string(text)}}, nil
	}
	text = text[bytesOf(text, offset):]
	if limit > 2*noteRoom {
		limit -= noteRoom
	}
	shown := wording.Head(text[:bytesOf(text, most)], limit)
	if len(shown) == 0 { // the first character alone has more bytes than the limit
		shown = text[:bytesOf(text, 1)]
	}
	end := offset + utf8.RuneCount(shown)
	note := fmt.Sprintf("characters %d to %d of %d", offset, end, total)
	if end < total {
		note += fmt.Sprintf("; next offset: %d", end)
	}
	return &server.Notice{Texts: []string{string(shown), note}}, nil
}

// bytesOf returns how many bytes the first n characters of a text have.
func bytesOf(text []byte, n int) int {
	at := 0
	for ; n > 0 && at < len(text); n-- {
		_, size := utf8.DecodeRune(text[at:])
		at += size
	}
	return at
}
