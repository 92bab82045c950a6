// Package jsonata compiles and evaluates JSONata as jsonata-js 2.2.2 does; docs/jsonata.md has the figures and
// the intended differences.
//
// Compile makes an Expression of a source, with Options for its budgets and for functions of the host. Eval
// evaluates it over the Scope of a run, EvalAt over any Value. A source that does not compile is a SyntaxError, an
// evaluation that fails an Error; both have the byte in the source. References and Variables are what an
// expression reads.
//
// A source is split into tokens (syntax_*.go), the parser makes a Tree of them (tree_*.go), the builder
// makes nodes of the Tree (build*.go), and a machine walks the nodes (eval.go) and calls the library
// (functions_*.go). A checker ensures that only Values leave (result.go). Each pass takes time linear in the
// source.
//
// An evaluation is bounded by its context, by the time, heap and steps of its Options, by 64 MiB for a
// text, 2,000,000 items for a list, value.MaxDepth and 1,000 open calls; a source by 16 KiB and
// 100 open brackets. Each node counts a step, and every few steps the bounds are checked
// (evaluation.go). An Expression may be shared by goroutines. Data is never changed, and never read as
// an expression: $eval is refused.
//
// Four functions are not JSONata's: $previousNode, $executionCount, $nodeExecution and $nodeExecutions read
// the History of a Scope, which is empty unless one is given. Tokens, Tree, Functions, IsFunction, Signature
// and FunctionHint are for editors and checks; CompileVar and EvalWithin for package jsonlogic.
//
// The package imports only package value and wording for messages. It is the only importer of x/text,
// which changes the case of letters. gnata and jparse are for tests only: gnata's module contains JSONata's
// official suite, and jparse is a second opinion on syntax.
package jsonata
