package jsonata

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// Syntax of other languages is reported with the JSONata to write instead, at the place of
// the operator.
func TestForeignOperatorsAreReported(t *testing.T) {
	for _, c := range []struct {
		source string
		offset int
		token  string
		hint   string
	}{
		{`$.entry.x == 1`, 10, `==`, `write =`},
		{`$.entry.x === 1`, 10, `===`, `write =`},
		{`$.entry.x==1`, 9, `==`, `write =`},
		{`$.entry.x !== 1`, 10, `!==`, `write !=`},
		{`$.entry.x <> 1`, 10, `<>`, `write !=`},
		{`a && b`, 2, `&&`, `write and`},
		{`a || b`, 2, `||`, `write or`},
		{`a = 1 || b == 2`, 6, `||`, `write or`},
		{`$map(l, x => x + 1)`, 10, `=>`, `write function($x){ … }`},
		{`$map(l, ($x) => $x)`, 13, `=>`, `write function($x){ … }`},
		{`$map(l, x -> x)`, 10, `->`, `write function($x){ … }`},
		{`!a`, 0, `!`, `write $not(…)`},
		{`a = 1 and !b`, 10, `!`, `write $not(…)`},
		{`(!a; 1)`, 1, `!`, `write $not(…)`},
		{`not a`, 0, `not`, `write $not(…)`},
		{`a?.b`, 1, `?.`, `write . alone: a field that is missing yields nothing`},
		{`{...$.entry, "a": 1}`, 1, `...`, `write $merge([a, b]) to join two objects`},
		{`$x := 1; $x`, 7, `;`, `put ( ) around several expressions`},
		{`return 1`, 0, `return`, `leave it out: the last expression is the value`},
		{`let x = 1`, 0, `let`, `write ($x := …; …)`},
		{`{{entry.x}}`, 0, `{{`, `write $.entry.x`},
		{`{{ $.entry.x }}`, 0, `{{`, `write $.entry.x`},
		{`{{ .entry.x }}`, 0, `{{`, `write $.entry.x`},
		{`"a" & {{entry.x}}`, 6, `{{`, `write $.entry.x`},
		{`${entry.x}`, 0, `${`, `write $.entry.x`},
		{`"a" & ${entry.x}`, 6, `${`, `write $.entry.x`},
		{`${$uppercase(entry.x)}`, 0, `${`, `remove the braces`},
		// The place that failed decides: what comes later is not blamed for it.
		{`a b == c`, 2, `b`, ``},
		{`{"a" 1} == 2`, 5, `1`, ``},
		{`[a; b]`, 2, `;`, ``},
	} {
		_, err := Compile(t.Context(), c.source)
		var syntax *SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("%q: %v, want a *SyntaxError", c.source, err)
			continue
		}
		if syntax.Offset != c.offset || syntax.Token != c.token || syntax.Hint != c.hint {
			t.Errorf("%q: at %d %q (%q), want %d %q (%q): %s", c.source, syntax.Offset, syntax.Token, syntax.Hint, c.offset, c.token, c.hint, syntax.Message)
		}
	}
}

// What only looks foreign compiles as ever.
func TestForeignLookalikesCompile(t *testing.T) {
	for _, source := range []string{
		`'it' = "it"`, `a ? b`, `a ?: b`, `not`, `let.const.return`, `a & "&&" & "{{x}}" & '${y}'`,
		`${"a": b}`, `a.{"b": {"c": 1}}`, `a = -1`, `a < b`, `a=-b`, `$.l[x != 1]`, `a ~> $uppercase`, "`==`",
	} {
		if _, err := Compile(t.Context(), source); err != nil {
			t.Errorf("%q: %v", source, err)
		}
	}
}

func TestPlusOfTextsNamesTheOperatorThatJoins(t *testing.T) {
	for source, hinted := range map[string]bool{`s + "b"`: true, `1 + s`: true, `s - 1`: false, `s * 2`: false} {
		_, err := mustCompile(t, source).Eval(context.Background(), NewScope(map[string]any{"s": "a"}, nil))
		if err == nil || strings.Contains(err.Error(), "use & to join strings") != hinted {
			t.Errorf("%s: %v, hinted %v", source, err, hinted)
		}
	}
}
