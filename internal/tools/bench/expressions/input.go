package main

import (
	"fmt"
	"strings"

	"toolgraph/expressions"
	"toolgraph/expressions/value"
)

// input is what the subjects are evaluated over: outputs of the nodes entry and list,
// the latter with a number of items, and a history. Both sides get the same text.
type input struct {
	name    string
	items   int
	records int     // of the node add in the history
	mean    float64 // goal: the geometric mean of the ratios to node, at most
	most    float64 // goal: the highest of them, at most
	context string
}

func inputs() []*input {
	out := []*input{
		{name: "small", items: 10, records: 1000, mean: 0.25, most: 1.5},
		{name: "large", items: 10_000, records: 1000, mean: 0.08, most: 1},
	}
	for _, in := range out {
		in.context = contextOf(in.items)
	}
	return out
}

// contextOf is a context of n items, as JSON; 10,000 items are 1.4 MB.
func contextOf(n int) string {
	var items, content strings.Builder
	for i := range n {
		size := i * 7919 % 1000
		kind := []string{"txt", "csv", "md"}[i%3]
		if i > 0 {
			items.WriteByte(',')
			content.WriteString(`\n`)
		}
		fmt.Fprintf(&items, `{"id":%d,"name":"file%05d.%s","size":%d,"group":"g%d","owner":{"name":"user %d","active":%t},"tags":["t%d","all"]}`,
			i, i, kind, size, i%16, i%7, i%2 == 0, i%5)
		fmt.Fprintf(&content, "file%05d.%s %d", i, kind, size)
	}
	return `{"entry":{"options":{"depth":3},"mode":"fast","n":42},"list":{"items":[` + items.String() + `],"content":"` + content.String() + `"},"add":{"i":7,"sum":28}}`
}

// scope is the input for the expressions of toolgraph.
func (in *input) scope() (*expressions.Scope, error) {
	decoded, err := value.Decode([]byte(in.context))
	if err != nil {
		return nil, err
	}
	object, ok := decoded.(value.Object)
	if !ok {
		return nil, fmt.Errorf("the context is a %T, not an object", decoded)
	}
	context := map[string]any{}
	for _, key := range object.Keys() {
		context[key], _ = object.Get(key)
	}
	h := history{"list": {context["list"]}}
	for i := range in.records {
		h["add"] = append(h["add"], value.NewObject([]string{"i", "sum"}, []value.Value{float64(i), float64(i * i)}))
	}
	return expressions.NewScope(context, h), nil
}

// history holds the outputs of each node, of which add ran last.
type history map[string][]value.Value

// Previous implements expressions.History.
func (h history) Previous(n int) (value.Value, bool) { return h.Execution("add", -n) }

// Count implements expressions.History.
func (h history) Count(id string) int { return len(h[id]) }

// Execution implements expressions.History.
func (h history) Execution(id string, i int) (value.Value, bool) {
	all := h[id]
	if i < 0 {
		i += len(all)
	}
	if i < 0 || i >= len(all) {
		return nil, false
	}
	return all[i], true
}

// Executions implements expressions.History.
func (h history) Executions(id string) []value.Value { return h[id] }
