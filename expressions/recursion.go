package expressions

import (
	"reflect"
	"slices"
	"unsafe"

	"github.com/recolabs/gnata"
)

// MaxRecursion is how many calls of an expression's own functions may be open at
// once. Tail calls are not counted.
const MaxRecursion = 1000

// recursionFunctions holds what an expression with functions of its own calls first.
var recursionFunctions = map[string]function{
	hidden + "deep": func(c call) (any, error) { allowRecursion(c.env); return nil, nil },
}

// withRecursion compiles the source of an expression so that its functions may call
// themselves MaxRecursion deep; nil when it has none. The engine allows 100, which
// a walk along a list reaches, and has no option for it.
func withRecursion(tokens []token, source string) *gnata.Expression {
	if !slices.ContainsFunc(tokens, func(t token) bool { return isFunctionWord(&t) }) {
		return nil
	}
	engine, err := gnata.Compile("($" + hidden + "deep(); " + source + ")")
	if err != nil {
		return nil
	}
	return engine
}

// callLimit is where an environment of the engine keeps the limit of open calls:
// behind which field, and at which offset there. It is not ok when the engine's
// types are others than those of v0.2.2 (internal/evaluator, env.go); then the
// engine's own limit stands.
var callLimit = func() (limit struct {
	counter int
	offset  uintptr
	ok      bool
},
) {
	env := reflect.TypeOf(libraryEnv).Elem()
	field, found := env.FieldByName("calls")
	if !found || field.Type.Kind() != reflect.Pointer || field.Type.Elem().Kind() != reflect.Struct {
		return limit
	}
	most, found := field.Type.Elem().FieldByName("max")
	limit.counter, limit.offset = field.Index[0], most.Offset
	limit.ok = found && most.Type.Kind() == reflect.Int
	return limit
}()

func allowRecursion(env any) {
	if !callLimit.ok {
		return
	}
	counter := reflect.ValueOf(env).Elem().Field(callLimit.counter).UnsafePointer()
	if counter == nil {
		return
	}
	if limit := (*int)(unsafe.Add(counter, callLimit.offset)); *limit > 0 && *limit < MaxRecursion {
		*limit = MaxRecursion
	}
}
