package schema

import (
	"reflect"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// guarding puts guards in front of the objects of a compiled schema.
type guarding struct {
	meter  *meter
	found  []*jsonschema.Schema
	seen   map[*jsonschema.Schema]bool
	scoped bool // what a part says depends on where it is referred to from
	uneval bool // what a part has looked at matters
}

// install guards all objects that can be reached from the schemas.
func (g *guarding) install(roots ...*jsonschema.Schema) {
	g.seen = map[*jsonschema.Schema]bool{}
	for _, root := range roots {
		g.add(root)
	}
	for i := 0; i < len(g.found); i++ {
		g.parts(g.found[i], g.add)
	}
	for _, s := range g.found {
		g.scoped = g.scoped || s.DynamicRef != nil || s.RecursiveRef != nil
		g.uneval = g.uneval || s.UnevaluatedProperties != nil || s.UnevaluatedItems != nil
	}
	for _, s := range g.found {
		g.guard(s)
	}
}

func (g *guarding) add(s *jsonschema.Schema) {
	if s != nil && s.Bool == nil && !g.seen[s] {
		g.seen[s] = true
		g.found = append(g.found, s)
	}
}

// parts calls do for each schema that a schema applies or refers to.
func (g *guarding) parts(s *jsonschema.Schema, do func(*jsonschema.Schema)) {
	for _, one := range []*jsonschema.Schema{
		s.Ref, s.RecursiveRef, s.Not, s.If, s.Then, s.Else, s.PropertyNames, s.UnevaluatedProperties,
		s.Contains, s.Items2020, s.UnevaluatedItems, s.ContentSchema,
	} {
		do(one)
	}
	if s.DynamicRef != nil {
		do(s.DynamicRef.Ref)
	}
	for _, list := range [][]*jsonschema.Schema{s.AllOf, s.AnyOf, s.OneOf, s.PrefixItems} {
		for _, one := range list {
			do(one)
		}
	}
	for _, byName := range []map[string]*jsonschema.Schema{s.Properties, s.DependentSchemas} {
		for _, one := range byName {
			do(one)
		}
	}
	for _, one := range s.PatternProperties {
		do(one)
	}
	for _, one := range s.Dependencies {
		either(one, do)
	}
	either(s.AdditionalProperties, do)
	either(s.AdditionalItems, do)
	either(s.Items, do)
}

// either calls do for what the library keeps as a schema, a list of them, or something
// else.
func either(part any, do func(*jsonschema.Schema)) {
	switch part := part.(type) {
	case *jsonschema.Schema:
		do(part)
	case []*jsonschema.Schema:
		for _, one := range part {
			do(one)
		}
	}
}

// guard moves what an object says behind a guard. The object itself stays where others
// point at, with its names, which the library looks up in it.
func (g *guarding) guard(s *jsonschema.Schema) {
	inner := *s
	composite := false
	g.parts(&inner, func(part *jsonschema.Schema) { composite = composite || part != nil && part.Bool == nil })
	shell := reflect.ValueOf(s).Elem()
	for i := range shell.NumField() {
		field := shell.Type().Field(i)
		switch field.Name {
		case "DraftVersion", "Location", "ID", "Anchor", "RecursiveAnchor", "DynamicAnchor":
		default:
			if field.IsExported() {
				shell.Field(i).SetZero()
			}
		}
	}
	s.Extensions = []jsonschema.SchemaExt{&guard{
		inner: &inner, meter: g.meter, weight: weightOf(&inner),
		recall: composite && !g.scoped, recallFit: !g.uneval,
	}}
}
