package expressions

import (
	"context"
	"maps"
	"reflect"
	"slices"

	"github.com/recolabs/gnata"
)

// libraryEnv is what every evaluation starts from: the engine's library with our
// functions in place of some of its own. It is never changed after init.
var libraryEnv = gnata.NewCustomEnv(nil)

// call is a call of a builtin of ours. The arguments and the focus are not to be
// changed; a missing argument and an undefined one are both nil.
type call struct {
	*evaluation

	name  string
	args  []any
	focus any
	env   any // the engine's environment
}

// function is a builtin of ours.
type function func(c call) (any, error)

// engineFunction is a builtin of the engine.
type engineFunction func(args []any, focus, env any) (any, error)

// engineFunctions are the engine's builtins, by name.
var engineFunctions = map[string]engineFunction{}

func init() {
	bind := binder(libraryEnv)
	for _, functions := range []map[string]function{
		historyFunctions, textFunctions, regexFunctions, arrayFunctions, pictureFunctions, authorFunctions, stepFunctions, recursionFunctions, outerFunctions,
	} {
		for name, fn := range functions {
			bind(name, fn)
		}
	}
}

// environment is the engine's environment, whose type is internal to it.
type environment interface {
	Context() context.Context
	Bind(name string, value any)
	Lookup(name string) (any, bool)
	Range(fn func(name string, value any))
}

// binder binds functions in env. They become the engine's kind of builtin that is
// handed the environment, and so finds the evaluation: bound once for all runs,
// and not wrapped by the engine's CustomFunc, which copies its arguments.
func binder[E environment](env E) func(name string, fn function) {
	native := reflect.TypeFor[func([]any, any, E) (any, error)]()
	plain := reflect.TypeFor[func([]any, any) (any, error)]()
	var builtinType reflect.Type
	env.Range(func(name string, value any) {
		v := reflect.ValueOf(value)
		if v.Kind() == reflect.Pointer { // a builtin with a signature
			v = v.Elem().FieldByName("Fn")
		}
		switch {
		case !v.IsValid():
		case v.CanConvert(native):
			builtinType = v.Type()
			fn := v.Convert(native).Interface().(func([]any, any, E) (any, error))
			engineFunctions[name] = func(args []any, focus, env any) (any, error) { return fn(args, focus, env.(E)) }
		case v.CanConvert(plain):
			fn := v.Convert(plain).Interface().(func([]any, any) (any, error))
			engineFunctions[name] = func(args []any, focus, _ any) (any, error) { return fn(args, focus) }
		}
	})
	if builtinType == nil {
		panic("expressions: the JSONata engine has no builtins of the known shape")
	}
	return func(name string, fn function) {
		builtin := func(args []any, focus any, env E) (any, error) {
			ev, ok := env.Context().(*evaluation)
			if !ok {
				return nil, &functionError{Code: "D3001", Name: name, Message: "is not available here"}
			}
			return fn(call{evaluation: ev, name: name, args: args, focus: focus, env: env})
		}
		env.Bind(name, reflect.ValueOf(builtin).Convert(builtinType).Interface())
	}
}

// arg is the argument i, counted from 0, or nil.
func (c *call) arg(i int) any {
	if i < len(c.args) {
		return c.args[i]
	}
	return nil
}

// text is argument i, which must be a string.
func (c *call) text(i int) (string, error) {
	s, ok := c.arg(i).(string)
	if !ok {
		return "", c.wrong(i, "a string")
	}
	return s, nil
}

// wrong is the error of an argument that is of another kind than expected.
func (c *call) wrong(i int, expected string) error {
	return &functionError{Code: "T0410", Name: c.name, Message: "expects " + expected + " as argument " + string(rune('1'+i))}
}

func (c *call) fail(code, message string) error {
	return &functionError{Code: code, Name: c.name, Message: message}
}

// engine calls the engine's own function of that name.
func (c *call) engine(name string, args []any) (any, error) {
	return engineFunctions[name](args, c.focus, c.env)
}

// apply calls fn, a function of the expression, with one argument.
func (c *call) apply(fn, arg any) (any, error) {
	value, err := c.engine("map", []any{[]any{arg}, fn})
	if items, ok := value.([]any); ok && len(items) == 1 {
		value = items[0]
	}
	return value, err
}

// isFunction tells whether v can be called.
func isFunction(v any) bool {
	switch v.(type) {
	case nil, string, float64, bool, []any, map[string]any, Object:
		return false
	}
	kind := reflect.TypeOf(v).Kind()
	return kind == reflect.Func || kind == reflect.Pointer
}

// functionError is what a builtin of ours finds wrong with its call.
type functionError struct {
	Code    string // JSONata's
	Name    string // the function, without $
	Message string // continues "$name "
}

func (e *functionError) Error() string { return e.Code + ": $" + e.Name + " " + e.Message }

// libraryNames are the names of the engine's functions and ours.
func libraryNames() map[string]bool {
	names := map[string]bool{}
	libraryEnv.Range(func(name string, _ any) { names[name] = true })
	for _, functions := range []map[string]function{historyFunctions, textFunctions, regexFunctions, arrayFunctions, pictureFunctions, authorFunctions, stepFunctions, recursionFunctions} {
		for name := range maps.Keys(functions) {
			names[name] = true
		}
	}
	return names
}

// Functions are the names of the functions that every expression can call, sorted,
// without $. They are not to be changed.
func Functions() []string { return functionNames }

// IsFunction tells whether every expression can call a function of that name.
func IsFunction(name string) bool {
	_, ok := slices.BinarySearch(functionNames, name)
	return ok
}
