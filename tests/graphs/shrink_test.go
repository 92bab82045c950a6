package graphs

import (
	"encoding/json"
	"slices"

	"toolgraph/expressions/value"
)

// shrink makes the pair of a difference smaller for as long as it is the same
// difference: the same kinds of answers, and of the same kind or of none.
func (c *comparer) shrink(d *difference) {
	class := classOf(d.ours, d.theirs)
	tries := 0
	same := func(p pair) bool {
		if tries++; tries > 3000 || hangsReference(p.source.String()) {
			return false
		}
		ours, theirs := p.evaluated(c.ctx), p.theirs(c.r)
		if ours.agrees(theirs) || classOf(ours, theirs) != class || kindOf(p, ours, theirs) != d.kind {
			return false
		}
		d.ours, d.theirs = ours, theirs
		return true
	}
	p := *d.pair
	for range 4 {
		before := len(p.source.String()) + sizeOf(p.records)
		p = shrinkSource(p, same)
		p = shrinkRecords(p, same)
		if len(p.source.String())+sizeOf(p.records) == before {
			break
		}
	}
	d.pair = &p
}

// classOf is what kinds of answers differ.
func classOf(ours, theirs answer) string {
	class := func(a answer) string {
		switch {
		case a.Error != "":
			return "error"
		case a.Nothing:
			return "nothing"
		}
		return "value"
	}
	return class(ours) + "/" + class(theirs)
}

func sizeOf(records []record) int {
	n := 0
	for _, r := range records {
		n += len(r.Node) + len(r.Value) + 4
	}
	return n
}

// shrinkSource puts parts of terms, or plain values, in the places of terms.
func shrinkSource(p pair, same func(pair) bool) pair {
	for again := true; again; {
		again = false
		for _, at := range paths(p.source, nil) {
			whole := termAt(p.source, at)
			for _, smaller := range candidates(whole) {
				next := p
				next.source = replaced(p.source, at, smaller)
				if len(next.source.String()) < len(p.source.String()) && same(next) {
					p, again = next, true
					break
				}
			}
			if again {
				break
			}
		}
	}
	return p
}

// paths are the ways to all terms, the outermost first.
func paths(t *term, at []int) [][]int {
	all := [][]int{slices.Clone(at)}
	for i, inner := range t.terms {
		all = append(all, paths(inner, append(at, i))...)
	}
	return all
}

func termAt(t *term, at []int) *term {
	for _, i := range at {
		t = t.terms[i]
	}
	return t
}

func replaced(t *term, at []int, by *term) *term {
	if len(at) == 0 {
		fresh := *by
		fresh.hole = t.hole
		return &fresh
	}
	fresh := *t
	fresh.terms = slices.Clone(t.terms)
	fresh.terms[at[0]] = replaced(t.terms[at[0]], at[1:], by)
	return &fresh
}

// candidates are what may take the place of a term: plain values and its own parts.
func candidates(t *term) []*term {
	var all []*term
	for _, text := range []string{"1", `"a"`, "[]", "null", "true"} {
		if text != t.String() {
			all = append(all, literalTerm(text))
		}
	}
	for _, at := range paths(t, nil)[1:] {
		inner := termAt(t, at)
		if inner.hole.isRule() == t.hole.isRule() {
			all = append(all, inner)
		}
	}
	return all
}

// shrinkRecords drops records and parts of their values.
func shrinkRecords(p pair, same func(pair) bool) pair {
	for i := 0; i < len(p.records); {
		next := p
		next.records = slices.Delete(slices.Clone(p.records), i, i+1)
		if same(next) {
			p = next
		} else {
			i++
		}
	}
	for i := range p.records {
		if p.records[i].Value == nil {
			continue
		}
		v, err := value.Decode(p.records[i].Value)
		if err != nil {
			continue
		}
		p.records = slices.Clone(p.records)
		try := func(smaller value.Value) bool {
			text, err := value.Encode(smaller)
			if err != nil {
				return false
			}
			next := p
			next.records = slices.Clone(p.records)
			next.records[i].Value = json.RawMessage(text)
			if !same(next) {
				return false
			}
			p = next
			return true
		}
		shrinkValue(v, try)
	}
	return p
}

// shrinkValue drops what it can from a value; try takes the whole value and reports
// whether it still shows the difference.
func shrinkValue(v value.Value, try func(value.Value) bool) value.Value {
	switch x := v.(type) {
	case []any:
		for i := len(x) - 1; i >= 0; i-- {
			if less := slices.Delete(slices.Clone(x), i, i+1); try(less) {
				x = less
			}
		}
		for i := range x {
			whole := slices.Clone(x)
			x[i] = shrinkValue(x[i], func(item value.Value) bool {
				with := slices.Clone(whole)
				with[i] = item
				return try(with)
			})
		}
		return x
	case value.Object:
		return shrinkObject(x, try)
	case string:
		if x != "a" && try("a") {
			return "a"
		}
	case float64:
		if x != 1 && try(1.0) {
			return 1.0
		}
	}
	return v
}

func shrinkObject(x value.Object, try func(value.Value) bool) value.Value {
	keys := slices.Clone(x.Keys())
	values := make([]value.Value, len(keys))
	for i, key := range keys {
		values[i], _ = x.Get(key)
	}
	for i := len(keys) - 1; i >= 0; i-- {
		k, v := slices.Delete(slices.Clone(keys), i, i+1), slices.Delete(slices.Clone(values), i, i+1)
		if try(value.NewObject(k, v)) {
			keys, values = k, v
		}
	}
	for i := range values {
		whole := slices.Clone(values)
		values[i] = shrinkValue(values[i], func(item value.Value) bool {
			with := slices.Clone(whole)
			with[i] = item
			return try(value.NewObject(slices.Clone(keys), with))
		})
	}
	return value.NewObject(keys, values)
}
