package jsonata

import (
	"encoding/json"
	"math"
)

// filter keeps the items of a value for which the predicate is true, or whose index it
// returns.
func (m *machine) filter(predicate *node, value any, env *bindings) (any, error) {
	results := &list{sequence: true}
	if l, ok := value.(*list); ok {
		results.stream = l.stream
	}
	items, ok := itemsOf(value)
	if !ok {
		items = []any{value}
	}
	if index, ok := predicate.value.(float64); ok && predicate.kind == nodeLiteral {
		item := at(items, index)
		if found, ok := itemsOf(item); ok && item != nil {
			if l, isList := item.(*list); isList {
				return l, nil
			}
			return found, nil
		}
		if item != nil {
			results.items = []any{item}
		}
		return results, nil
	}
	for i, item := range items {
		context, inner := item, env
		if t, ok := item.(*tuple); ok && results.stream {
			context, inner = t.value, bindingsOf(env, t)
		}
		result, err := m.eval(predicate, context, inner)
		if err != nil {
			return nil, err
		}
		for range selections(result, i, len(items)) {
			results.items = append(results.items, item)
		}
	}
	return results, nil
}

// at is the item at the index, which counts from the end when negative; nil when the index
// is out of range.
func at(items []any, index float64) any {
	i := math.Floor(index)
	if i < 0 {
		i += float64(len(items))
	}
	if i < 0 || i >= float64(len(items)) {
		return nil
	}
	return items[int(i)]
}

// selections is how often a predicate's result selects the i-th of n items: numbers
// select by index, anything else by its truth.
func selections(result any, i, n int) int {
	switch x := result.(type) {
	case bool:
		if x {
			return 1
		}
		return 0
	case float64, json.Number:
		f, _ := number(x)
		return selects(f, i, n)
	}
	if items, ok := itemsOf(result); ok && allNumbers(items) {
		selected := 0
		for _, item := range items {
			f, _ := number(item)
			selected += selects(f, i, n)
		}
		return selected
	}
	if truth(result) {
		return 1
	}
	return 0
}

// selects is 1 when the index f, which counts from the end when negative, is i.
func selects(f float64, i, n int) int {
	if f = math.Floor(f); f < 0 {
		f += float64(n)
	}
	if f == float64(i) {
		return 1
	}
	return 0
}

func allNumbers(items []any) bool {
	for _, item := range items {
		if _, ok := number(item); !ok {
			return false
		}
	}
	return true
}
