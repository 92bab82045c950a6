package jsonlogic

import (
	"fmt"
	"math"

	"toolgraph/expressions/value"
)

// finish returns a value that may leave the evaluation: null for undefined and for numbers that
// JSON does not have, 0 for -0, and of bounded size. A rule can put one array into another twice,
// again and again: the value is cheap to make, but exponentially large as JSON.
func (r *ruleRun) finish(v value.Value) (value.Value, error) {
	if r.Bytes() == 0 && !r.odd {
		return v, nil
	}
	f := finisher{run: r}
	v, _, err := f.value(v, 0)
	return v, err
}

type finisher struct {
	run   *ruleRun
	bytes int
}

// value is v as it may leave, and whether that is something else than v.
func (f *finisher) value(v value.Value, depth int) (value.Value, bool, error) {
	if err := f.run.spend(1); err != nil {
		return nil, false, err
	}
	if depth > ruleValueDepth {
		return nil, false, tooDeep()
	}
	switch x := v.(type) {
	case float64:
		switch {
		case math.IsNaN(x) || math.IsInf(x, 0):
			return value.Null, true, nil
		case x == 0 && math.Signbit(x):
			return 0.0, true, nil
		}
		return v, false, nil
	case undefined:
		return value.Null, true, nil
	case []any:
		return f.array(x, depth)
	case map[string]any:
		return f.object(x, depth)
	}
	size, within := value.SizeWithin(&f.run.Meter, v, ruleTotalBytes-f.bytes)
	if f.run.Cause() != nil {
		return nil, false, f.run.failure()
	}
	if f.bytes += size; !within {
		return nil, false, ruleLimit("size", fmt.Sprintf("value size limit: the rule's value has more than %d bytes", ruleTotalBytes))
	}
	return v, false, nil
}

// array copies only where an element changes: arrays of data have many owners.
func (f *finisher) array(items []any, depth int) (value.Value, bool, error) {
	var copied []any
	for i, item := range items {
		v, changed, err := f.value(item, depth+1)
		if err != nil {
			return nil, false, err
		}
		if changed && copied == nil {
			copied = append(make([]any, 0, len(items)), items[:i]...)
		}
		if copied != nil {
			copied = append(copied, v)
		}
	}
	if copied != nil {
		return copied, true, nil
	}
	return items, false, nil
}

func (f *finisher) object(fields map[string]any, depth int) (value.Value, bool, error) {
	var copied map[string]any
	for key, item := range fields {
		f.bytes += len(key)
		v, changed, err := f.value(item, depth+1)
		if err != nil {
			return nil, false, err
		}
		if !changed {
			continue
		}
		if copied == nil {
			copied = make(map[string]any, len(fields))
			for k, other := range fields {
				copied[k] = other
			}
		}
		copied[key] = v
	}
	if copied != nil {
		return copied, true, nil
	}
	return fields, false, nil
}
