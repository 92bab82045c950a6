package jsonlogic

import (
	"context"
	"encoding/json"
	"sync"
	"testing"
	"time"

	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"
)

// FuzzRule compiles and evaluates whatever is JSON, as a rule and as its data.
func FuzzRule(f *testing.F) {
	for _, d := range libraryDifferences {
		f.Add(d.rule, d.data)
	}
	for _, c := range officialRules(f) {
		f.Add(string(c[0]), string(c[1]))
	}
	f.Add(`{"map":[{"var":"l"},{"var":"a[b > $ctx.c].d"}]}`, `{"l":[{"a":[{"b":1}]}],"c":0}`)
	f.Add(`{"var":"$ctx:=1"}`, `[]`)
	f.Fuzz(func(t *testing.T, source, data string) {
		var rule any
		if json.Unmarshal([]byte(source), &rule) != nil {
			return
		}
		input, err := value.Decode([]byte(data))
		if err != nil {
			return
		}
		compiled, err := Compile(t.Context(), rule)
		if err != nil {
			if err.Error() == "" {
				t.Errorf("%s: an error without words", source)
			}
			return
		}
		compiled.Constant()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		run := newRuleRun(ctx, jsonata.NewScope(map[string]any{"data": input}, nil), &ruleLimits)
		v, err := compiled.evalAt(run, &frame{element: input})
		if err != nil {
			return
		}
		if _, err := value.Encode(v); err != nil {
			t.Errorf("%s over %s: its value cannot be written: %v", source, data, err)
		}
	})
}

func TestL21OneRuleInManyGoroutines(t *testing.T) {
	rule := compiled(t, `{"and":[
		{"==":[{"reduce":[{"var":"entry.list"},{"+":[{"var":"current"},{"var":"accumulator"}]},0]},{"var":"entry.sum"}]},
		{"some":[{"var":"entry.list"},{"==":[{"var":""},{"var":"$ctx.entry.list[0]"}]}]},
		{"!":{"missing":["entry.sum","$.entry.list[1]"]}},
		{"==":[{"cat":{"map":[{"var":"entry.list"},"x"]}},{"var":"$join(entry.list.('x'), ',')"}]}]}`)
	var group sync.WaitGroup
	for g := range 8 {
		group.Go(func() {
			list := listOf(g + 2)
			sum := float64((g + 1) * (g + 2) / 2)
			scope := jsonata.NewScope(map[string]any{"entry": map[string]any{"list": list, "sum": sum}}, nil)
			for range 200 {
				if ok, err := rule.Holds(t.Context(), scope); !ok || err != nil {
					t.Errorf("goroutine %d: %v %v", g, ok, err)
					return
				}
			}
		})
	}
	group.Wait()
}

// bigContext is a context of 10,000 items.
func bigContext() *jsonata.Scope {
	items := make([]any, 10_000)
	for i := range items {
		items[i] = value.NewObject([]string{"id", "name"}, []value.Value{float64(i), "item"})
	}
	return jsonata.NewScope(map[string]any{
		"entry": value.NewObject([]string{"limit"}, []value.Value{3.0}),
		"list":  value.NewObject([]string{"items", "total"}, []value.Value{items, 10_000.0}),
	}, nil)
}

func BenchmarkRule(b *testing.B) {
	scope := bigContext()
	for name, source := range map[string]string{
		"equal":      `{"==":[{"var":"list.total"},10000]}`,
		"equalDeep":  `{"==":[{"var":"$.list.total"},{"var":"entry.limit"}]}`,
		"and":        `{"and":[{">":[{"var":"list.total"},1]},{"<":[{"var":"entry.limit"},5]}]}`,
		"expression": `{"==":[{"var":"list.items[0].id"},0]}`,
		"some":       `{"some":[{"var":"list.items"},{"==":[{"var":"id"},9999]}]}`,
		"someCtx":    `{"some":[{"var":"list.items"},{">":[{"var":"id"},{"var":"$ctx.list.total"}]}]}`,
		"reduce":     `{"reduce":[{"var":"list.items"},{"+":[{"var":"current.id"},{"var":"accumulator"}]},0]}`,
	} {
		rule := compiled(b, source)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := rule.Holds(b.Context(), scope); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	rule := parseRule(b, `{"and":[{">":[{"var":"list.total"},1]},{"<":[{"var":"entry.limit"},5]}]}`)
	for b.Loop() {
		if _, err := Compile(b.Context(), rule); err != nil {
			b.Fatal(err)
		}
	}
}
