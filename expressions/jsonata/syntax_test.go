package jsonata

import (
	"errors"
	"strings"
	"testing"
	"time"

	"toolgraph/expressions/value"
)

func TestSyntaxErrors(t *testing.T) {
	for _, c := range []struct {
		source        string
		offset        int
		token         string
		message, hint string // parts of them
	}{
		{``, 0, ``, `empty`, ``},
		{`  `, 0, ``, `empty`, ``},
		{`entry.n +`, 9, ``, `the end`, ``},
		{`entry.n + * 2`, 12, `2`, `expected an operator`, ``},
		{`(a; b`, 0, `(`, `( is not closed`, `add )`},
		{`[1, 2)`, 5, `)`, `expected ] to close the [ at character 1`, ``},
		{`a]`, 1, `]`, `without its opening`, ``},
		{`"abc`, 0, `"`, `string is not closed`, `add a closing "`},
		{"a.`b", 2, "`", `name is not closed`, ``},
		{`/ab`, 0, `/`, `regular expression is not closed`, ``},
		{`/a/x`, 3, `x`, `unknown flag`, ``},
		{`/(?=a)/`, 0, `/(?=a)/`, `regular expression`, ``},
		{`1 /* x`, 2, `/*`, `comment is not closed`, ``},
		{`$substringBefor("a", "b")`, 0, `$substringBefor`, `unknown function`, `did you mean "$substringBefore"?`},
		{`x.$Uppercase()`, 2, `$Uppercase`, `unknown function`, `did you mean "$uppercase"?`},
		{`$nodeExecutoin("a", 1)`, 0, `$nodeExecutoin`, `unknown function`, `did you mean "$nodeExecution"?`},
		{`$zzzzzzzzz()`, 0, `$zzzzzzzzz`, `unknown function`, ``},
		{`{"a" 1}`, 5, `1`, `expected :`, ``},
		{`function(x){1}`, 9, `x`, `parameter`, ``},
		{`a b`, 2, `b`, `expected an operator`, ``},
		{`a ?? b c`, 7, `c`, `expected an operator`, ``},
		{`function($x)<n:n{$x}`, 12, `<`, `not closed`, `>`},
		{`x@y`, 2, `y`, `$variable`, ``},
		{`1e999`, 0, `1e999`, `number`, ``},
		{`"\q"`, 0, `"\q"`, `backslash`, ``},
		{"a\xff", 1, ``, `UTF-8`, ``},
		{`true.n`, 0, `true`, `step of a path`, "`true`"},
		{`a.1`, 2, `1`, `step of a path`, "`1`"},
		{`1..2`, 1, `..`, `an operator or the end`, ``},
		{`a{b: 1}{c: 2}`, 0, ``, `only one grouping`, ``},
		{`%.a`, 0, ``, `% has no parent here`, ``},
		{`x := 1`, 2, `:=`, `$variable`, ``},
		{`$sum(a, )`, 8, `)`, `operand`, ``},
		{`[?]`, 1, ``, `found ?`, ``},
		{strings.Repeat("(", 101) + "1" + strings.Repeat(")", 101), 100, `(`, `deeper than 100`, ``},
	} {
		_, err := Compile(t.Context(), c.source)
		var syntax *SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("%q: %v, want a *SyntaxError", c.source, err)
			continue
		}
		if syntax.Offset != c.offset || syntax.Token != c.token {
			t.Errorf("%q: at %d %q, want %d %q (%s)", c.source, syntax.Offset, syntax.Token, c.offset, c.token, syntax.Message)
		}
		if !strings.Contains(syntax.Message, c.message) || !strings.Contains(syntax.Hint, c.hint) {
			t.Errorf("%q: %q (%q), want %q (%q)", c.source, syntax.Message, syntax.Hint, c.message, c.hint)
		}
	}
}

func TestNewerOperatorsCompile(t *testing.T) {
	for _, source := range []string{
		`a ?? b`, `a ?: b`, `a.b.%.c`, `a@$x.b[$x.id = id]`, `a#$i[$i < 2]`, `a."b c".d`, `/* x */ a`, "`a b`.c",
		`function($x)<n-:n>{$x}`, `$map(a, function($x){{"a": $x}}) < 1`, `function(){1} < 2`, `λ($x){$x}`, `a ~> |b|{"c":1},["d"]|`, `a^(<b, >c)`, `$map(a, function($v){$v})`,
		`($f := $substring(?, 0, 2); $f("abc"))`, `$f := function(){1}`, `a{b: c}`, `a.*[0]`, `**.b`, `$`, `$$`, `and`, `a and b or c in d`,
	} {
		e, err := Compile(t.Context(), source)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		if e.Source() != source {
			t.Errorf("%s: Source is %s", source, e.Source())
		}
		if e.Tree() == nil {
			t.Errorf("%s has no tree", source)
		}
	}
}

func FuzzCompile(f *testing.F) {
	for _, seed := range []string{
		`$.a[0] / 2 & "x"`, `a{b: c}.d`, `(a; b)`, `$map(x, function($v){$v})`, `/a[b]\//i`, `a@$b#$c.%`, "`x`.\"y\"", `|a|b,c|`, `$.a[&]0`, `a.^&b`, `&{}[]`,
		`a#$i[0].c@$v{b: $v}`, `a.c.%.b^(>$)`, `$reduce(a, function($p, $v){$p ~> |$|{"z": $v}, "b"|}, {})`, `[a.[b]][[0..1]] ?? (f($x)[0])[]`, `$f := λ($a)<x-:x>{$f}`,
	} {
		f.Add(seed)
	}
	data := contextOf(f, `{"a":[{"b":1,"c":["x"]},{"b":2,"c":[]}],"x":{"y":[[1],[2,3]]},"c":"text","d":[],"e":null}`)
	f.Fuzz(func(t *testing.T, source string) {
		e, err := Compile(t.Context(), source)
		if err == nil {
			for _, r := range e.References() {
				if r.Offset < 0 || r.Offset >= len(source) || len(r.Path) == 0 {
					t.Fatalf("%q: reference %+v", source, r)
				}
			}
			// Whatever compiles gives a value or an *EvalError.
			ev := evaluation{Meter: value.MakeMeter(t.Context(), &value.Limits{Time: 50 * time.Millisecond, Heap: maxGrowth}), scope: NewScope(data, nil)}
			v, err := e.run(&ev, data, &bindings{}, value.MaxBytes)
			if _, fault := value.Encode(v); err == nil && fault != nil {
				t.Fatalf("%q: %v", source, fault)
			}
			if err != nil && codeOf(err) == "" {
				t.Fatalf("%q: %v", source, err)
			}
			return
		}
		var syntax *SyntaxError
		if !errors.As(err, &syntax) {
			t.Fatalf("%q: %v", source, err)
		}
		if syntax.Offset < 0 || syntax.Offset > len(source) || syntax.Message == "" {
			t.Fatalf("%q: %+v", source, syntax)
		}
	})
}
