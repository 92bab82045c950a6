package authoring

import (
	"context"
	"fmt"

	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"
)

// argsTrial evaluates arguments by the rules of mcp nodes, over a context that belongs to
// no graph: an object whose only key is expr is an expression, at any depth.
type argsTrial struct {
	scope       *expressions.Scope
	expressions int // how many there were
}

// eval is the value of a part of the arguments; path tells which part. It is nil when an
// expression yields nothing.
func (t *argsTrial) eval(ctx context.Context, v value.Value, path string) (value.Value, error) {
	switch v := v.(type) {
	case value.Object:
		if source, has := v.Get("expr"); has {
			return t.expression(ctx, source, v, path)
		}
		return t.object(ctx, v, path)
	case []any:
		items := make([]any, len(v))
		for i, item := range v {
			made, err := t.eval(ctx, item, fmt.Sprintf("%s[%d]", path, i))
			if err != nil {
				return nil, err
			}
			if made == nil {
				made = value.Null
			}
			items[i] = made
		}
		return items, nil
	}
	return v, nil
}

func (t *argsTrial) object(ctx context.Context, v value.Object, path string) (value.Value, error) {
	var keys []string
	var values []value.Value
	for _, key := range v.Keys() {
		item, _ := v.Get(key)
		made, err := t.eval(ctx, item, path+"."+key)
		if err != nil {
			return nil, err
		}
		if made != nil {
			keys, values = append(keys, key), append(values, made)
		}
	}
	return value.NewObject(keys, values), nil
}

func (t *argsTrial) expression(ctx context.Context, source value.Value, whole value.Object, path string) (value.Value, error) {
	text, isText := source.(string)
	switch {
	case whole.Len() > 1:
		return nil, fmt.Errorf("%s has other keys beside expr, expected expr alone; compute the whole object in the expression", path)
	case !isText:
		return nil, fmt.Errorf("%s.expr is no text, expected a JSONata expression", path)
	}
	t.expressions++
	expr, err := jsonata.Compile(ctx, text)
	if err != nil {
		return nil, fmt.Errorf("%s: the JSONata does not compile: %w", path, err)
	}
	v, err := expr.Eval(ctx, t.scope)
	if err != nil {
		return nil, fmt.Errorf("%s: the JSONata cannot be evaluated: %w", path, err)
	}
	return v, nil
}
