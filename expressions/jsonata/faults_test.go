package jsonata

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"toolgraph/expressions/value"
)

// evalWithin evaluates with a budget of time, and counts the steps.
func evalWithin(ctx context.Context, e *Expression, scope *Scope, budget time.Duration) (result value.Value, steps int, err error) {
	ev := evaluation{Meter: value.MakeMeter(ctx, &value.Limits{Time: budget, Heap: maxGrowth}), scope: scope}
	result, err = e.run(&ev, scope.Context, &bindings{}, value.MaxBytes)
	return result, ev.Steps(), err
}

func codeOf(err error) string {
	var eval *Error
	if errors.As(err, &eval) {
		return eval.Code
	}
	return ""
}

// TestJ01EndlessRecursion holds that an endless recursion ends at the depth of its calls,
// and one that needs no depth with the budget of time.
func TestJ01EndlessRecursion(t *testing.T) {
	scope := NewScope(nil, nil)
	_, steps, err := evalWithin(t.Context(), mustCompile(t, `($f := function($x){1 + $f($x)}; $f(1))`), scope, time.Minute)
	if codeOf(err) != "U1001" || steps > 20*maxRecursion {
		t.Errorf("%v after %d steps", err, steps)
	}
	_, _, err = evalWithin(t.Context(), mustCompile(t, `($f := function($x){$f($x)}; $f(1))`), scope, 50*time.Millisecond)
	if codeOf(err) != "timeout" {
		t.Errorf("a tail call: %v", err)
	}
}

// TestJ02HugeValues holds that a huge value is refused before it is made: the bytes that
// were allocated are counted.
func TestJ02HugeValues(t *testing.T) {
	for _, c := range []struct {
		source, code string
		most         uint64 // bytes
	}{
		{`[1..100000000]`, "D2014", 1 << 20},
		{`$pad("x", 1e9)`, "size", 1 << 20},
		{`$reduce([1..60], function($a, $x){$a & $a}, "xxxxxxxxxx")`, "size", 4 * maxText},
		{`[[1..2000000],[1..2000000]]`, "", 512 << 20},
		{`$append([1..1500000], [1..1500000])`, "size", 512 << 20},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err := evalWithin(t.Context(), mustCompile(t, c.source), NewScope(nil, nil), time.Minute)
		runtime.ReadMemStats(&after)
		if codeOf(err) != c.code {
			t.Errorf("%s: %v", c.source, err)
		}
		if made := after.TotalAlloc - before.TotalAlloc; made > c.most {
			t.Errorf("%s: %d MB were allocated", c.source, made>>20)
		}
	}
}

// TestJ03CatastrophicPattern would never end with an engine that backtracks: each letter
// more doubles its work.
func TestJ03CatastrophicPattern(t *testing.T) {
	for _, length := range []int{35, 200, 20_000} {
		scope := NewScope(map[string]any{"s": strings.Repeat("a", length) + "!"}, nil)
		if got := evalText(t, `$contains($.s, /^(a+)+$/)`, scope); got != "false" {
			t.Errorf("%d letters: %s", length, got)
		}
	}
}

func TestJ04HugeSources(t *testing.T) {
	for _, source := range []string{
		strings.Repeat("(", 200_000) + "1" + strings.Repeat(")", 200_000), strings.Repeat(" ", 1<<20) + "1",
		strings.Repeat("[", 101) + strings.Repeat("]", 101),
	} {
		var syntax *SyntaxError
		if _, err := Compile(t.Context(), source); !errors.As(err, &syntax) {
			t.Errorf("%d bytes: %v", len(source), err)
		}
	}
	if _, err := Compile(t.Context(), "1"+strings.Repeat(" ", maxSource-1)); err != nil {
		t.Errorf("the longest source: %v", err)
	}
}

