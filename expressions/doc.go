// Package expressions has what the rooms around it call the two languages by: the names of the
// variables that graph files bind, carets for errors, and jsonata's Scope, SyntaxError and Error (as
// EvalError). Its rooms:
//
//   - value: the values that travel through a run; reads, writes and measures them
//   - jsonata: compiles and evaluates expressions over a scope
//   - jsonlogic: compiles and evaluates rules, whose variables are JSONata
//   - shape: infers the shape of an expression's result from the shapes of the values it reads
//   - schema: validates values by JSON Schema, and adds defaults
//
// jsonata imports value only, jsonlogic these two: each can be used alone. The package must not know graphs,
// YAML or upstream servers.
package expressions
