package expressions

import (
	"context"
	"reflect"

	"github.com/recolabs/gnata"
)

// libraryEnv is what every evaluation starts from: the engine's library with our
// functions in place of some of its own. It is never changed after init.
var libraryEnv = gnata.NewCustomEnv(nil)

// function is a builtin of ours. It may keep args and focus but not change them.
type function func(ev *evaluation, args []any, focus any) (any, error)

func init() {
	bind := binder(libraryEnv)
	for name, fn := range historyFunctions {
		bind(name, fn)
	}
}

// environment is the engine's environment, whose type is internal to it.
type environment interface {
	Context() context.Context
	Bind(name string, value any)
	Lookup(name string) (any, bool)
}

// binder binds functions in env. They become the engine's kind of builtin that is
// handed the environment, and so finds the evaluation: bound once for all runs,
// and not wrapped by the engine's CustomFunc, which copies its arguments.
func binder[E environment](env E) func(name string, fn function) {
	kind, ok := env.Lookup("map")
	if !ok {
		panic("expressions: the JSONata engine has no builtin \"map\"")
	}
	builtinType := reflect.TypeOf(kind)
	return func(name string, fn function) {
		native := func(args []any, focus any, env E) (any, error) {
			ev, ok := env.Context().(*evaluation)
			if !ok {
				return nil, &functionError{Code: "D3001", Name: name, Message: "is not available here"}
			}
			return fn(ev, args, focus)
		}
		env.Bind(name, reflect.ValueOf(native).Convert(builtinType).Interface())
	}
}

// functionError is what a builtin of ours finds wrong with its call.
type functionError struct {
	Code    string // JSONata's
	Name    string // the function, without $
	Message string // continues "$name "
}

func (e *functionError) Error() string { return e.Code + ": $" + e.Name + " " + e.Message }