func TestJ05Eval(t *testing.T) {
	for source, offset := range map[string]int{
		`$eval(entry.text)`:             0,
		`($e := $eval; $e("1"))`:        7,
		`entry.text ~> $eval`:           14,
		`$map(["1"], $eval)`:            12,
		`function($eval){$eval("1")}`:   9,
		`$ /* x */ .entry.text.$eval()`: 22,
	} {
		_, err := Compile(t.Context(), source)
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || syntax.Offset != offset || !strings.Contains(syntax.Message, "not available") {
			t.Errorf("%s: %#v", source, err)
		}
	}
}

func TestJ06DataStaysData(t *testing.T) {
	text := `{"entry":{"a":"$error('x')","b":"${HOME}","c":{"expr":"1+1"},"d":"/x/ & {\"a\":1}"}}`
	scope := NewScope(contextOf(t, text), nil)
	for _, source := range []string{`$`, `{"entry": entry}`, `{"entry": $merge([entry])}`} {
		if got := evalText(t, source, scope); got != text {
			t.Errorf("%s is %s", source, got)
		}
	}
}

func TestJ08ErrorsWithoutValues(t *testing.T) {
	const secret = "hunter2-secret"
	scope := NewScope(map[string]any{
		"s": secret, "o": value.NewObject([]string{secret}, []value.Value{secret}), "a": []any{secret, 1.0}, "n": 1.0, "long": strings.Repeat(secret, 1000),
	}, nil)
	for _, source := range []string{
		`1 + s`, `s * 2`, `-s`, `s < 1`, `o < 1`, `$number(s)`, `$sum(a)`, `$join(a)`, `{s: 1, s: 2}`, `[s..2]`, `[1.5..2]`, `a{s: 1, "hunter2-secret": 2}`,
		`s()`, `s ~> o`, `$sort(a)`, `a^($)`, `$toMillis(s, s)`, `$fromMillis(0, "[" & s)`, `$parseInteger(s, s)`, `$formatNumber(1, s)`,
		`$formatInteger(1, s)`, `$formatBase(1, s)`, `$base64decode(s & "!")`, `$decodeUrl("%" & s)`, `$single(a)`, `$lookup(o, 1)`, `$match(1, s)`,
		`$replace(s, "", s)`, `$replace(s, /u/, 1)`, `$split(1, s)`, `$substring(s, s)`, `$pad(s, s)`, `$power(n, s)`, `$zip(s, s)(s)`, `o ~> |$|s|`, `o ~> |$|{}, 1|`,
		`$nodeExecution(s, s)`, `$nodeExecution(o, s)`, `$previousNode(s)`, `$number(long)`, `$now(s, s)`, `$assert(s)`, `$contains(a, s)`, `s.%`, `s[%]`, `$merge(a)`, `$each(s, s)`,
		`$reduce(a, s)`, `$map(a, s)`, `$sift(s, s)`, `$filter(a, s)`, `$keys(s)(s)`, `$string(o, s)`, `$round(s)`, `$abs(s)`, `$encodeUrl(o)`, `$reduce(a, function($x){s})`,
	} {
		e, err := Compile(t.Context(), source)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		_, err = e.Eval(context.Background(), scope)
		if err == nil {
			continue
		}
		var eval *Error
		if !errors.As(err, &eval) {
			t.Errorf("%s: %T", source, err)
			continue
		}
		if strings.Contains(eval.Message, "hunter") || strings.Contains(eval.Error(), "hunter") || eval.Message == "" || strings.Contains(eval.Message, "map[") || strings.Contains(eval.Message, "interface {}") {
			t.Errorf("%s: %q", source, eval.Message)
		}
		if eval.Code == "" || eval.Code == "internal" {
			t.Errorf("%s: code %q, %q", source, eval.Code, eval.Message)
		}
	}
}

