package value

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Size is what Encode writes, for any value.
func TestSizeIsWhatEncodeWrites(t *testing.T) {
	scalar := rapid.OneOf(
		rapid.Just[any](nil), rapid.Just(Null), rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.Map(rapid.Float64(), func(f float64) any { return f }),
		rapid.Map(rapid.Int64(), func(i int64) any { return float64(i) }),
		rapid.Map(rapid.IntRange(-100, 100), func(i int) any { return float64(i) / 8 }),
		rapid.Map(rapid.String(), func(s string) any { return s }),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) any { return string(b) }),
	)
	list := rapid.Map(rapid.SliceOfN(scalar, 0, 4), func(items []any) any { return items })
	object := rapid.Map(rapid.MapOfN(rapid.String(), list, 0, 4), func(m map[string]any) any { return FromPlain(m) })
	value := rapid.OneOf(scalar, list, object)
	rapid.Check(t, func(t *rapid.T) {
		v := value.Draw(t, "value")
		text, err := Encode(v)
		if err != nil {
			t.Skip("not finite")
		}
		if got := Size(v); got != len(text) {
			t.Fatalf("Size is %d, and Encode writes %d: %q", got, len(text), text)
		}
	})
	for _, f := range []float64{0, 1, -1, 9, 10, 99, 1e15, 1e20, 1e21, 1e-6, 1e-7, 123456.789, -0.1, 5e-324, 1.7976931348623157e308} {
		if text, _ := Encode(f); Size(f) != len(text) {
			t.Errorf("%v: Size is %d, Encode writes %s", f, Size(f), text)
		}
	}
}

// Exceeds agrees with Size, and does not look at what comes after the last byte that is allowed.
func TestExceeds(t *testing.T) {
	long := strings.Repeat("long é \n", 1000)
	many := make([]any, 1000)
	for i := range many {
		many[i] = long
	}
	for _, v := range []Value{nil, true, 12.5, "é\"", long, many[:3], NewObject([]string{"a", "ü"}, []Value{many[:2], map[string]any{"b": long}}), []any{}, map[string]any{}} {
		size := Size(v)
		for _, most := range []int{0, 1, size / 2, size - 1, size, size + 1} {
			if got := Exceeds(v, most); got != (size > most) {
				t.Errorf("%d bytes exceed %d: %v", size, most, got)
			}
		}
	}
	var nested any = many
	for range 8 { // 1000 to the 9th of the long texts
		level := make([]any, 1000)
		for i := range level {
			level[i] = nested
		}
		nested = level
	}
	if !Exceeds(nested, 1<<20) {
		t.Error("a value that nothing could hold as text does not exceed a megabyte")
	}
}
