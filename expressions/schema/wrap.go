package schema

import "toolgraph/config"

// resultKey is the property that a wrapped value is, and resultPointer where its
// schema stands.
const (
	resultKey     = "result"
	resultPointer = "#/properties/" + resultKey
)

// wrap lists a schema as the property "result" of an object. References to
// its own parts are led to where they now stand; $schema belongs to the root.
func wrap(source *config.Data) []byte {
	dst := []byte("{")
	if dialect := source.Get("$schema"); dialect != nil {
		dst = append(append(append(dst, `"$schema":`...), dialect.JSON()...), ',')
	}
	dst = append(dst, `"type":"object","properties":{"result":`...)
	inner := withoutKey(source, "$schema")
	if source.Get("$id") == nil {
		inner = rebase(inner, resultPointer)
	}
	dst = append(dst, inner.JSON()...)
	return append(dst, `},"required":["result"]}`...)
}

func withoutKey(d *config.Data, key string) *config.Data {
	if d.Get(key) == nil {
		return d
	}
	out := &config.Data{Pos: d.Pos, Kind: d.Kind}
	for i, k := range d.Keys {
		if k.Value != key {
			out.Keys, out.Items = append(out.Keys, k), append(out.Items, d.Items[i])
		}
	}
	return out
}

// rebase is the schema with each local pointer of a $ref below the new root.
func rebase(d *config.Data, root string) *config.Data {
	if d == nil || (d.Kind != config.KindObject && d.Kind != config.KindArray) {
		return d
	}
	out := &config.Data{Pos: d.Pos, Kind: d.Kind, Keys: d.Keys, Items: make([]*config.Data, len(d.Items))}
	for i, item := range d.Items {
		out.Items[i] = item
		if d.Kind == config.KindArray {
			out.Items[i] = rebase(item, root)
			continue
		}
		switch ref, _ := item.Scalar.(string); d.Keys[i].Value {
		case "const", "enum", "default", "examples":
		case "$ref", "$dynamicRef":
			if ref == "#" || len(ref) > 1 && ref[:2] == "#/" {
				out.Items[i] = &config.Data{Pos: item.Pos, Scalar: root + ref[1:]}
			}
		default:
			out.Items[i] = rebase(item, root)
		}
	}
	return out
}
