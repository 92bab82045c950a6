package jsonata

import (
	"toolgraph/internal/base/wording"
)

// checkNames refuses $eval, and calls of functions that do not exist: neither in the library nor among more.
func checkNames(tokens []token, more map[string]*builtin) *SyntaxError {
	bound := map[string]bool{}
	parameters := false // inside of function(…)
	for i := range tokens {
		if i > 0 && tokens[i].is("(") && isFunctionWord(&tokens[i-1]) {
			parameters = true
		}
		parameters = parameters && !tokens[i].is(")")
		t := &tokens[i]
		if t.kind != tokenVariable {
			continue
		}
		if t.value == "eval" {
			return syntaxError(t.start, t.text, "$eval is not available: data is never run as an expression", "write the expression itself; no function parses JSON, which only a whole answer of a server is read as")
		}
		// Assigned, a focus or index variable, or a parameter.
		if i+1 < len(tokens) && tokens[i+1].is(":=") || i > 0 && (tokens[i-1].is("@") || tokens[i-1].is("#")) || parameters {
			bound[t.value] = true
		}
	}
	for i := range tokens {
		t := &tokens[i]
		if t.kind != tokenVariable || bound[t.value] || i+1 >= len(tokens) || !tokens[i+1].is("(") {
			continue
		}
		if !IsFunction(t.value) && more[t.value] == nil && t.value != "" && t.value != "$" {
			hint, function := FunctionHint(t.value)
			found := syntaxError(t.start, t.text, "unknown function "+wording.Shorten(t.text), hint)
			if function != "" {
				found.Fix = replaceBy(t.start, t.start+len(t.text), "$"+function)
			}
			return found
		}
	}
	return nil
}

func isFunctionWord(t *token) bool {
	return t.kind == tokenName && (t.text == "function" || t.text == "λ")
}
