// Package expressions evaluates JSONata and JSON Logic over the outputs of a run,
// and reads and writes the values that travel through it.
//
// In go sources, plain values and a run's context and history; out come compiled
// expressions, Values, what an expression refers to, and errors that tell the byte
// in the source. The package knows no graph, no YAML and no upstream server.
//
// JSONata is evaluated in four passes: a source is split into tokens (syntax_*.go),
// these are read into a Tree (tree_*.go), that becomes nodes (jsonata_build*.go), and a
// machine walks the nodes (jsonata_*.go) and calls the library (functions_*.go). A
// checker lets only Values out. Each pass takes time linear in the source.
//
// The package owns three modules. jparse gives the tree from which References come,
// jsonlogic checks rules, x/text knows the case of letters. gnata is for tests only: its
// module holds JSONata's official suite.
//
// An evaluation is bounded by its context, by EvalBudget, by the growth of the heap,
// and by MaxText, MaxDepth and MaxRecursion; a source by MaxSource and MaxNesting. Each
// node counts a step, and every so many steps the bounds are looked at (evaluation).
// Compiled expressions may be shared by goroutines; a Scope belongs to one.
package expressions
