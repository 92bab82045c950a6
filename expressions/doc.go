// Package expressions is what JSONata and JSON Logic share: the scope in which a run's
// expressions are evaluated, and the errors of sources and evaluations. Its rooms:
//
//   - value: the values that travel through a run; reads, writes and measures them
//   - jsonata: compiles and evaluates expressions
//   - jsonlogic: compiles and evaluates rules, whose variables are JSONata
//   - shape: what an expression can give, from what is known of the values it reads
//   - schema: validates values by JSON Schema, and adds defaults
//
// In go a run's context and history; out come a Scope, and errors with the byte in the
// source. The package knows no graph, no YAML and no upstream server.
package expressions
