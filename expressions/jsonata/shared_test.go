package jsonata

import (
	"context"
	"strconv"
	"sync"
	"testing"

	"toolgraph/expressions/value"
)

func TestSharedByGoroutines(t *testing.T) {
	e := mustCompile(t, `{"n": entry.n, "sum": $sum(list.(x * $$.entry.n)), "last": $nodeExecution("loop", -1), "text": $join(list.y, $string(entry.n)), "m": $match(entry.s, /\d+/).match}`)
	path := mustCompile(t, `entry.n`)
	var running sync.WaitGroup
	for g := range 200 {
		running.Add(1)
		go func() {
			defer running.Done()
			n := float64(g)
			h := &outputs{}
			h.add("loop", n)
			list := []any{value.NewObject([]string{"x", "y"}, []value.Value{1.0, "a"}), value.NewObject([]string{"x", "y"}, []value.Value{2.0, "b"})}
			number := strconv.Itoa(g)
			scope := NewScope(map[string]any{"entry": value.NewObject([]string{"n", "s"}, []value.Value{n, "x" + number}), "list": list}, h)
			want := `{"n":` + number + `,"sum":` + strconv.Itoa(3*g) + `,"last":` + number + `,"text":"a` + number + `b","m":"` + number + `"}`
			for range 20 {
				v, err := e.Eval(context.Background(), scope)
				if err != nil {
					t.Error(err)
					return
				}
				if text, err := value.Encode(v); err != nil || string(text) != want {
					t.Errorf("%s, want %s (%v)", text, want, err)
					return
				}
				if v, err := path.Eval(context.Background(), scope); err != nil || v != n {
					t.Errorf("%v, want %v (%v)", v, n, err)
					return
				}
			}
		}()
	}
	running.Wait()
}
