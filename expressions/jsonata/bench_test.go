package jsonata

import (
	"context"
	"fmt"
	"testing"
)

// benchmarkScope is a run's context with so many items, and a history of so many
// executions of a loop.
func benchmarkScope(b testing.TB, items, executions int) *Scope {
	b.Helper()
	text := `{"entry":{"n":5,"dir":"/data/dir"},"loop":{"counter":3,"sum":6},"list":{"items":[`
	content := ""
	for i := range items {
		if i > 0 {
			text += ","
		}
		text += fmt.Sprintf(`{"id":%d,"name":"item %d","price":%d.5,"qty":%d,"tags":["red","new"],"kind":"k%d"}`, i, i, i%100, i%7, i%5)
		content += fmt.Sprintf("[FILE] f%d.txt %d KB\\n", i, i)
	}
	text += `]},"files":{"content":"` + content + `"}}`
	h := &outputs{}
	for i := range executions {
		h.add("loop", float64(i))
	}
	return NewScope(contextOf(b, text), h)
}

var benchmarkExpressions = []struct{ name, source string }{
	{"path", `$.entry.dir`},
	{"compare", `entry.n > 3`},
	{"filter", `list.items[price > 50].name`},
	{"sum", `$sum(list.items.(price * qty))`},
	{"sort", `list.items^(price).id`},
	{"strbuild", `list.items.(name & ": " & $string(price))`},
	{"mapreduce", `$reduce($map(list.items, function($v){$v.price * $v.qty}), function($a, $b){$a + $b})`},
	{"groupby", `list.items{kind: $sum(price)}`},
	{"split", `$count($split(files.content, "\n"))`},
	{"history", `{"counter": $nodeExecution("loop", -1) + 1, "sum": $executionCount("loop")}`},
	{"object", `{"dir": entry.dir, "n": entry.n + 1}`},
}

func BenchmarkEval(b *testing.B) {
	for _, size := range []struct {
		name  string
		items int
	}{{"small", 10}, {"large", 10_000}} {
		scope := benchmarkScope(b, size.items, 1000)
		for _, x := range benchmarkExpressions {
			e := mustCompile(b, x.source)
			b.Run(size.name+"/"+x.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := e.Eval(context.Background(), scope); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkNodeExecution shows that a look into a history of 50,000 executions
// costs what one into 50 costs.
func BenchmarkNodeExecution(b *testing.B) {
	e := mustCompile(b, `$nodeExecution("loop", -1)`)
	for _, n := range []int{50, 50_000} {
		scope := benchmarkScope(b, 10, n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := e.Eval(context.Background(), scope); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	for _, x := range benchmarkExpressions {
		b.Run(x.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Compile(b.Context(), x.source); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
