package expressions

import (
	"context"
	"fmt"
	"reflect"

	"github.com/recolabs/gnata"
)

// ordered is the engine's object with its setter, which only the maker of an
// object may use.
type ordered interface {
	Object
	Set(key string, value any)
}

// newOrdered makes an empty object of the engine's own type, which it reads
// without a conversion. The type is internal to the engine; its builtin "merge"
// makes an empty one from an empty array.
var newOrdered = orderedMaker()

func orderedMaker() func() ordered {
	merge, ok := builtin("merge").(func([]any, any) (any, error))
	if !ok {
		panic("expressions: the JSONata engine has no builtin \"merge\" of the known shape")
	}
	nothing := []any{[]any{}}
	empty := func() ordered {
		object, err := merge(nothing, nil)
		if err != nil {
			panic(fmt.Sprintf("expressions: the JSONata engine cannot make an object: %v", err))
		}
		return object.(ordered)
	}
	empty()
	return empty
}

// builtin is a function of the engine's library as a plain Go function, or nil.
func builtin(name string) any {
	fn, ok := engineEnv.Lookup(name)
	if !ok {
		return nil
	}
	plain := reflect.TypeFor[func([]any, any) (any, error)]()
	if v := reflect.ValueOf(fn); v.Kind() == reflect.Func && v.CanConvert(plain) {
		return v.Convert(plain).Interface()
	}
	return nil
}

// NewObject makes an object with these keys in this order; of two equal keys the
// last value counts. Keys without a value hold Null.
func NewObject(keys []string, values []Value) Value {
	object := newOrdered()
	for i, key := range keys {
		value := Null
		if i < len(values) && values[i] != nil {
			value = values[i]
		}
		object.Set(key, value)
	}
	return object
}

// engineNull is the engine's own null, as an evaluation of the literal gives it.
func engineNull() any {
	expr, err := gnata.Compile("null")
	if err != nil {
		panic(fmt.Sprintf("expressions: the JSONata engine cannot compile null: %v", err))
	}
	null, err := expr.Eval(context.Background(), nil)
	if err != nil || !gnata.IsNull(null) {
		panic(fmt.Sprintf("expressions: the JSONata engine has no null: %v", err))
	}
	return null
}
