// Package shape infers which values an expression can yield before it is evaluated.
//
// In go JSON Schemas, recorded values, and compiled expressions with the shapes of the
// values that they read. Out come Shapes and Findings: the possible values of an
// expression, and the places that are certain to fail or that read a value that may be
// missing.
//
// A Shape is a set of values and never too small: unknown values have the shape Any, and
// nothing is reported about them. The package knows no graph, no file and no run, and
// owns no third-party module. Shapes are immutable; all functions may be called by
// several goroutines.
//
// A path is inferred as package jsonata evaluates it (route.go, path.go): its steps one after the
// other over all values of the step before, then [] and a grouping, wherever they are written. A
// sequence becomes nothing, its only item or an array only at the end of a part (sequence.go). Tests
// compare the shapes of tens of thousands of expressions with their values.
//
// Findings about fields depend on how much is known of an object. An object that the
// expression makes, or whose schema says additionalProperties: false, has no other
// fields: reading one is unknown-field. An object whose schema lists properties and says
// nothing about others may have others, but hardly ever does: reading one is
// undeclared-field, unless the expression asks whether it exists, and its value is Any.
// Nothing is reported about open objects (additionalProperties, patternProperties, allOf,
// anyOf …).
//
// A field that its schema does not require is followed to the place where a value is
// required (field.go): an argument of a call, or an outputSchema. Fields of objects that
// the expression makes are not reported there, since they may seem optional only because
// too little is known.
//
// In the body of an iteration of a JSON Logic rule, a var is read from the element, or
// from the object that reduce passes to its body. Both are inferred from the rule
// (rule.go).
package shape
