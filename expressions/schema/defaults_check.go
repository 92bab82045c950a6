package schema

import (
	"context"
	"strconv"

	"toolgraph/config"
	"toolgraph/expressions/value"
)

// Complete is the arguments with the defaults of the properties that are missing in them.
// Given keys come first, then the defaults in the order of the schema. The error is the
// cause that ended the context.
func (s *Schema) Complete(ctx context.Context, args value.Value) (value.Value, error) {
	if s == nil || s.defaults == nil {
		return args, nil
	}
	filled, _, err := s.defaults.fill(ctx, s.defaults.applying(s.source), args)
	return filled, err
}

// declared is a default and the schema of the property that it belongs to.
type declared struct {
	value   *config.Data
	path    []string // of the property's schema
	applied []*config.Data
}

// declarations are all defaults that can be put into a value.
func (d *defaults) declarations() []declared {
	paths := map[*config.Data][]string{}
	var note func(part *config.Data, path []string)
	note = func(part *config.Data, path []string) {
		paths[part] = path
		for i, item := range part.Items {
			token := strconv.Itoa(i)
			if part.Kind == config.KindObject {
				token = part.Keys[i].Value
			}
			note(item, append(path[:len(path):len(path)], token))
		}
	}
	note(d.root, nil)

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
				applied := d.applying(own)
				if value := defaultOf(applied); value != nil {
					found = append(found, declared{value: value, path: paths[own], applied: applied})
				}
				walk(applied)
			}
			head, rest := itemSchemas([]*config.Data{part})
			for _, one := range head {
				walk(d.applying(one...))
			}
			walk(d.applying(rest...))
		}
	}
	walk(d.applying(d.root))
	return found
}

// checkDefaults reports each default that its own property's schema refuses. The schema
// is compiled.
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