func TestEvalErrorPlaces(t *testing.T) {
	scope := NewScope(map[string]any{"s": "x"}, nil)
	for source, want := range map[string]struct {
		code   string
		offset int
	}{
		`1 + s`:                           {"T2002", 2},
		`s + 1`:                           {"T2001", 2},
		`"a" & $number(s)`:                {"D3030", 6},
		`{"a": 1, "b": $sum(s)}`:          {"T0412", 14},
		`s + 1 + (s + 2)`:                 {"T2001", 2},
		`$previousNode(s)`:                {"T0410", 0},
		`$error("the author's " & "own")`: {"D3137", 0},
	} {
		_, err := mustCompile(t, source).Eval(context.Background(), scope)
		var eval *Error
		if !errors.As(err, &eval) || eval.Code != want.code || eval.Offset != want.offset {
			t.Errorf("%s: %+v, want %+v", source, err, want)
			continue
		}
		if strings.HasPrefix(source, "$error") && eval.Message != "the author's own" {
			t.Errorf("%s: %q", source, eval.Message)
		}
	}
}

// cancelledLater is a context that is cancelled once it was asked so many times.
type cancelledLater struct {
	context.Context

	asks, most int
	cancel     context.CancelCauseFunc
	reason     error
}

func (c *cancelledLater) Err() error {
	if c.asks++; c.asks == c.most {
		c.cancel(c.reason)
	}
	return c.Context.Err()
}

// TestJ09Cancelled holds that an evaluation looks at its context again and again, and
// ends when it finds it cancelled; the one look more is for the cause.
func TestJ09Cancelled(t *testing.T) {
	for _, source := range []string{
		`$map([1..3000], function($x){$sum([1..3000].($ * $x))})`,
		`($f := function($n){$n = 0 ? 1 : $f($n - 1) + $f($n - 1)}; $f(60))`,
		`[1..3000].([1..3000][$ = 1])`,
	} {
		e := mustCompile(t, source)
		inner, cancel := context.WithCancelCause(context.Background())
		ctx := &cancelledLater{Context: inner, most: 5, cancel: cancel, reason: errors.New("the client went away")}
		_, _, err := evalWithin(ctx, e, NewScope(nil, nil), time.Hour)
		if codeOf(err) != "cancelled" || !errors.Is(err, ctx.reason) {
			t.Errorf("%s: %v", source, err)
		}
		if ctx.asks > ctx.most+1 {
			t.Errorf("%s: went on after the cancellation, up to look %d", source, ctx.asks)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := mustCompile(t, `entry.n`).Eval(ctx, NewScope(map[string]any{"entry": 1.0}, nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("with a cancelled context: %v", err)
	}
}

func TestJ10OddResults(t *testing.T) {
	scope := NewScope(nil, nil)
	for source, want := range map[string]string{
		`nothing`:                       `undefined`,
		`$sum`:                          `error function`,
		`function($x){$x}`:              `error function`,
		`{"f": $sum}`:                   `error function`,
		`[$sum]`:                        `error function`,
		`/a/`:                           `error function`,
		`$substring(?, 1)`:              `error function`,
		`0/0`:                           `error D1001`,
		`$map([0], function($x){1/$x})`: `error D1001`,
		`null`:                          `null`,
		`[]`:                            `[]`,
		`{}`:                            `{}`,
	} {
		if got := evalText(t, source, scope); got != want {
			t.Errorf("%s is %s, want %s", source, got, want)
		}
	}
}

// TestResultIsNotTheContext holds that a result stays as it is when the owner
// changes the context afterwards.
func TestResultIsNotTheContext(t *testing.T) {
	for _, source := range []string{`$`, `$$`, `{"all": $}`, `[$, 1]`, `($x := $; {"a": {"b": [$x]}})`, `$merge([$])`, `$append([], $)`} {
		live := contextOf(t, `{"a":{"n":1},"b":2}`)
		e := mustCompile(t, source)
		v, err := e.Eval(context.Background(), NewScope(live, nil))
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		before := mustEncode(t, v)
		live["a"], live["c"] = "changed", 3.0
		if after := mustEncode(t, v); after != before {
			t.Errorf("%s was %s, is %s", source, before, after)
		}
	}
}
