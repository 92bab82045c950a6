package jsonata

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/recolabs/gnata"
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

// lambdaExpressions call a function of the expression for each item.
var lambdaExpressions = []struct{ name, source string }{
	{"map", `$map(items, function($v){$v.size * 2})`},
	{"mapplace", `$map(items, function($v, $i){$v.size + $i})`},
	{"mapobject", `$map(items, function($v){{"name": $v.name, "size": $v.size}})`},
	{"filter", `$filter(items, function($v){$v.size > 500})`},
	{"reduce", `$reduce(items.size, function($a, $b){$a + $b})`},
	{"mapreduce", `$reduce($map(items, function($v){$v.size * 2}), function($a, $b){$a + $b})`},
}

// BenchmarkLambdas compares them with gnata, over 10,000 objects decoded from one text.
func BenchmarkLambdas(b *testing.B) {
	items := make([]string, 10_000)
	for i := range items {
		items[i] = fmt.Sprintf(`{"id": %d, "name": "item %d", "size": %d}`, i, i, i*7919%1000)
	}
	text := `{"items": [` + strings.Join(items, ",") + `]}`
	own := mustDecode(b, text)
	other, err := gnata.DecodeJSON([]byte(text))
	if err != nil {
		b.Fatal(err)
	}
	for _, x := range lambdaExpressions {
		e := mustCompile(b, x.source)
		g, err := gnata.Compile(x.source)
		if err != nil {
			b.Fatal(err)
		}
		for name, eval := range map[string]func() error{
			"own":   func() error { _, err := e.EvalAt(b.Context(), nil, own); return err },
			"gnata": func() error { _, err := g.Eval(b.Context(), other); return err },
		} {
			b.Run(x.name+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := eval(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
