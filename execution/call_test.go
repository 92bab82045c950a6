package execution_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// A call survives its JSON form whole: digits of numbers and the order of keys too.
func TestCallLosesNothing(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 1))
		call := execution.Call{
			Run: text(r), Index: r.IntN(1e6), Node: text(r), Server: text(r), Tool: text(r),
			Args: []value.Value{nil, anyObject(r, 3), anyValue(r, 3)}[r.IntN(3)],
		}
		if n := r.IntN(4); n > 0 {
			call.Meta = map[string]any{}
			for range n - 1 {
				call.Meta[text(r)] = anyValue(r, 2)
			}
		}
		src, err := json.Marshal(call)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		var got execution.Call
		if err := json.Unmarshal(src, &got); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, src)
		}
		again, err := json.Marshal(got)
		if err != nil || string(again) != string(src) {
			t.Fatalf("seed %d: %v\n%s\n%s", seed, err, src, again)
		}
		if !reflect.DeepEqual(got, call) {
			t.Fatalf("seed %d: %#v is not %#v\n%s", seed, got, call, src)
		}
	}
}

func TestCallWithBadMeta(t *testing.T) {
	for _, src := range []string{`{"meta": 1}`, `{"meta": null}`} {
		if err := json.Unmarshal([]byte(src), new(execution.Call)); err == nil {
			t.Errorf("%s is a call", src)
		}
	}
}

func anyValue(r *rand.Rand, depth int) value.Value {
	kinds := 7
	if depth == 0 {
		kinds = 5
	}
	switch r.IntN(kinds) {
	case 0:
		return value.Null
	case 1:
		return r.IntN(2) == 0
	case 2:
		return text(r)
	case 3:
		return []float64{0, -1.5, 1e-7, 1e300, float64(r.IntN(1 << 30)), r.Float64()}[r.IntN(6)]
	case 4:
		return json.Number(fmt.Sprintf("9%d", r.Uint64()>>1|1<<62)) // more digits than a float64 has
	case 5:
		items := []any{}
		for range r.IntN(4) {
			items = append(items, anyValue(r, depth-1))
		}
		return items
	}
	return anyObject(r, depth)
}

func anyObject(r *rand.Rand, depth int) value.Value {
	object := value.NewMap()
	for range r.IntN(12) {
		object.Set(text(r), anyValue(r, depth-1))
	}
	return object
}

func text(r *rand.Rand) string {
	all := []string{"", "a", "b", "é", "\"", "\\", "\n", "\u2028", "<&>", "𝄞", "z", "toolgraph/idempotencyKey"}
	s := ""
	for range r.IntN(4) {
		s += all[r.IntN(len(all))]
	}
	return s
}
