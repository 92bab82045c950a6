package jsonata

import "strings"

// letterNames are the letters of signatures as names of types.
var letterNames = map[byte]string{
	's': "string", 'n': "number", 'b': "boolean", 'l': "null", 'a': "array", 'o': "object", 'f': "function", 'x': "any", 'j': "any", 'm': "nothing",
}

// Signature returns the parameters and the result of a function of the library for people, such as
// "(string, number, number?) → string"; "" for other names. A parameter with ? may be left out.
func Signature(name string) string {
	if f := findHistory(name); f != nil {
		return f.signature
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
