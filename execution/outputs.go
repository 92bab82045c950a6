package execution

import (
	"slices"

	"toolgraph/expressions/value"
)

// outputs are the outputs of one node's finished executions, oldest first.
type outputs struct {
	all    []value.Value // one for each execution; nil is nothing
	values []value.Value // those of all that are not nothing; all itself while there are no others
}

// add returns the outputs with one more. O(1).
func (o outputs) add(v value.Value) outputs {
	complete := len(o.values) == len(o.all)
	o.all = append(o.all, v)
	switch {
	case complete && v == nil:
		o.values = slices.Clip(o.values) // from here on the two differ
	case complete:
		o.values = o.all
	case v != nil:
		o.values = append(o.values, v)
	}
	return o
}

// replace returns the outputs with another last one. Slices that were returned before do not
// change.
func (o outputs) replace(v value.Value) outputs {
	all := slices.Clone(o.all)
	all[len(all)-1] = v
	o = outputs{all: all, values: all}
	if slices.Contains(all, nil) {
		o.values = slices.DeleteFunc(slices.Clone(all), func(v value.Value) bool { return v == nil })
	}
	return o
}
