package schema

import (
	"reflect"
	"strings"
	"unsafe"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// guard validates in place of one object of a compiled schema. The library (v6.0.3) has
// neither a budget nor a context, and applies an object to a value as often as
// references lead to it. A guard counts steps, ends the validation when the meter says so,
// and remembers the verdict on each value, so that a validation takes time that is linear
// in schema × value.
type guard struct {
	inner     *jsonschema.Schema // the keywords of the object
	meter     *meter
	weight    int  // steps for its own lists
	recall    bool // verdicts are remembered: the object has parts, and they depend on the value alone
	recallFit bool // the verdict that a value fits is remembered as well
}

// place identifies a value for a guard.
type place struct {
	guard *guard
	data  unsafe.Pointer // of an object, an array or a string
	size  int            // of an array or a string
	path  string         // of a value that data does not identify
}

// verdict is the result of a guard for a value; the zero verdict is an unknown one.
type verdict struct {
	fits  bool
	bare  bool                        // the value does not fit; the reason is not known
	fault *jsonschema.ValidationError // the reason why the value does not fit
}

// Validate applies the object to a value.
func (g *guard) Validate(ctx *jsonschema.ValidatorContext, v any) {
	g.meter.spend(1 + g.weight + width(v))
	var at place
	var size int
	if g.recall {
		at, size = g.placeOf(ctx, v)
		if g.recalled(ctx, v, g.meter.known[at]) {
			return
		}
	}
	detail := g.meter.detail
	err := ctx.Validate(g.inner, v, nil)
	if err == nil {
		g.meter.detail = detail // the errors of its branches are dropped
		if g.recall && g.recallFit {
			g.meter.remember(at, verdict{fits: true}, size)
		}
		return
	}
	fault := err.(*jsonschema.ValidationError) //nolint:errorlint // the library gives this type, as it is
	if fault.ErrorKind == nil {
		fault = bareFault
	} else {
		bytes := 200 + 16*len(ctx.ValueLocation())
		if g.meter.detail += bytes; g.meter.detail > detailBytes {
			fault = omittedFault
		}
		size += bytes
	}
	if g.recall {
		v := g.meter.known[at]
		if fault == bareFault {
			v.bare = true
		} else {
			v.fault = fault
		}
		g.meter.remember(at, v, size)
	}
	ctx.AddErr(fault)
}

// smallWork is how many operations that take nanoseconds count as one step.
const smallWork = 64

// width returns the steps for the keys or items of a value.
func width(v any) int {
	switch v := v.(type) {
	case map[string]any:
		return len(v) / smallWork
	case []any:
		return len(v) / smallWork
	}
	return 0
}

// weightOf returns the steps for the lists of an object.
func weightOf(s *jsonschema.Schema) int {
	n := len(s.Required) + len(s.PatternProperties) + len(s.Dependencies) + len(s.DependentSchemas) + len(s.DependentRequired)
	if s.Enum != nil {
		n += len(s.Enum.Values)
	}
	return n / smallWork
}

// recalled applies a remembered verdict, and reports whether that was possible.
func (g *guard) recalled(ctx *jsonschema.ValidatorContext, v any, known verdict) bool {
	switch {
	case known.fits:
		return true
	case known.fault == nil && !known.bare:
		return false
	}
	probe := ctx.Validate(nothingFits, v, nil)
	if fault, ok := probe.(*jsonschema.ValidationError); ok && fault.ErrorKind == nil { //nolint:errorlint // the library gives this type, as it is
		ctx.AddErr(bareFault)
		return true
	}
	if known.fault == nil {
		return false
	}
	ctx.AddErr(known.fault)
	return true
}

// placeOf returns the place of a value, and how many bytes it takes.
func (g *guard) placeOf(ctx *jsonschema.ValidatorContext, v any) (place, int) {
	const size = int(unsafe.Sizeof(place{})+unsafe.Sizeof(verdict{})) * 2 // with the map's own
	switch v := v.(type) {
	case map[string]any:
		return place{guard: g, data: reflect.ValueOf(v).UnsafePointer()}, size
	case []any:
		if len(v) > 0 {
			return place{guard: g, data: unsafe.Pointer(unsafe.SliceData(v)), size: len(v)}, size
		}
	}
	at := place{guard: g, path: strings.Join(ctx.ValueLocation(), "\x00")}
	if text, isText := v.(string); isText { // a key has no path of its own
		at.data, at.size = unsafe.Pointer(unsafe.StringData(text)), len(text)
	}
	return at, size + len(at.path)
}

// bareFault replaces the reason why a value does not fit where it is not needed, and
// omittedFault where there are too many reasons to store.
var (
	bareFault    = &jsonschema.ValidationError{}
	omittedFault = &jsonschema.ValidationError{ErrorKind: omitted{&kind.FalseSchema{}}}
)

// omitted is the kind of an error without details.
type omitted struct{ *kind.FalseSchema }

var (
	no          = false
	nothingFits = &jsonschema.Schema{Bool: &no}
)

// guarding installs guards for the objects of a compiled schema.
type guarding struct {
	meter  *meter
	found  []*jsonschema.Schema
	seen   map[*jsonschema.Schema]bool
	scoped bool // the meaning of a part depends on where the reference to it is
	uneval bool // it matters which properties or items a part has evaluated
}

// install guards all objects that can be reached from the schemas.
func (g *guarding) install(roots ...*jsonschema.Schema) {
	g.seen = map[*jsonschema.Schema]bool{}
	for _, root := range roots {
		g.add(root)
	}
	for i := 0; i < len(g.found); i++ {
		subschemas(reflect.ValueOf(g.found[i]).Elem(), g.add)
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
	if s.Bool == nil && !g.seen[s] {
		g.seen[s] = true
		g.found = append(g.found, s)
	}
}

// subschemas calls do for each schema that the exported fields of a schema hold: alone, in
// a list, by name, or in an interface.
func subschemas(v reflect.Value, do func(*jsonschema.Schema)) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				subschemas(v.Field(i), do)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			subschemas(v.Index(i), do)
		}
	case reflect.Map:
		for items := v.MapRange(); items.Next(); {
			subschemas(items.Value(), do)
		}
	case reflect.Interface:
		subschemas(v.Elem(), do)
	case reflect.Pointer:
		switch part := v.Interface().(type) {
		case *jsonschema.Schema:
			if part != nil {
				do(part)
			}
		case *jsonschema.DynamicRef:
			if part != nil && part.Ref != nil {
				do(part.Ref)
			}
		}
	}
}

// guard moves the keywords of an object behind a guard. The object itself stays where
// others point to it, with its names, which the library looks up in it.
func (g *guarding) guard(s *jsonschema.Schema) {
	inner := *s
	shell := reflect.ValueOf(s).Elem()
	composite := false
	subschemas(shell, func(part *jsonschema.Schema) { composite = composite || part.Bool == nil })
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
