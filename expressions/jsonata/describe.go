package jsonata

import "strings"

// letterNames are the letters of signatures as names of types.
var letterNames = map[byte]string{
	's': "string", 'n': "number", 'b': "boolean", 'l': "null", 'a': "array", 'o': "object", 'f': "function", 'x': "any", 'j': "any", 'm': "nothing",
}

// historySignatures are those of the functions that check their arguments themselves.
var historySignatures = map[string]string{
	"previousNode":   "(n: number?) → any: the output of the n-th execution before this one",
	"executionCount": "(id: string) → number: how often a node has finished",
	"nodeExecution":  "(id: string, i: number) → any: the i-th output of a node; -1 is the last one",
	"nodeExecutions": "(id: string) → array: all outputs of a node",
}

// Signature returns the parameters and the result of a function of the library for people, such as
// "(string, number, number?) → string"; "" for other names. A parameter with ? may be left out.
func Signature(name string) string {
	if text := historySignatures[name]; text != "" {
		return text
	}
	b := library()[name]
	if b == nil || b.signature == nil {
		return ""
	}
	var params []string
	for _, p := range b.signature.params {
		params = append(params, p.typeName())
	}
	out := "(" + strings.Join(params, ", ") + ")"
	if _, result, ok := strings.Cut(b.types, ":"); ok {
		result = strings.TrimSuffix(result, ">")
		out += " → " + letterNames[result[0]]
		if len(result) > 2 {
			out += " of " + letterNames[result[2]] + "s"
		}
	}
	return out
}

// typeName returns the parameter's type.
func (p *parameter) typeName() string {
	word := letterNames[p.letter]
	if p.letter == '(' {
		var words []string
		for i := range len(p.types) - 1 { // the last one is missing
			words = append(words, letterNames[p.types[i]])
		}
		word = strings.Join(words, " or ")
	}
	if p.subtype != 0 {
		word += " of " + letterNames[p.subtype] + "s"
	}
	switch {
	case p.optional:
		word += "?"
	case p.many:
		word += " …"
	}
	return word
}
