package expressions

import (
	"errors"
	"reflect"
	"strings"
)

// evalError makes an EvalError of what the engine or a builtin found wrong. The
// engine's own texts can hold values of the context and Go's names of types, so
// only its code and the names of functions and operators are taken from them.
func (e *JSONata) evalError(err error) *EvalError {
	var eval *EvalError
	if errors.As(err, &eval) {
		return eval
	}
	var own *functionError
	if errors.As(err, &own) {
		return &EvalError{Code: own.Code, Message: "$" + own.Name + " " + own.Message, Offset: e.offsetOf("$" + own.Name)}
	}
	var author *authorError
	if errors.As(err, &author) {
		return &EvalError{Code: author.code, Message: author.text, Offset: e.offsetOf("$" + author.name)}
	}
	code, text := engineError(err)
	if code == "T2001" && strings.HasPrefix(text, "the right") {
		code = "T2002" // the engine tells by the text only
	}
	subject := subjectOf(text)
	out := &EvalError{Code: code, Offset: e.offsetOf(subject)}
	switch message, known := evalMessages[code]; {
	case strings.HasPrefix(subject, "$"):
		rest := strings.TrimPrefix(text, subject+": ")
		if holdsValue(rest) {
			rest = message
		}
		out.Message = subject + ": " + rest
	case subject == "+" && (code == "T2001" || code == "T2002"):
		out.Message = message + "; & joins texts"
	case known:
		out.Message = message
	case code == "":
		out.Code, out.Message = "internal", "the expression cannot be evaluated"
	default:
		out.Message = "the evaluation failed with " + code
	}
	return out
}

// engineError is the code and the message of the engine's error, whose type is
// internal to it.
func engineError(err error) (code, message string) {
	v := reflect.ValueOf(err)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return "", ""
	}
	field := func(name string) string {
		if f := v.Elem().FieldByName(name); f.IsValid() && f.Kind() == reflect.String {
			return f.String()
		}
		return ""
	}
	return field("Code"), field("Message")
}

// subjectOf is the function, as $name, or the operator that the engine's message
// is about, or empty.
func subjectOf(text string) string {
	if strings.HasPrefix(text, "$") {
		if name, _, ok := strings.Cut(text, ": "); ok && !strings.ContainsAny(name, " \t\"") {
			return name
		}
	}
	if _, rest, ok := strings.Cut(text, ` the "`); ok {
		if operator, _, ok := strings.Cut(rest, `" operator`); ok {
			return operator
		}
	}
	switch {
	case strings.Contains(text, "range operator"):
		return ".."
	case strings.Contains(text, "~> operator"):
		return "~>"
	case strings.HasPrefix(text, "modulo"):
		return "%"
	}
	return ""
}

// holdsValue tells whether the engine's message may quote data or name Go's types.
func holdsValue(message string) bool {
	return strings.ContainsAny(message, `"%`) || strings.Contains(message, ", got ") || strings.Contains(message, "type ")
}

// offsetOf is the byte where the function or operator stands in the source when
// that is one place only, else -1.
func (e *JSONata) offsetOf(subject string) int {
	offset := -1
	if subject == "" {
		return offset
	}
	for i := range e.tokens {
		if e.tokens[i].text != subject || e.tokens[i].kind == tokenOperator && e.tokens[i].prefix {
			continue
		}
		if offset >= 0 {
			return -1
		}
		offset = e.tokens[i].start
	}
	return offset
}

// evalMessages say what the engine's codes mean: found and expected, without data.
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
