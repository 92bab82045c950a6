package jsonata

import (
	"strings"

	"toolgraph/expressions"
	"toolgraph/internal/wording"
)

// checkNames refuses $eval, and calls of functions that do not exist.
func checkNames(tokens []token) *expressions.SyntaxError {
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
			return &expressions.SyntaxError{
				Offset: t.start, Token: t.text, Message: "$eval is not available: data is never run as an expression",
				Hint: "write the expression itself",
			}
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
		if !IsFunction(t.value) && t.value != "" && t.value != "$" {
			err := &expressions.SyntaxError{Offset: t.start, Token: t.text, Message: "there is no function " + wording.Shorten(t.text)}
			if near := Nearest(t.value, functionNames); near != "" {
				err.Hint = `did you mean "$` + near + `"?`
			}
			return err
		}
	}
	return nil
}

// isParameter tells whether the variable stands in a list function($a, $b).
func isParameter(tokens []token, i int) bool {
	for i--; i > 0; i-- {
		switch t := &tokens[i]; {
		case t.kind == tokenVariable || t.is(","):
		case t.is("("):
			return isFunctionWord(&tokens[i-1])
		default:
			return false
		}
	}
	return false
}

func isFunctionWord(t *token) bool {
	return t.kind == tokenName && (t.text == "function" || t.text == "λ")
}

// Nearest is the name most like the one given, or empty when none is near.
func Nearest(name string, names []string) string {
	best, limit := "", max(1, len(name)/3)+1
	for _, candidate := range names {
		if strings.EqualFold(candidate, name) {
			return candidate
		}
		if d := editDistance(strings.ToLower(name), strings.ToLower(candidate), limit); d < limit {
			best, limit = candidate, d
		}
	}
	return best
}

// editDistance is how many letters to add, drop, change or swap make b of a; limit
// when that many or more.
func editDistance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	var older, before []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		older, before, row = before, row, make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(before[j]+1, row[j-1]+1, before[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], older[j-2]+1)
			}
		}
	}
	return min(row[len(b)], limit)
}
