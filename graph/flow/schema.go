package flow

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"
)

// upstreamSchema is an upstream tool's inputSchema, to be gone through part by part.
type upstreamSchema struct {
	root map[string]any // nil when it is not known
}

func newUpstreamSchema(t Tool) upstreamSchema {
	decoder := json.NewDecoder(bytes.NewReader(t.InputSchema))
	decoder.UseNumber()
	var root map[string]any
	if decoder.Decode(&root) != nil {
		return upstreamSchema{}
	}
	return upstreamSchema{root}
}

// resolved follows references to definitions of the schema.
func (u *upstreamSchema) resolved(s map[string]any) map[string]any {
	for range 8 {
		ref, isRef := s["$ref"].(string)
		if !isRef {
			return s
		}
		var at any = u.root
		for _, step := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
			m, _ := at.(map[string]any)
			at = m[step]
		}
		next, isObject := at.(map[string]any)
		if !isObject {
			return map[string]any{}
		}
		s = next
	}
	return map[string]any{}
}

// document is a part of the schema as a schema of its own.
func (u *upstreamSchema) document(s map[string]any) []byte {
	whole := maps.Clone(s)
	for _, name := range []string{"$defs", "definitions", "$schema"} {
		if part, has := u.root[name]; has && whole[name] == nil {
			whole[name] = part
		}
	}
	raw, err := json.Marshal(whole)
	if err != nil {
		return []byte("{}")
	}
	return raw
}
