// Package jsonata compiles and evaluates JSONata as jsonata-js 2.2.2 does; docs/expressions.md
// lists what is meant to differ.
//
// In goes a source, then a scope; out come an Expression, then a Value. A source is split
// into tokens (syntax_*.go), these are read into a Tree (tree_*.go), that becomes nodes
// (build*.go), and a machine walks the nodes (eval.go and what it calls) and calls the
// library (functions_*.go). A checker lets only Values out. Each pass takes time linear in
// the source.
//
// An evaluation is bounded by its context, by expressions.EvalBudget, by the growth of the
// heap, and by MaxText, value.MaxDepth and MaxRecursion; a source by MaxSource and
// MaxNesting. Each node counts a step, and every so many steps the bounds are looked at
// (evaluation). An Expression may be shared by goroutines.
//
// The package owns x/text, which knows the case of letters, and jparse, which reads paths
// in templates of other languages. gnata is for tests only: its module holds JSONata's official suite.
package jsonata
