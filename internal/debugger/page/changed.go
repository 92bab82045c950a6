package page

import (
	"net/http"

	"toolgraph/expressions/value"
)

const (
	comparedMost = 200_000 // steps of comparing a value with another
	wasShown     = 60      // bytes of the value before
	goneShown    = 20      // keys that an object does not have any more
)

// earlier is what the same place had before: of the context, at the step before; of an output, at
// the last execution of the same node. Its zero value compares with nothing.
type earlier struct {
	known bool
	value value.Value // nil: there was none
	meter *value.Meter
}

// earlierOf returns what to compare a value with when the request asks for it.
func earlierOf(r *http.Request, now runState, p place, of string) earlier {
	if r.URL.Query().Get("marks") == "" {
		return earlier{}
	}
	meter := value.NewMeter(r.Context(), &value.Limits{Steps: comparedMost})
	records := now.before(p)
	switch of {
	case "context":
		if now.isSteps(p) {
			return earlier{} // what a step sees is no matter of the step before
		}
		if n := len(records); n > 0 {
			return earlier{known: true, value: contextAt(records[:n-1]), meter: meter}
		}
	case "output":
		rec, ok := now.record(p)
		if ok && rec.Edited && p.Part != "" {
			first, _ := now.history.AsEnded(p.address())
			return earlier{known: true, value: first.Output, meter: meter}
		}
		for i := len(records) - 1; ok && i >= 0; i-- {
			if records[i].NodeID != rec.NodeID {
				continue
			}
			before, ok := now.record(place{Frame: p.Frame, At: i, Part: p.Part})
			return earlier{known: ok, value: before.Output, meter: meter}
		}
	}
	return earlier{}
}

// child returns what a part had.
func (e earlier) child(key any) earlier {
	if !e.known {
		return e
	}
	e.value = child(e.value, keyOf(key))
	return e
}

// mark says of a part of a value how it has changed.
func (e earlier) mark(out *level, v value.Value) {
	if !e.known {
		return
	}
	same, err := value.Equal(e.meter, e.value, v)
	switch {
	case same || err != nil: // or not known
	case e.value == nil:
		out.Change = "new"
	default:
		out.Change = "changed"
		if was := kindOf(e.value); was != out.Kind || out.Kind != "array" && out.Kind != "object" {
			out.Was = preview(e.value, wasShown)
		}
	}
}

// markAll marks a level and its children.
func (e earlier) markAll(out *level, v value.Value) {
	if !e.known {
		return
	}
	e.mark(out, v)
	if e.value == nil {
		return // it is new as a whole
	}
	for i := range out.Children {
		c := &out.Children[i]
		e.child(c.Key).mark(c, child(v, keyOf(c.Key)))
	}
	out.Gone = e.gone(v)
}

// keyOf returns a key of a level as a path has it.
func keyOf(key any) any {
	if i, ok := key.(int); ok {
		return float64(i)
	}
	return key
}

// gone returns the keys of what was there that are not there any more.
func (e earlier) gone(v value.Value) (keys []any) {
	if items, ok := v.([]any); ok {
		if before, _ := e.value.([]any); len(before) > len(items) {
			for i := len(items); i < min(len(before), len(items)+goneShown); i++ {
				keys = append(keys, i)
			}
		}
		return keys
	}
	object, isObject := objectOf(v)
	before, wasObject := objectOf(e.value)
	if !isObject || !wasObject {
		return nil
	}
	for _, key := range before.Keys() {
		if _, has := object.Get(key); !has && len(keys) < goneShown {
			keys = append(keys, key)
		}
	}
	return keys
}
