package jsonlogic

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"
)

// shared is a value of depth 60 whose parts are shared: it has 2^60 parts when it is walked.
func shared(leaf any, isObject bool) any {
	v := leaf
	for range 60 {
		if isObject {
			v = value.NewObject([]string{"a", "b"}, []value.Value{v, v})
		} else {
			v = []any{v, v}
		}
	}
	return v
}

// cancelledAt is a context that is cancelled when it is asked for the most-th time.
type cancelledAt struct {
	context.Context

	asks, most int
	cancel     context.CancelFunc
}

func (c *cancelledAt) Err() error {
	if c.asks++; c.asks == c.most {
		c.cancel()
	}
	return c.Context.Err()
}

// X01: every operator ends within a bounded number of steps on values that share their parts, and at the
// next look at a context that is cancelled in the middle.
func TestX01SharedParts(t *testing.T) {
	scope := jsonata.NewScope(map[string]any{
		"x": shared(1.0, false), "y": shared(1.0, false), "e": shared([]any{}, false), "t": shared("text", false),
		"o": shared(1.0, true), "p": shared(1.0, true), "z": shared(2.0, true),
	}, nil)
	limits := value.Limits{Steps: 5_000, Bytes: 64 << 20}
	source := ""
	hang := time.AfterFunc(time.Hour, func() { panic("this does not end: " + source) })
	defer hang.Stop()
	first := []string{`{"var":"$ctx.x"}`, `{"var":"$ctx.o"}`, `{"var":"$ctx.e"}`, `{"var":"$ctx.t"}`, `[{"var":"$ctx.x"},{"var":"$ctx.o"}]`}
	second := []string{`{"var":"$ctx.y"}`, `{"var":"$ctx.p"}`, `{"var":"$ctx.z"}`, `"1"`, `1`, `{"==":[{"var":""},{"var":"$ctx.y"}]}`}
	for _, op := range Operators() {
		var calls []string
		for _, a := range first {
			calls = append(calls, a)
			for _, b := range second {
				calls = append(calls, a+","+b, a+","+b+","+a, b+","+a)
			}
		}
		if strings.HasPrefix(op, "var") || strings.HasPrefix(op, "missing") {
			calls = append(calls, `"o.a"`, `"x"`, `""`, `"x[$ = $$.y]"`, `["x"],{"var":"$ctx.x"}`, `2,{"var":"$ctx.x"}`)
		}
		if op == "reduce" { // elsewhere, a path into an array is for JSONata, with limits of its own
			calls = append(calls, `{"var":"$ctx.x"},{"==":[{"var":"accumulator"},{"var":"current"}]}`)
		}
		for _, args := range calls {
			source = fmt.Sprintf(`{%q:[%s]}`, op, args)
			rule, err := Compile(t.Context(), parseRule(t, source))
			if err != nil {
				continue // another number of arguments
			}
			hang.Reset(20 * time.Second)
			run := newRuleRun(t.Context(), scope, &limits)
			_, err = rule.evalAt(run, nil)
			var failed *jsonata.Error
			if err != nil && !errors.As(err, &failed) || run.Steps() > 2*limits.Steps {
				t.Errorf("%s: %v after %d steps", source, err, run.Steps())
			}
			inner, cancel := context.WithCancel(t.Context())
			ctx := &cancelledAt{Context: inner, most: 4, cancel: cancel}
			_, err = rule.evalAt(newRuleRun(ctx, scope, &limits), nil)
			failed = nil
			// Looks after the end are for its cause, of a var's expression too.
			if ctx.asks >= ctx.most && (!errors.As(err, &failed) || failed.Code != "cancelled" || ctx.asks > ctx.most+4) {
				t.Errorf("%s: it was cancelled, got %v after %d more looks", source, err, ctx.asks-ctx.most)
			}
			cancel()
		}
	}
	for rule, want := range map[string]bool{
		`{"==":[{"var":"x"},{"var":"y"}]}`: true, `{"===":[{"var":"o"},{"var":"p"}]}`: true, `{"==":[{"var":"o"},{"var":"z"}]}`: false,
		`{"in":[{"var":"p"},[{"var":"x"},{"var":"o"}]]}`: true, `{"!=":[{"var":"x"},{"var":"e"}]}`: true,
	} {
		run := newRuleRun(t.Context(), scope, &limits)
		v, err := compiled(t, rule).evalAt(run, nil)
		if err != nil || v != want || run.Steps() > 2000 {
			t.Errorf("%s: %v after %d steps (%v)", rule, v, run.Steps(), err)
		}
	}
}

// X01: the expressions of a rule's vars share the time of the rule: a thousand of them take no longer
// than one may.
func TestX01VarsShareTheTimeOfTheRule(t *testing.T) {
	scope := jsonata.NewScope(map[string]any{"x": 1.0}, nil)
	rule := compiled(t, `{"var":"$sum([1..10000]) + x"}`) // too few steps of the rule for a look of its own
	if v, err := rule.Eval(t.Context(), scope); err != nil || v != 50_005_001.0 {
		t.Fatalf("%v, %v", v, err)
	}
	limits := ruleLimits
	limits.Time = time.Nanosecond
	_, err := rule.evalAt(newRuleRun(t.Context(), scope, &limits), nil)
	var failed *jsonata.Error
	if !errors.As(err, &failed) || failed.Code != "timeout" || !strings.HasPrefix(failed.Message, `var "$sum(`) {
		t.Errorf("after the time of the rule: %v", err)
	}
}

// X01: the lists that the expressions of a rule make count together as memory of one evaluation.
func TestX01VarsShareTheMemoryOfTheRule(t *testing.T) {
	rule := compiled(t, `[`+strings.Repeat(`{"var":"[1..4000000]"},`, 39)+`1]`)
	limits := ruleLimits
	limits.Time = time.Hour
	_, err := rule.evalAt(newRuleRun(t.Context(), jsonata.NewScope(nil, nil), &limits), nil)
	var failed *jsonata.Error
	if !errors.As(err, &failed) || failed.Code != "memory" {
		t.Errorf("40 lists of 64 MB: %v", err)
	}
}
