// Package jsonlogic compiles and evaluates JSON Logic as json-logic-js 2.0.5 does, with
// JSONata in its variables; docs/expressions.md lists the intended differences.
//
// Input: a rule as plain values, then a scope. Output: a Rule, then a Value or a boolean. A
// rule becomes a tree of nodes, in which data can never become a rule. Evaluation counts
// steps and sizes (budget.go) and ends with its context. A Rule may be shared by
// goroutines.
//
// The package owns the module jsonlogic: it knows operators that libraries add, contains the
// official suite, and its interpreter is compared with this one in tests.
package jsonlogic
