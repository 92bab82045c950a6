package jsonata

import "toolgraph/expressions"

// located is a fault of a source, or what another language has at its place.
func located(source string, tokens []token, fault *expressions.SyntaxError) *expressions.SyntaxError {
	if err := foreign(source, tokens, fault.Offset); err != nil {
		return err
	}
	return fault
}
