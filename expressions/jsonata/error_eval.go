package jsonata

import (
	"errors"

	"toolgraph/expressions"
)

// evalError makes an EvalError of what ended an evaluation. No text of it holds values
// of the context, but for the author's own words.
func evalError(err error) *expressions.EvalError {
	var eval *expressions.EvalError
	if errors.As(err, &eval) {
		return eval
	}
	return &expressions.EvalError{Code: "internal", Message: "the expression cannot be evaluated", Offset: -1}
}

// evalMessages say what JSONata's codes mean: found and expected, without data.
var evalMessages = map[string]string{
	"D1001": "a number is out of range",
	"D1002": "the operand of the unary - is not a number",
	"D1009": "two keys of an object are the same",
	"D2014": "the range .. has more than 10,000,000 items",
	"T1003": "the key of an object is not a string",
	"T1005": "a function is called without its $",
	"T1006": "what is called is not a function",
	"T1007": "what is partially applied lacks its $",
	"T1008": "what is partially applied is not a function",
	"T2001": "the left side of an arithmetic operator is not a number",
	"T2002": "the right side of an arithmetic operator is not a number",
	"T2003": "the left side of the range .. is not a whole number",
	"T2004": "the right side of the range .. is not a whole number",
	"T2006": "the right side of ~> is not a function",
	"T2007": "two values to be sorted are a string and a number, expected one kind",
	"T2008": "values to be sorted are neither numbers nor strings",
	"T2009": "a string and a number are compared, expected one kind",
	"T2010": "a comparison needs numbers or strings on both sides",
	"T2011": "the update of a transform is not an object",
	"T2012": "the delete clause of a transform is not a string or an array of strings",
	"U1001": "the expression calls itself too deeply",
}
