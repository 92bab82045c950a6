package jsonata

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"toolgraph/expressions/value"
)

// sharing builds the variables of the tests: values of depth 60 whose parts are shared, so that they have
// 2^60 parts when they are walked. Those in capitals are the same, built again.
const sharing = `(
	$list := function($n, $v){$n = 0 ? $v : $list($n - 1, [[$v], [$v]])};
	$object := function($n, $v){$n = 0 ? $v : $object($n - 1, {"a": $v, "b": $v})};
	$mixed := function($n, $v){$n = 0 ? $v : $mixed($n - 1, [{"a": $v}, {"a": $v}])};
	{"x": $list(60, [1]), "X": $list(60, [1]), "e": $list(60, []), "f": $list(60, [false]), "t": $list(60, ["aa"]),
	 "o": $object(60, 1), "O": $object(60, 1), "z": $object(60, 2), "m": $mixed(60, {"a": 1}), "M": $mixed(60, {"a": 1})}
)`

// sharedVariables evaluates sharing once.
func sharedVariables(t *testing.T) *bindings {
	t.Helper()
	v, err := mustCompile(t, sharing).EvalShared(t.Context(), NewScope(nil, nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	o, _ := value.ObjectOf(v)
	out := &bindings{}
	for _, name := range o.Keys() {
		item, _ := o.Get(name)
		out.bind(name, item)
	}
	return out
}

// meteredForms are the operators, and the other forms in which values A and B meet.
var meteredForms = []string{
	`A = B`, `A != B`, `A in B`, `A < B`, `A <= B`, `A > B`, `A >= B`, `A & B`, `A + B`, `A - B`, `A * B`, `A / B`, `A % B`, `[A..B]`,
	`A and B`, `A or B`, `A ?? B`, `A ?: B`, `A ? B : 1`, `-A`, `[A, B]`, `{"k": A, "l": B}`, `A.B`, `A.a`, `A.a.a.a`, `A.*`, `A.**`, `A.**.**`,
	`A[B]`, `A[0]`, `A[a = B]`, `A[$ = B]`, `A{"k": B}`, `A{$string(a): $}`, `A^($)`, `A^(a)`, `A.a^(a)`, `A@$i.B`, `A#$i.[$i, B]`, `A.a.%.a`,
	`A ~> |$|{"n": B}|`, `A ~> |**|{"n": 1}, "a"|`, `A ~> $string`, `A ~> function($i){$i = B}`, `($v := A; $v = B)`, `A[]`, `A.a[]`, `A.{"k": $}`, `A.[$]`,
	`A`, `[A]`, `{"k": A}`, `$map([1..3], function($i){A})`,
}

// meteredCalls are calls of every function in the table with such values.
func meteredCalls() (calls []string) {
	first := []string{"$x", "$o", "$e", "$f", "$t", "$m", "[$x, $o]", "$string"}
	second := []string{"", ", $X", ", $O", `, "a"`, ", 1", ", /a/", ", function($a){$a}", ", function($a, $b){$a = $b}"}
	third := []string{"", `, "b"`, ", 3", ", $m"}
	for _, name := range functionNames() {
		for _, a := range first {
			for _, b := range second {
				for _, c := range third {
					if b != "" || c == "" {
						calls = append(calls, "$"+name+"("+a+b+c+")")
					}
				}
			}
		}
		// Also with a context, as the first argument of some functions is by default.
		calls = append(calls, "$x.$"+name+"()", "$o.$"+name+"()")
	}
	for _, form := range meteredForms {
		for _, a := range []string{"$x", "$o", "$e", "$f", "$m"} {
			for _, b := range []string{"$X", "$O", "$M", "$z"} {
				if call := strings.NewReplacer("A", a, "B", b).Replace(form); strings.Contains(form, "B") || b == "$X" {
					calls = append(calls, call)
				}
			}
		}
	}
	return calls
}

// stepsOfTest is far more than any small work takes.
const stepsOfTest = 150_000

// guarded ends the process with the name of what hangs or takes too much memory: a walk that is not
// charged never ends by itself.
func guarded(t *testing.T) (now func(source string)) {
	t.Helper()
	sources, done := make(chan string), make(chan struct{})
	t.Cleanup(func() { close(done) })
	go func() {
		source, hang := "", time.NewTimer(time.Minute)
		memory := time.NewTicker(200 * time.Millisecond)
		for {
			select {
			case source = <-sources:
				hang.Reset(time.Minute)
			case <-hang.C:
				panic("this does not end: " + source)
			case <-memory.C:
				var stats runtime.MemStats
				if runtime.ReadMemStats(&stats); stats.HeapAlloc > 2<<30 {
					panic("this takes too much memory: " + source)
				}
			case <-done:
				return
			}
		}
	}()
	return func(source string) { sources <- source }
}

// X01: every operator and every function ends within a bounded number of steps on values that share
// their parts; and at the next look at a context that is cancelled in the middle.
func TestX01SharedParts(t *testing.T) {
	variables, now := sharedVariables(t), guarded(t)
	limits := value.Limits{Steps: stepsOfTest}
	scope := NewScope(nil, nil)
	ended := 0
	for _, source := range meteredCalls() {
		e, err := Compile(t.Context(), source)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		now(source)
		ev := evaluation{Meter: value.MakeMeter(t.Context(), &limits), scope: scope}
		_, err = e.run(&ev, nil, &bindings{outer: variables}, value.MaxBytes)
		var failed *Error
		switch {
		case err != nil && !errors.As(err, &failed):
			t.Errorf("%s: %v", source, err)
		case ev.Steps() > 2*stepsOfTest:
			t.Errorf("%s ended after %d steps", source, ev.Steps())
		case codeOf(err) == "steps":
			ended++
		}
		inner, cancel := context.WithCancelCause(t.Context())
		gone := errors.New("the client went away")
		ctx := &cancelledLater{Context: inner, most: 4, cancel: cancel, reason: gone}
		ev = evaluation{Meter: value.MakeMeter(ctx, &limits), scope: scope}
		_, err = e.run(&ev, nil, &bindings{outer: variables}, value.MaxBytes)
		if ctx.asks >= ctx.most && (codeOf(err) != "cancelled" || !errors.Is(err, gone) || ctx.asks > ctx.most+1) { // one look is for the cause
			t.Errorf("%s: it was cancelled, got %v after %d more looks", source, err, ctx.asks-ctx.most)
		}
		cancel(nil)
	}
	if ended < 100 {
		t.Errorf("the meter ended %d evaluations only: do the values still share their parts?", ended)
	}
}

// Parts that are equal are compared once, whether they are the same in memory or not, and the results are
// right.
func TestX01SharedPartsAreComparedOnce(t *testing.T) {
	variables, now := sharedVariables(t), guarded(t)
	for source, want := range map[string]bool{
		`$x = $x`: true, `$x = $X`: true, `$o = $O`: true, `$m = $M`: true, `$o = $z`: false, `$x = $o`: false, `$x != $X`: false, `$o != $z`: true,
		`[$o, $x] = [$O, $X]`: true, `$o in [$O]`: false, `$o in [$O, $o]`: true, `$x = $e`: false,
	} {
		now(source)
		ev := evaluation{Meter: value.MakeMeter(t.Context(), &value.Limits{Steps: stepsOfTest}), scope: NewScope(nil, nil)}
		got, err := mustCompile(t, source).run(&ev, nil, &bindings{outer: variables}, value.MaxBytes)
		if err != nil || got != want || ev.Steps() > 2000 {
			t.Errorf("%s is %v, want %v, after %d steps (%v)", source, got, want, ev.Steps(), err)
		}
	}
}

// Every function is charged for the length of its arguments.
func TestX01LongArguments(t *testing.T) {
	numbers, texts := make([]any, 100_000), make([]any, 100_000)
	for i := range numbers {
		numbers[i], texts[i] = float64(i), "text"
	}
	variables := &bindings{}
	variables.bind("n", numbers)
	variables.bind("t", texts)
	variables.bind("s", strings.Repeat("word ", 200_000))
	now := guarded(t)
	for _, name := range functionNames() {
		for _, arg := range []string{"$n", "$t", "$s"} {
			source := fmt.Sprintf("$%s(%s)", name, arg)
			now(source)
			ev := evaluation{Meter: value.MakeMeter(t.Context(), &value.Limits{Time: time.Minute}), scope: NewScope(nil, nil)}
			_, err := mustCompile(t, source).run(&ev, nil, &bindings{outer: variables}, value.MaxBytes)
			if ev.Steps() < 3000 {
				t.Errorf("%s: %d steps, %v", source, ev.Steps(), err)
			}
		}
	}
}

// A result that holds its parts so often that nothing could hold it as JSON is an error at once.
func TestX01ResultTooLarge(t *testing.T) {
	for _, source := range []string{`$x`, `{"o": $o}`, `[$m, 1]`} {
		ev := evaluation{Meter: value.MakeMeter(t.Context(), &value.Limits{Steps: stepsOfTest}), scope: NewScope(nil, nil)}
		_, err := mustCompile(t, source).run(&ev, nil, &bindings{outer: sharedVariables(t)}, value.MaxBytes)
		if codeOf(err) != "size" || !strings.Contains(err.Error(), "more than 256 MiB as JSON") {
			t.Errorf("%s: %v", source, err)
		}
	}
}
