package jsonata

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"toolgraph/expressions/value"
	"toolgraph/internal/base/cost"
)

// itemsOfTest is a list of so many objects, of which each has a text as well.
func itemsOfTest(n int) *Scope {
	items := make([]any, n)
	for i := range items {
		items[i] = value.NewObject([]string{"id", "size", "name"}, []value.Value{float64(i), float64(i * 7919 % 1000), fmt.Sprint("item ", i)})
	}
	pairs := make([]any, n)
	for i := range pairs {
		pairs[i] = []any{float64(i), "text"}
	}
	lines := strings.Repeat("a line of text\n", n)
	h := &outputs{}
	for i := range n {
		h.add("loop", value.NewObject([]string{"i", "sum"}, []value.Value{float64(i), float64(2 * i)}))
	}
	return NewScope(map[string]any{"items": items, "pairs": pairs, "lines": lines, "one": items[n-1]}, h)
}

// What is done for each of 4,000 items allocates nothing but what stays of it.
func TestAllocationsOfItems(t *testing.T) {
	const n = 4000
	scope := itemsOfTest(n)
	for _, c := range []struct {
		source  string
		objects uint64
		bytes   uint64
	}{
		{`$count($map(items, function($v){$v.size * 2}))`, n / 20, 64 * n},
		{`$count($map(items, function($v, $i){$v.size + $i}))`, n / 20, 64 * n},
		{`$count($filter(items, function($v){$v.size > 500}))`, n / 20, 64 * n},
		{`$reduce(items.size, function($a, $b){$a + $b})`, n / 20, 64 * n},
		{`$count($sort(items, function($a, $b){$a.size > $b.size}))`, n / 20, 64 * n},
		{`$count($single(items, function($v){$v.id = 1}))`, n / 20, 64 * n},
		{`$count(items.{"id": id, "size": size})`, 2*n + n/20, 150 * n},
		{`$count(items.$substring(name, 0, 2))`, n + n/20, 64 * n},
		{`$count($map(items, function($v){($a := $v.size; $b := $a + 1; $b)}))`, n + n/20, 160 * n},
		{`($f := function($k, $sum){$k = 0 ? $sum : $f($k - 1, $sum + $k)}; $f(4000, 0))`, n + n/20, 128 * n},
		{`$count(items.(name & " has " & $string(size) & " bytes"))`, 4*n + n/10, 200 * n},
		{`$count($split(lines, "\n"))`, n / 20, n},
		{`pairs`, n / 20, n},
	} {
		e := mustCompile(t, c.source)
		eval := func() {
			if _, err := e.Eval(context.Background(), scope); err != nil {
				t.Fatal(err)
			}
		}
		eval()
		used := cost.Of(eval)
		for range 4 {
			again := cost.Of(eval)
			used = cost.Cost{Bytes: min(used.Bytes, again.Bytes), Objects: min(used.Objects, again.Objects)}
		}
		if raceDetector {
			continue
		}
		if used.Objects > c.objects || used.Bytes > c.bytes {
			t.Errorf("%s allocates %d bytes in %d objects, want at most %d in %d", c.source, used.Bytes, used.Objects, c.bytes, c.objects)
		}
	}
}

// An evaluation over a few values allocates the values that it makes, and hardly anything else.
func TestAllocationsOfOne(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector empties pools")
	}
	scope := itemsOfTest(4000)
	for _, c := range []struct {
		source string
		most   float64
	}{
		{`one.size > 500`, 0},
		{`$.one.size + 1`, 1},
		{`$nodeExecution("loop", -1).i`, 0},
		{`$executionCount("loop") = 0`, 1},
		{`{"size": one.size, "id": one.id}`, 2},
		{`$executionCount("loop") = 0 ? {"i": 1, "sum": 1} : {"i": $nodeExecution("loop", -1).i + 1, "sum": $nodeExecution("loop", -1).sum + $previousNode().i}`, 3},
		{`items[0].size`, 0},
		{`$.items[-1].name`, 0},
		{`($f := function($x){$x * 2}; $f(one.size))`, 4},
		{`$substring(one.name, 0, 4) = "item"`, 1},
	} {
		e := mustCompile(t, c.source)
		most := c.most
		if got := testing.AllocsPerRun(200, func() { _, _ = e.Eval(context.Background(), scope) }); got > most {
			t.Errorf("%s allocates %v objects, want at most %v", c.source, got, most)
		}
	}
}
