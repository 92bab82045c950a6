package habit

import (
	"slices"
	"strings"

	"toolgraph/expressions/value"
)

// filter returns the filter that the taken items pass, and no others; "" when none is found.
func (m *maker) filter(items [][]value.Value, taken [][]bool) string {
	var in, out []value.Value
	for i := range items {
		for at, item := range items[i] {
			if taken[i][at] {
				in = append(in, item)
			} else {
				out = append(out, item)
			}
		}
	}
	if len(in) == 0 {
		return ""
	}
	if texts := textsOf(in); texts != nil {
		if others := textsOf(out); others != nil {
			if filter := textFilter(texts, others); filter != "" {
				return filter
			}
		}
	}
	if filter := fieldFilter(in, out); filter != "" {
		return filter
	}
	return firstItems(taken)
}

// textsOf returns values that are all texts; nil when one is not.
func textsOf(values []value.Value) (texts []string) {
	for _, v := range values {
		text, isText := v.(string)
		if !isText {
			return nil
		}
		texts = append(texts, text)
	}
	return texts
}

// textFilter returns the filter of texts that have something in common that the others do not.
func textFilter(in, out []string) string {
	if !slices.ContainsFunc(out, func(text string) bool { return text != "" }) {
		return `[$ != ""]`
	}
	start, end := in[0], in[0]
	for _, text := range in[1:] {
		start, end = sharedStart(start, text), sharedEnd(end, text)
	}
	marks := []string{start, end, strings.TrimRight(start, "0123456789")}
	for word := range strings.FieldsSeq(in[0]) {
		marks = append(marks, word)
	}
	marks = append(marks, strings.FieldsFunc(in[0], func(r rune) bool { return !strings.ContainsRune("[](){}|:*#-=>", r) })...)
	slices.SortStableFunc(marks, func(a, b string) int { return markerRank(a)/100 - markerRank(b)/100 }) // without digits first
	for _, mark := range marks {
		if mark != "" && apart(in, out, func(text string) bool { return strings.Contains(text, mark) }) {
			return "[$contains($, " + Quoted(mark) + ")]"
		}
	}
	if apart(in, out, func(text string) bool { return strings.ContainsAny(text, "0123456789") }) {
		return `[$contains($, /\d/)]`
	}
	return ""
}

// apart reports whether all of the first and none of the second pass.
func apart[T any](in, out []T, pass func(T) bool) bool {
	return !slices.ContainsFunc(in, func(one T) bool { return !pass(one) }) && !slices.ContainsFunc(out, pass)
}

// fieldFilter returns the filter of objects with one value of a field, with a number above or below those of the others,
// or without the value of the others.
func fieldFilter(in, out []value.Value) string {
	object, isObject := value.ObjectOf(in[0])
	if !isObject {
		return ""
	}
	for _, key := range object.Keys() {
		want, _ := object.Get(key)
		is := func(item value.Value) bool { return value.Same(member(item, key), want) }
		if literal := scalarText(want); literal != "" && apart(in, out, is) {
			return "[" + nameText(key) + " = " + literal + "]"
		}
	}
	if filter := numberFilter(object, in, out); filter != "" {
		return filter
	}
	for _, key := range object.Keys() {
		other := member(out[0], key)
		not := func(item value.Value) bool { return !value.Same(member(item, key), other) }
		if literal := scalarText(other); literal != "" && apart(in, out, not) {
			return "[" + nameText(key) + " != " + literal + "]"
		}
	}
	return ""
}

// numberFilter returns the filter of objects with a field above, or below, that of all others.
func numberFilter(object value.Object, in, out []value.Value) string {
	for _, key := range object.Keys() {
		lowest, highest, numbers := bounds(in, key)
		low, high, others := bounds(out, key)
		switch {
		case !numbers || !others:
		case lowest > high:
			return "[" + nameText(key) + " > " + value.NumberText(high) + "]"
		case highest < low:
			return "[" + nameText(key) + " < " + value.NumberText(low) + "]"
		}
	}
	return ""
}

// bounds returns the least and the greatest number of a field; false when an item has none.
func bounds(items []value.Value, key string) (lowest, highest float64, ok bool) {
	for i, item := range items {
		n, isNumber := member(item, key).(float64)
		if !isNumber {
			return 0, 0, false
		}
		if i == 0 {
			lowest, highest = n, n
		}
		lowest, highest = min(lowest, n), max(highest, n)
	}
	return lowest, highest, len(items) > 0
}

// scalarText returns a scalar as JSONata writes it; "" for other values.
func scalarText(v value.Value) string {
	switch v := v.(type) {
	case string:
		return Quoted(v)
	case bool, float64:
		return shown(v)
	}
	return ""
}

// firstItems returns the filter of the first items, where these were taken in every job, and as many.
func firstItems(taken [][]bool) string {
	most := -1
	for _, picked := range taken {
		n := 0
		for n < len(picked) && picked[n] {
			n++
		}
		if slices.Contains(picked[n:], true) || most >= 0 && n != most || n < 2 {
			return ""
		}
		most = n
	}
	return "[[0.." + value.NumberText(float64(most-1)) + "]]"
}
