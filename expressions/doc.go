// Package expressions holds what JSONata and JSON Logic share: the scope in which the
// expressions of a run are evaluated, and the errors of sources and evaluations. Its rooms:
//
//   - value: the values that travel through a run; reads, writes and measures them
//   - jsonata: compiles and evaluates expressions
//   - jsonlogic: compiles and evaluates rules, whose variables are JSONata
//   - shape: infers the shape of an expression's result from the shapes of the values it reads
//   - schema: validates values by JSON Schema, and adds defaults
//
// Input: a run's context and history. Output: a Scope, and errors with the byte in the
// source. The package must not know graphs, YAML or upstream servers.
package expressions
