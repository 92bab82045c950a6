package schema

import (
	"context"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/value"
)

// resolver follows the references of a schema into the schema itself, and fills in
// defaults. It follows properties, items, allOf and $ref, but not the branches of a
// choice, since only a validation says which of them applies.
type resolver struct {
	root    *config.Data
	anchors map[string]*config.Data
	lonely  bool // a part with $ref has no other keywords, as before draft 2019-09
}

func newResolver(source *config.Data) *resolver {
	r := &resolver{root: source, anchors: map[string]*config.Data{}}
	if dialect := source.Get("$schema"); dialect != nil {
		text, _ := dialect.Scalar.(string)
		r.lonely = slices.ContainsFunc([]string{"draft-04", "draft-06", "draft-07"}, func(old string) bool { return strings.Contains(text, old) })
	}
	for _, part := range parts(source) {
		for _, key := range []string{"$anchor", "$dynamicAnchor"} {
			if name := part.Get(key); name != nil {
				if text, isText := name.Scalar.(string); isText {
					r.anchors["#"+text] = part
				}
			}
		}
	}
	return r
}

// newDefaults returns nil when the schema has no defaults.
func newDefaults(source *config.Data) *resolver {
	if Find(source, "default") == nil {
		return nil
	}
	return newResolver(source)
}

// resolve returns the part that a reference leads to; nil when it is not in this schema.
func (r *resolver) resolve(ref string) *config.Data {
	if ref == "#" {
		return r.root
	}
	if !strings.HasPrefix(ref, "#/") {
		return r.anchors[ref]
	}
	if part, exists := partAt(r.root, pointer(ref)); exists {
		return part
	}
	return nil
}

// applying returns all parts that apply to a value to which the given ones apply, each once.
func (r *resolver) applying(parts ...*config.Data) []*config.Data {
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
				add(r.resolve(text))
			}
			if r.lonely {
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

// defaultOf returns the first default of parts that apply to one value, or nil.
func defaultOf(parts []*config.Data) *config.Data {
	for _, part := range parts {
		if value := part.Get("default"); value != nil {
			return value
		}
	}
	return nil
}

// fill returns the value with the missing defaults of its parts. Given keys come first. The
// value itself is not changed, and each added default is a new value.
func (r *resolver) fill(ctx context.Context, parts []*config.Data, v value.Value) (filled value.Value, changed bool, err error) {
	if ctx.Err() != nil {
		return nil, false, context.Cause(ctx)
	}
	switch v := v.(type) {
	case []any:
		return r.fillItems(ctx, parts, v)
	case value.Object:
		return r.fillObject(ctx, parts, v)
	case map[string]any:
		return r.fill(ctx, parts, value.FromPlain(v))
	}
	return v, false, nil
}

func (r *resolver) fillObject(ctx context.Context, parts []*config.Data, object value.Object) (filled value.Value, changed bool, err error) {
	names, schemas := properties(parts)
	if len(names) == 0 {
		return object, false, nil
	}
	keys := slices.Clone(object.Keys())
	items := make([]value.Value, len(keys), len(keys)+len(names))
	for i, key := range keys {
		items[i], _ = object.Get(key)
		if schemas[key] == nil {
			continue
		}
		var other bool
		if items[i], other, err = r.fill(ctx, r.applying(schemas[key]...), items[i]); err != nil {
			return nil, false, err
		}
		changed = changed || other
	}
	for _, name := range names {
		if _, has := object.Get(name); has {
			continue
		}
		applying := r.applying(schemas[name]...)
		source := defaultOf(applying)
		if source == nil {
			continue
		}
		item, err := value.Decode(source.JSON())
		if err != nil { // deeper than a value may be: it stays missing
			continue
		}
		if item, _, err = r.fill(ctx, applying, item); err != nil {
			return nil, false, err
		}
		keys, items, changed = append(keys, name), append(items, item), true
	}
	if !changed {
		return object, false, nil
	}
	return value.NewObject(keys, items), true, nil
}

// properties returns the properties that parts declare, in order, and the schemas of each.
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

func (r *resolver) fillItems(ctx context.Context, parts []*config.Data, list []any) (filled value.Value, changed bool, err error) {
	head, rest := itemSchemas(parts)
	if len(head) == 0 && len(rest) == 0 {
		return list, false, nil
	}
	others := r.applying(rest...)
	out := list
	for i, item := range list {
		applying := others
		if i < len(head) {
			applying = r.applying(head[i]...)
		}
		item, other, err := r.fill(ctx, applying, item)
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

// itemSchemas returns the schemas of the first items of a list, one by one, and those of
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

// Complete returns the arguments with the defaults of missing properties. Given keys come
// first, then the defaults in the order of the schema. The arguments themselves are not
// changed. The error is the cause that ended the context.
func (s *Schema) Complete(ctx context.Context, args value.Value) (value.Value, error) {
	if s == nil || s.defaults == nil {
		return args, nil
	}
	filled, _, err := s.defaults.fill(ctx, s.defaults.applying(s.source), args)
	return filled, err
}

// declared is a default with the schema of its property.
type declared struct {
	value   *config.Data
	path    []string       // of the schema of its property
	applied []*config.Data // all parts that apply to the property
}

// declarations returns all defaults that can be added to a value.
func (r *resolver) declarations() []declared {
	paths := map[*config.Data][]string{}
	for path, part := range parts(r.root) {
		paths[part] = slices.Clone(path)
	}
	var found []declared
	seen := map[*config.Data]bool{}
	var walk func(parts []*config.Data)
	walk = func(parts []*config.Data) {
		for _, part := range parts {
			if seen[part] {
				continue
			}
			seen[part] = true
			names, schemas := properties([]*config.Data{part})
			for _, name := range names {
				own := schemas[name][0]
				applied := r.applying(own)
				if value := defaultOf(applied); value != nil {
					found = append(found, declared{value: value, path: paths[own], applied: applied})
				}
				walk(applied)
			}
			head, rest := itemSchemas([]*config.Data{part})
			for _, one := range head {
				walk(r.applying(one...))
			}
			walk(r.applying(rest...))
		}
	}
	walk(r.applying(r.root))
	return found
}

// checkDefaults reports each default that does not fit the schema of its own property.
func (s *Schema) checkDefaults(ctx context.Context, all []declared, field string, found *config.Diagnostics) {
	seen := map[*config.Data]bool{}
	for _, one := range all {
		if seen[one.value] {
			continue
		}
		v, err := value.Decode(one.value.JSON())
		if err == nil {
			v, _, err = s.defaults.fill(ctx, one.applied, v)
		}
		if err != nil {
			continue
		}
		problems, err := s.check(ctx, pointerTo(one.path), value.Plain(v))
		where := field + pathText(s.document, one.path)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			found.Add(one.value.Pos, "schema-default", "the default of "+where+" cannot be checked: "+err.Error(), "")
		case len(problems) > 0:
			seen[one.value] = true
			found.Add(one.value.Pos, "schema-default", "the default of "+where+" does not fit its own schema: "+problems[0].Text("default"),
				"change the default or the schema")
		}
	}
}
