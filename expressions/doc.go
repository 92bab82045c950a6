// Package expressions evaluates JSONata and JSON Logic over the outputs of a run,
// and reads and writes the values that travel through it.
//
// In go sources, plain values and a run's context and history; out come compiled
// expressions, Values, what an expression refers to, and errors that tell the byte
// in the source. The package knows no graph, no YAML and no upstream server.
//
// It owns three modules. gnata evaluates JSONata; what it gets wrong or cannot
// bound is covered here: sources are split into our own tokens and handed on
// rewritten (engineSource), builtins are replaced (functions_*.go), and results are
// checked (checker). A Tree is made of the same tokens, by the engine's precedence.
// jparse gives the tree from which References come. jsonlogic checks rules.
//
// An evaluation is bounded by its context, by EvalBudget, by the growth of the
// heap, and by MaxText and MaxDepth; a source by MaxSource and MaxNesting. The
// engine asks the context for its state before each node: evaluation is that
// context, and so the meter. Compiled expressions may be shared by goroutines; a
// Scope belongs to one.
package expressions
