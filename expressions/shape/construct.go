package shape

import "fmt"

// array is [a, b]: what its parts give, arrays among them spread unless they are
// written as arrays.
func (in *inferrer) array(t *tree, focus *fact) fact {
	all, filled, written := make([]Shape, 0, len(t.Parts)), false, true
	for i := range t.Parts {
		part := &t.Parts[i]
		v := in.infer(part, focus)
		written = written && v.written
		if part.Kind == "array" {
			all, filled = append(all, v.shape), true
			continue
		}
		if v.shape.IsAny() {
			all = append(all, Any())
			continue
		}
		all = append(all, v.shape.item())
		filled = filled || !v.shape.MayBeNothing() && (!v.shape.can(kindArray) || v.shape.get().filled)
	}
	return fact{shape: shapeOf(alternatives{kinds: kindArray, items: Union(all...), filled: filled}), written: written}
}

// object is {key: value}; what is nothing is left out.
func (in *inferrer) object(t *tree, focus *fact) fact {
	var fields []Field
	var parts []part
	written, r := true, closed
	for i := 0; i+1 < len(t.Parts); i += 2 {
		key := in.infer(&t.Parts[i], focus)
		in.need(key)
		v := in.infer(&t.Parts[i+1], focus)
		in.need(v)
		written = written && key.written && v.written
		if found := key.shape.without(kindNothing); !key.shape.IsAny() && found.get().kinds != 0 && !found.can(kindString) {
			in.fault(&t.Parts[i], !key.shape.MayBeNothing(), CodeWrongOperand, fmt.Sprintf("%s is %s, and the key of a field is a string", in.text(&t.Parts[i]), found), "convert it: $string(…)")
		}
		names := key.shape.get().strings
		if len(names) == 1 && key.shape.get().kinds == kindString {
			parts = append(parts, part{names[0], v})
			fields = append(fields, Field{Name: names[0], Shape: v.shape, Optional: v.shape.MayBeNothing()})
			continue
		}
		r = open
	}
	if r == open {
		// A computed key may be any name. The engine refuses the same name twice, but
		// only where both have values.
		for i := range fields {
			if fields[i].Optional {
				fields[i].Shape = Any()
			}
		}
	}
	return fact{shape: object(fields, r), written: written, parts: parts}
}
