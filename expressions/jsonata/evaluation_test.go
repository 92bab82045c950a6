package jsonata

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"toolgraph/expressions/value"
)

// An evaluation that has ended leaves nothing to the next one, also when it has failed in the middle of calls.
func TestEvaluationsShareNothing(t *testing.T) {
	failing := mustCompile(t, `($a := 1; $f := function($x){$x.b}; $join(["a", $f({"b": "c"}), $string($f($error("stop")))], $a))`)
	assigning := mustCompile(t, `$a := 5`)
	reading := mustCompile(t, `[$a, $x, $exists($f), $count([$a])]`)
	for range 100 {
		if _, err := failing.Eval(t.Context(), NewScope(nil, nil)); codeOf(err) != "D3137" {
			t.Fatal(err)
		}
		if v, err := assigning.Eval(t.Context(), NewScope(nil, nil)); v != 5.0 || err != nil {
			t.Fatal(v, err)
		}
		v, err := reading.Eval(t.Context(), NewScope(nil, nil))
		if got := mustEncode(t, v); err != nil || got != `[false,0]` {
			t.Fatalf("got %s, %v", got, err)
		}
	}
}

// Evaluations of several goroutines do not meet, nor those of functions of the host within another one.
func TestEvaluationsInEachOther(t *testing.T) {
	inner := mustCompile(t, `$map([1..3], function($v){$v * $k})`)
	outer, err := Compile(t.Context(), `$map([1..50], function($k){$sum($inner($k)) + $k})`, Options{Functions: map[string]Function{
		"inner": func(ctx context.Context, args []Value) (Value, error) {
			scope := NewScope(nil, nil)
			scope.Variables = map[string]value.Value{"k": args[0]}
			return inner.Eval(ctx, scope)
		},
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := make([]any, 50)
	for i := range want {
		want[i] = float64(7 * (i + 1))
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 50 {
				if v, err := outer.Eval(context.Background(), NewScope(nil, nil)); err != nil || !value.Same(v, want) {
					t.Errorf("got %v, %v", v, err)
				}
			}
		})
	}
	all.Wait()
}

// What an evaluation refers to is not kept in memory for the next one.
func TestEvaluationEnds(t *testing.T) {
	ev := &evaluation{scope: NewScope(nil, nil), clock: time.Now()}
	stack := append(ev.machine.stack.Reserve(1), "argument")
	ev.top.bind("a", 1.0)
	ev.end()
	if ev.scope != nil || !ev.clock.IsZero() || ev.top.names != nil || stack[0] != nil {
		t.Errorf("it still refers to %v, %v, %v, %v", ev.scope, ev.clock, ev.top, stack)
	}
}

// A text that an evaluation has made does not keep longer ones in memory, of which another value was a part.
func TestMadeTextsAreAlone(t *testing.T) {
	e := mustCompile(t, `{"made": "x" & "y", "part": $substring(t, 0, 3) & ""}`)
	heap := func() uint64 {
		var stats runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	kept, before := []any(nil), heap()
	for range 50 {
		v, err := e.Eval(t.Context(), NewScope(map[string]any{"t": strings.Repeat("long ", 1<<18)}, nil))
		if err != nil {
			t.Fatal(err)
		}
		made, _ := v.(value.Object).Get("made")
		kept = append(kept, made)
	}
	if grown := int64(heap()) - int64(before); grown > 10<<20 || kept[49] != "xy" {
		t.Errorf("%d texts of two bytes take %d bytes", len(kept), grown)
	}
}

// Bindings of one tuple do not see what others of it bind.
func TestBindingsOfOneTuple(t *testing.T) {
	shared := &tuple{names: append(make([]binding, 0, 4), binding{"i", 0.0})}
	one, other := bindingsOf(nil, shared), bindingsOf(nil, shared)
	one.bind("x", 1.0)
	other.bind("x", 2.0)
	if got, _ := one.lookup("x"); got != 1.0 {
		t.Errorf("$x is %v", got)
	}
}
