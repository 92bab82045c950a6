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
	var own *functionError
	if errors.As(err, &own) {
		return &expressions.EvalError{Code: own.Code, Message: "$" + own.Name + " " + own.Message, Offset: -1}
	}
	return &expressions.EvalError{Code: "internal", Message: "the expression cannot be evaluated", Offset: -1}
}

// evalMessages say what JSONata's codes mean: found and expected, without data.
var evalMessages = map[string]string{
	"D1001": "a number is out of range",
	"D1002": "the operand of the unary - is not a number",
	"D1004": "the regular expression matches an empty text",
	"D1009": "two keys of an object are the same",
	"D2014": "the range .. has more than 10,000,000 items",
	"D3001": "the number is out of range, or a division by zero",
	"D3020": "the limit is not a whole number from 0",
	"D3030": "the value cannot be read as a number",
	"D3130": "the picture cannot be used for integers",
	"D3134": "the picture has a component that is unknown",
	"D3135": "the picture has a [ without its ]",
	"D3137": "the value cannot be converted",
	"D3138": "found more than one item, expected exactly one",
	"D3139": "found no item, expected exactly one",
	"S0213": "a number or a text is no step of a path",
	"S0217": "% stands where no parent is known",
	"T0410": "an argument is of another type than the function expects",
	"T0411": "an argument is missing",
	"T0412": "an argument is an array with items of another type than the function expects",
	"T1003": "the key of an object is not a string",
	"T1005": "a function is called without its $",
	"T1006": "what is called is not a function",
	"T1007": "what is partially applied lacks its $",
	"T1008": "what is partially applied is not a function",
	"T1010": "the matcher does not return what a regular expression does",
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
	"T2013": "the transform cannot clone its input",
	"U1001": "the expression calls itself too deeply",
}
