package schema

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/value"
)

// defaults puts the defaults of a schema into values. It follows properties, items, allOf
// and references into the schema itself; not the branches of a choice, since only a
// validation says which of them counts.
type defaults struct {
	root    *config.Data
	anchors map[string]*config.Data
	lonely  bool // a part with $ref says nothing else, as before draft 2019-09
}

// newDefaults is nil when the schema has none.
func newDefaults(source *config.Data) *defaults {
	if !hasDefault(source) {
		return nil
	}
	d := &defaults{root: source, anchors: map[string]*config.Data{}}
	if dialect := source.Get("$schema"); dialect != nil {
		text, _ := dialect.Scalar.(string)
		d.lonely = slices.ContainsFunc([]string{"draft-04", "draft-06", "draft-07"}, func(old string) bool { return strings.Contains(text, old) })
	}
	d.findAnchors(source)
	return d
}

func hasDefault(d *config.Data) bool {
	return d != nil && (d.Get("default") != nil || slices.ContainsFunc(d.Items, hasDefault))
}

func (d *defaults) findAnchors(part *config.Data) {
	for _, key := range []string{"$anchor", "$dynamicAnchor"} {
		if name := part.Get(key); name != nil {
			if text, isText := name.Scalar.(string); isText {
				d.anchors["#"+text] = part
			}
		}
	}
	for _, item := range part.Items {
		d.findAnchors(item)
	}
}

// resolve is the part that a reference leads to; nil when it is not in this schema.
func (d *defaults) resolve(ref string) *config.Data {
	if ref == "#" {
		return d.root
	}
	if !strings.HasPrefix(ref, "#/") {
		return d.anchors[ref]
	}
	at := d.root
	for _, token := range pointer(ref) {
		if at != nil && at.Kind == config.KindArray {
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(at.Items) {
				return nil
			}
			at = at.Items[i]
			continue
		}
		at = at.Get(token)
	}
	return at
}

// applying are all parts that apply to a value to which these apply, each once.
func (d *defaults) applying(parts ...*config.Data) []*config.Data {
	var all []*config.Data
	seen := map[*config.Data]bool{}
	var add func(part *config.Data)
	add = func(part *config.Data) {
		if part == nil || part.Kind != config.KindObject || seen[part] {
			return
		}
		seen[part] = true
		all = append(all, part)
		if ref := part.Get("$ref"); ref != nil {
			if text, isText := ref.Scalar.(string); isText {
				add(d.resolve(text))
			}
			if d.lonely {
				all = slices.DeleteFunc(all, func(p *config.Data) bool { return p == part })
				return
			}
		}
		if list := part.Get("allOf"); list != nil {
			for _, one := range list.Items {
				add(one)
			}
		}
	}
	for _, part := range parts {
		add(part)
	}
	return all
}

// defaultOf is the first default of parts that apply to one value, or nil.
func defaultOf(parts []*config.Data) *config.Data {
	for _, part := range parts {
		if value := part.Get("default"); value != nil {
			return value
		}
	}
	return nil
}

// fill is the value with the defaults that its parts lack. Given keys come first. The
// value itself is not changed, and what is added is made anew each time.
func (d *defaults) fill(ctx context.Context, parts []*config.Data, v value.Value) (filled value.Value, changed bool, err error) {
	if ctx.Err() != nil {
		return nil, false, context.Cause(ctx)
	}
	switch v := v.(type) {
	case []any:
		return d.fillItems(ctx, parts, v)
	case value.Object:
		return d.fillObject(ctx, parts, v, v.Keys(), v.Get)
	case map[string]any:
		return d.fillObject(ctx, parts, v, slices.Sorted(maps.Keys(v)), func(key string) (any, bool) {
			item, has := v[key]
			return item, has
		})
	}
	return v, false, nil
}

func (d *defaults) fillObject(ctx context.Context, parts []*config.Data, object value.Value, given []string, get func(string) (any, bool)) (filled value.Value, changed bool, err error) {
	names, schemas := properties(parts)
	if len(names) == 0 {
		return object, false, nil
	}
	keys := slices.Clone(given)
	items := make([]value.Value, len(keys), len(keys)+len(names))
	for i, key := range keys {
		items[i], _ = get(key)
		if schemas[key] == nil {
			continue
		}
		var other bool
		if items[i], other, err = d.fill(ctx, d.applying(schemas[key]...), items[i]); err != nil {
			return nil, false, err
		}
		changed = changed || other
	}
	for _, name := range names {
		if _, has := get(name); has {
			continue
		}
		applying := d.applying(schemas[name]...)
		source := defaultOf(applying)
		if source == nil {
			continue
		}
		item, err := value.Decode(source.JSON())
		if err != nil { // deeper than a value may be: it is missing
			continue
		}
		if item, _, err = d.fill(ctx, applying, item); err != nil {
			return nil, false, err
		}
		keys, items, changed = append(keys, name), append(items, item), true
	}
	if !changed {
		return object, false, nil
	}
	return value.NewObject(keys, items), true, nil
}

// properties are the properties that parts declare, in the order in which they do, and
// the schemas of each.
func properties(parts []*config.Data) (names []string, schemas map[string][]*config.Data) {
	schemas = map[string][]*config.Data{}
	for _, part := range parts {
		declared := part.Get("properties")
		if declared == nil || declared.Kind != config.KindObject {
			continue
		}
		for i, key := range declared.Keys {
			if schemas[key.Value] == nil {
				names = append(names, key.Value)
			}
			schemas[key.Value] = append(schemas[key.Value], declared.Items[i])
		}
	}
	return names, schemas
}

func (d *defaults) fillItems(ctx context.Context, parts []*config.Data, list []any) (filled value.Value, changed bool, err error) {
	head, rest := itemSchemas(parts)
	if len(head) == 0 && len(rest) == 0 {
		return list, false, nil
	}
	others := d.applying(rest...)
	out := list
	for i, item := range list {
		applying := others
		if i < len(head) {
			applying = d.applying(head[i]...)
		}
		item, other, err := d.fill(ctx, applying, item)
		if err != nil {
			return nil, false, err
		}
		if !other {
			continue
		}
		if !changed {
			out, changed = slices.Clone(list), true
		}
		out[i] = item
	}
	return out, changed, nil
}

// itemSchemas are the schemas of the first items of a list, one by one, and those of
// all items after them.
func itemSchemas(parts []*config.Data) (head [][]*config.Data, rest []*config.Data) {
	for _, part := range parts {
		tuple, all := part.Get("prefixItems"), part.Get("items")
		if all != nil && all.Kind == config.KindArray { // before draft 2020-12
			tuple, all = all, part.Get("additionalItems")
		}
		own := 0
		if tuple != nil {
			own = len(tuple.Items)
			for i, one := range tuple.Items {
				if i == len(head) {
					head = append(head, slices.Clone(rest))
				}
				head[i] = append(head[i], one)
			}
		}
		if all == nil {
			continue
		}
		for i := own; i < len(head); i++ {
			head[i] = append(head[i], all)
		}
		rest = append(rest, all)
	}
	return head, rest
}
