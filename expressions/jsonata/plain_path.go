package jsonata

import "toolgraph/expressions/value"

// pathOf is the expression as plain field names when it is no more than a path of
// them over the context, as $.entry.directory is; else nil. Such a path needs no
// engine as long as it leads through objects only.
func pathOf(tokens []token) []string {
	if len(tokens) > 2 && tokens[0].kind == tokenVariable && (tokens[0].value == "" || tokens[0].value == "$") && tokens[1].is(".") {
		tokens = tokens[2:]
	}
	if len(tokens)%2 == 0 {
		return nil
	}
	path := make([]string, 0, len(tokens)/2+1)
	for i := range tokens {
		t := &tokens[i]
		switch {
		case i%2 == 1 && t.is("."):
		case i%2 == 0 && t.kind == tokenName:
			path = append(path, t.value)
		default:
			return nil
		}
	}
	return path
}

// follow is the value at the end of the path. It is not ok when something other
// than an object lies on the way or the context itself would be the value: then
// the engine must tell.
func follow(root value.Value, path []string) (v value.Value, ok bool) {
	v = root
	for _, name := range path {
		var found bool
		switch x := v.(type) {
		case map[string]any:
			v, found = x[name]
		case value.Object:
			v, found = x.Get(name)
		default:
			return nil, false
		}
		if !found {
			return nil, true
		}
		if v == nil {
			v = value.Null
		}
	}
	if _, plain := v.(map[string]any); plain {
		return nil, false
	}
	return v, true
}
