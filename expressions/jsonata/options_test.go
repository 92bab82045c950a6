package jsonata

import (
	"context"
	"errors"
	"testing"
	"time"
)

// A function of the host gets values only, and its errors and results are checked.
func TestFunctionsOfTheHost(t *testing.T) {
	fault := errors.New("out of order")
	options := Options{Functions: map[string]Function{
		"count":  func(context.Context, []Value) (Value, error) { return "not the library's", nil },
		"args":   func(_ context.Context, args []Value) (Value, error) { return float64(len(args)), nil },
		"first":  func(_ context.Context, args []Value) (Value, error) { return args[0], nil },
		"broken": func(context.Context, []Value) (Value, error) { return nil, fault },
		"wrong":  func(context.Context, []Value) (Value, error) { return 1, nil },
	}}
	for source, want := range map[string]Value{
		`$count([1, 2, 3])`:           3.0,
		`$args()`:                     0.0,
		`$args(missing, 1)`:           2.0,
		`[1, 2] ~> $args`:             1.0,
		`$exists($first(missing))`:    false,
		`$first(items.n)[1]`:          2.0,
		`$type($first)`:               "function",
		`$map([5], $first)`:           5.0,
		`$args(?, 2)(1)`:              2.0,
		`($first := 7; $first)`:       7.0,
		`args(1) ? 1`:                 "T1005",
		`$first($sum)`:                "T0410",
		`$first(function($x){$x})`:    "T0410",
		`1 + $broken()`:               codeFunction,
		`$wrong()`:                    codeFunction,
		`$first`:                      "function",
		`$first({"a": items}).a[0].n`: 1.0,
		`$first(items[n > 1]).n`:      2.0,
	} {
		e, err := Compile(t.Context(), source, options)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		if len(e.Variables()) > 0 {
			t.Errorf("%s: a function of the host is a variable: %v", source, e.Variables())
		}
		got, err := e.EvalAt(t.Context(), nil, map[string]any{"items": []any{map[string]any{"n": 1.0}, map[string]any{"n": 2.0}}})
		var failed *Error
		if errors.As(err, &failed) {
			got = failed.Code
		}
		if got != want {
			t.Errorf("%s is %v, %v; want %v", source, got, err, want)
		}
		if source == `1 + $broken()` && (!errors.Is(err, fault) || failed.Offset != 4) {
			t.Errorf("%s fails with %v at %d", source, err, failed.Offset)
		}
	}
	if _, err := Compile(t.Context(), `$first(1)`); err == nil {
		t.Error("a function of other options is known")
	}
}

// Each budget of the options ends an evaluation; without them those of graph files hold.
func TestOptionsLimit(t *testing.T) {
	const endless = `($f := function($n) {$f($n + 1)}; $f(0))`
	for code, options := range map[string]Options{
		"steps":   {Steps: 1000},
		"timeout": {Time: time.Millisecond},
		"memory":  {Heap: 1 << 20, Time: time.Minute},
	} {
		source := endless
		if code == "memory" {
			source = `($f := function($list) {$f($append($list, [1..100000]))}; $f([]))`
		}
		e, err := Compile(t.Context(), source, options)
		if err != nil {
			t.Fatal(err)
		}
		var failed *Error
		if v, err := e.EvalAt(t.Context(), nil, nil); !errors.As(err, &failed) || failed.Code != code {
			t.Errorf("%s: %v, %v", code, v, err)
		}
	}
	if *(&Options{}).limits() != defaultLimits || *(&Options{Steps: 1}).limits() == defaultLimits {
		t.Error("the limits are wrong")
	}
}
