package schema

import (
	"reflect"
	"strings"
	"unsafe"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// guard stands in front of one object of a compiled schema. The library (v6.0.3) has
// neither a budget nor a context, and applies an object to a value as often as
// references lead to it. A guard counts, ends the validation when the meter says so, and
// remembers the verdict on each value, so that a validation takes time that is linear in
// schema × value.
type guard struct {
	inner     *jsonschema.Schema // what the object says
	meter     *meter
	weight    int  // steps that its own lists take
	recall    bool // verdicts are remembered: the object has parts, and what they say depends on the value alone
	recallFit bool // that a value fits, too
}

// place is a value, as a guard knows it again.
type place struct {
	guard *guard
	data  unsafe.Pointer // of an object, an array or a string
	size  int            // of an array or a string
	path  string         // of a value that data does not name
}

// verdict is what a guard has found; the zero verdict is that nothing is known.
type verdict struct {
	fits  bool
	bare  bool                        // it does not fit, and nobody asked why
	fault *jsonschema.ValidationError // it does not fit, and this is why
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
		g.meter.detail = detail // the errors of branches that nobody needs
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

// smallWork is how much work of a kind that takes nanoseconds one step pays for.
const smallWork = 64

// width is the steps that the library takes to go through the keys or items of a value.
func width(v any) int {
	switch v := v.(type) {
	case map[string]any:
		return len(v) / smallWork
	case []any:
		return len(v) / smallWork
	}
	return 0
}

// weightOf is the steps that the library takes to go through the lists of an object.
func weightOf(s *jsonschema.Schema) int {
	n := len(s.Required) + len(s.PatternProperties) + len(s.Dependencies) + len(s.DependentSchemas) + len(s.DependentRequired)
	if s.Enum != nil {
		n += len(s.Enum.Values)
	}
	return n / smallWork
}

// recalled answers from a verdict, and reports whether it could.
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

// placeOf names a value, and says how many bytes that takes.
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

// bareFault is why a value does not fit where nobody asks why, and omittedFault where
// there are too many reasons to keep.
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
