// Package shape tells what a value can look like before there is one.
//
// In go JSON Schemas, recorded values, and compiled expressions with the shapes of
// what they read; out come Shapes and Findings: what an expression's value can
// look like, and what in it is certain to go wrong or reads what may be missing.
//
// A Shape is a set of values, and never too small a one: what is not known is Any,
// and nothing is found where something is not known. The package knows no graph,
// no file and no run. It owns no module.
//
// What is said of fields depends on how much is known of an object. One that the
// expression makes, or whose schema says additionalProperties: false, has no other
// fields: reading one is unknown-field. One whose schema lists properties and says
// nothing more may have others, but hardly ever does: reading one is
// undeclared-field, unless the expression asks whether it is there; its value is Any.
// Of an open one (additionalProperties, patternProperties, allOf, anyOf …) nothing is
// said.
//
// A field that its schema does not require is followed to where a value is required
// (optional.go): by an argument of a call, or by an outputSchema. Of fields of what an
// expression makes nothing is said there: they may seem optional because too little is
// known.
//
// In the body of an iteration of a rule, a var is read from the element, or from what
// reduce gives its body. What those are is inferred of the rule as well (rule_walk.go).
package shape
