package value

import (
	"runtime"
	"strconv"
	"testing"

	"toolgraph/internal/base/cost"
)

// boxed is the strings as values.
func boxed(parts []string) []any {
	out := make([]any, len(parts))
	for i := range parts {
		SetString(&out[i], &parts[i])
	}
	return out
}

func TestBoxed(t *testing.T) {
	parts := make([]string, 1000)
	for i := range parts {
		parts[i] = strconv.Itoa(i)
	}
	values := boxed(parts)
	runtime.GC()
	for i, v := range values {
		if s, ok := v.(string); !ok || s != strconv.Itoa(i) {
			t.Fatalf("value %d is %#v", i, v)
		}
	}
	if values[7] != any("7") {
		t.Error("a boxed string does not equal itself")
	}
}

func TestBox(t *testing.T) {
	var b Box
	var values []any
	for i := range 1000 {
		values = append(values, b.String(strconv.Itoa(i)), b.Number(float64(i)/2))
	}
	runtime.GC()
	for i := range 1000 {
		if values[2*i] != any(strconv.Itoa(i)) || values[2*i+1] != any(float64(i)/2) {
			t.Fatalf("value %d is %#v and %#v", i, values[2*i], values[2*i+1])
		}
	}
}

func BenchmarkBoxed(b *testing.B) {
	parts := make([]string, 10_000)
	for i := range parts {
		parts[i] = strconv.Itoa(i)
	}
	b.Run("boxed", func(b *testing.B) {
		for b.Loop() {
			boxed(parts)
		}
	})
	b.Run("one by one", func(b *testing.B) {
		for b.Loop() {
			out := make([]any, len(parts))
			for i, s := range parts {
				out[i] = s
			}
		}
	})
}

// A box of few values takes little memory, since values keep their neighbours: a loop makes a box a step.
func TestBoxOfFewIsSmall(t *testing.T) {
	var kept []any
	cost.Below(t, 1000*100, func() {
		kept = make([]any, 0, 1000)
		for i := range 1000 {
			var b Box
			kept = append(kept, b.Number(float64(i)), b.Number(0.5))[:len(kept)+1]
		}
	})
	if kept[999] != any(999.0) {
		t.Error(kept[999])
	}
}
