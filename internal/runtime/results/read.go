package results

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"

	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"
	"toolgraph/internal/serving/server"
	"toolgraph/internal/serving/toolset"
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
	raw, limit, err := k.find(ctx, of, a.Text("uri"), largeResult)
	if err != nil {
		return nil, err
	}
	ctx = value.Working(ctx) // nothing waits from here on
	w := window{offset: number(a.Get("offset"), 0), most: number(a.Get("limit"), mostPage), bytes: limit}
	source := a.Text("select")
	if source == "" {
		return w.of(raw)
	}
	v, err := selected(ctx, source, raw)
	switch {
	case err != nil:
		return nil, err
	case v == nil:
		return &server.Notice{Texts: []string{"nothing: select yields no value; $keys($) lists the keys of an object, and $count($) counts the items of a list"}}, nil
	}
	return w.encoded(ctx, v, of.Secrets)
}

// number returns a whole number that is not negative; a larger one than any text has characters is
// as good as that.
func number(v value.Value, otherwise int) int {
	switch n := v.(type) {
	case float64:
		return int(min(n, mostPage))
	case json.Number: // it is not exact as a float64
		return mostPage
	}
	return otherwise
}

// mostPage is larger than the number of characters of any text.
const mostPage = 1 << 40

// selected evaluates an expression over a result; nil is nothing. The evaluation is bounded as each one
// is, but its value may hold parts of the result many times.
func selected(ctx context.Context, source string, raw []byte) (value.Value, error) {
	expr, err := jsonata.Compile(ctx, source)
	if err != nil {
		return nil, at(source, err)
	}
	result, err := value.Decode(raw)
	if err != nil {
		return nil, err
	}
	v, err := expr.EvalShared(ctx, expressions.NewScope(map[string]any{}, nil), result)
	if err != nil {
		return nil, at(source, err)
	}
	return v, nil
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
