package main

import (
	"context"
	"encoding/json"
	"time"

	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/jsonlogic"
	"toolgraph/expressions/value"
)

// engine evaluates subjects over inputs and measures the time.
type engine interface {
	// value is what a subject gives, as JSON.
	value(ctx context.Context, s subject, in *input) ([]byte, error)
	// measure evaluates for span, once at least, and gives ns per evaluation.
	measure(ctx context.Context, s subject, in *input, span time.Duration) (float64, error)
}

// own is the expression room of this module.
type own struct {
	scopes map[*input]*expressions.Scope
}

func newOwn(all []*input) (*own, error) {
	o := &own{scopes: map[*input]*expressions.Scope{}}
	for _, in := range all {
		scope, err := in.scope()
		if err != nil {
			return nil, err
		}
		o.scopes[in] = scope
	}
	return o, nil
}

// evaluation is a compiled subject; a rule has no value but whether it holds.
type evaluation func(context.Context, *expressions.Scope) (value.Value, error)

func compile(ctx context.Context, s subject) (evaluation, error) {
	if s.source != "" {
		e, err := jsonata.Compile(ctx, s.source)
		if err != nil {
			return nil, err
		}
		return e.Eval, nil
	}
	var plain any
	if err := json.Unmarshal([]byte(s.rule), &plain); err != nil {
		return nil, err
	}
	rule, err := jsonlogic.Compile(ctx, plain)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, scope *expressions.Scope) (value.Value, error) {
		return rule.Holds(ctx, scope)
	}, nil
}

func (o *own) value(ctx context.Context, s subject, in *input) ([]byte, error) {
	evaluate, err := compile(ctx, s)
	if err != nil {
		return nil, err
	}
	v, err := evaluate(ctx, o.scopes[in])
	if err != nil {
		return nil, err
	}
	return value.Encode(v)
}

func (o *own) measure(ctx context.Context, s subject, in *input, span time.Duration) (float64, error) {
	evaluate, err := compile(ctx, s)
	if err != nil {
		return 0, err
	}
	scope := o.scopes[in]
	n, begin := 0, time.Now()
	for batch := 1; ; batch = min(batch*2, 1024) {
		for range batch {
			if _, err := evaluate(ctx, scope); err != nil {
				return 0, err
			}
		}
		n += batch
		if took := time.Since(begin); took >= span {
			return float64(took) / float64(n), nil
		}
	}
}
