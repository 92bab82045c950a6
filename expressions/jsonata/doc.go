// Package jsonata compiles and evaluates JSONata as jsonata-js 2.2.2 does; docs/expressions.md
// lists the intended differences.
//
// Input: a source, then a scope. Output: an Expression, then a Value. A source is split
// into tokens (syntax_*.go), the parser makes a Tree of them (tree_*.go), the builder makes
// nodes of the Tree (build*.go), and a machine walks the nodes (eval.go) and calls the
// library (functions_*.go). A checker ensures that only Values leave (result.go). Each pass
// takes time linear in the source.
//
// An evaluation is bounded by its context, by expressions.EvalBudget, by the growth of the
// heap, and by MaxText, value.MaxDepth and MaxRecursion; a source by MaxSource and
// MaxNesting. Each node counts a step, and every few steps the bounds are checked
// (evaluation.go). An Expression may be shared by goroutines.
//
// The package is the only importer of x/text, which changes the case of letters, and of
// jparse, which reads paths in templates of other languages. gnata is for tests only: its
// module contains JSONata's official suite.
package jsonata
