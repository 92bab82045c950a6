package jsonata

import (
	"strings"
	"testing"
)

// outline is the tree as text: kind:text(parts).
func outline(t *Tree) string {
	text := string(t.Kind)
	if t.Text != "" {
		text += ":" + t.Text
	}
	if len(t.Parts) == 0 {
		return text
	}
	parts := make([]string, len(t.Parts))
	for i := range t.Parts {
		parts[i] = outline(&t.Parts[i])
	}
	return text + "(" + strings.Join(parts, " ") + ")"
}

func TestTree(t *testing.T) {
	for source, want := range map[string]string{
		`$.a.b[x > 1.5] & "s"`:            `operator:&(path(context:$ name:a predicate(name:b operator:>(name:x number:1.5))) string:s)`,
		`$sum(list.(-3 + qty)) ?? 0`:      `operator:??(call(variable:sum path(name:list block(operator:+(number:-3 name:qty)))) number:0)`,
		`a or b`:                          `operator:or(name:a name:b)`,
		`($f := function($x){$x}; $f(?))`: `block(assignment(variable:f function(parameter:x variable:x)) partial call(variable:f placeholder:?))`,
		`a ? {"k": null} : [true, 1..2]`:  `conditional(name:a object(string:k literal:null) array(literal:true operator:..(number:1 number:2)))`,
		`a ~> |b|{}, "c"|`:                `operator:~>(name:a transform(name:b object string:c))`,
		`list^(>x){k: v}`:                 `group(sort:>(name:list name:x) name:k name:v)`,
		`*.**./a/`:                        `path(wildcard:* descendants:** pattern:a)`,
	} {
		e := mustCompile(t, source)
		tree := e.Tree()
		if tree == nil {
			t.Errorf("%s has no tree", source)
			continue
		}
		if got := outline(tree); got != want {
			t.Errorf("%s is\n     %s\nwant %s", source, got, want)
		}
	}
}

// TestTreePrecedence holds that operators bind as the engine binds them.
func TestTreePrecedence(t *testing.T) {
	for source, want := range map[string]string{
		`a ?? b = c`:                    `operator:??(name:a operator:=(name:b name:c))`,
		`a = b ?? c`:                    `operator:??(operator:=(name:a name:b) name:c)`,
		`a ?? b ? c : d`:                `operator:??(name:a conditional(name:b name:c name:d))`,
		`a ~> $f = b`:                   `operator:=(operator:~>(name:a variable:f) name:b)`,
		`-a.b * 2`:                      `operator:*(operator:-(path(name:a name:b)) number:2)`,
		`a - b - c`:                     `operator:-(operator:-(name:a name:b) name:c)`,
		`a.b.c[0][x].d`:                 `path(name:a name:b predicate(name:c number:0 name:x) name:d)`,
		`(a.b)[0]`:                      `predicate(block(path(name:a name:b)) number:0)`,
		`a.b[].c`:                       `path(name:a keep:[](name:b) name:c)`,
		`a@$v.b#$i.%`:                   `path(focus:v(name:a) index:i(name:b) parent:%)`,
		`a.b^(<x, >y).c`:                `path(sort:<>(path(name:a name:b) name:x name:y) name:c)`,
		`a."b c".(d)`:                   `path(name:a name:b c block(name:d))`,
		`$x := $y := a + b`:             `assignment(variable:x assignment(variable:y operator:+(name:a name:b)))`,
		`function($a, $b)<n-n:n>{ $a }`: `function:<n-n:n>(parameter:a parameter:b variable:a)`,
		`f(a)(b)`:                       `call(call(name:f name:a) name:b)`,
		`a in b and c or d`:             `operator:or(operator:and(operator:in(name:a name:b) name:c) name:d)`,
		`[1..3, {"a": b, c: d}]`:        `array(operator:..(number:1 number:3) object(string:a name:b name:c name:d))`,
	} {
		if got := outline(mustCompile(t, source).Tree()); got != want {
			t.Errorf("%s is\n     %s\nwant %s", source, got, want)
		}
	}
}

// TestTreePlaces holds that every part of a tree stands where it says.
func TestTreePlaces(t *testing.T) {
	for _, source := range []string{
		`$.a.b[x > 1.5] & "s"`, `$sum(list.(-3 + qty)) ?? 0`, `a ? {"k": null} : [true, 1..2]`, `(a; $b := /x/i)`,
		`a ~> |b|{}, "c"|`, `list^(>x){k: v}`, `function($x)<n:n>{$x}`, `a@$v.b#$i[0].%.*.**[]`, `$pad(?, -1)`, `- a.b`,
	} {
		tree := mustCompile(t, source).Tree()
		if tree.Offset != 0 || tree.End != len(source) {
			t.Errorf("%s is %d to %d of %d", source, tree.Offset, tree.End, len(source))
		}
		var check func(part *Tree)
		check = func(part *Tree) {
			switch part.Kind {
			case NameKind, NumberKind, LiteralKind, ContextKind, WildcardKind, DescendantsKind, ParentKind, PlaceholderKind:
				if got := source[part.Offset:part.End]; got != part.Text {
					t.Errorf("%s: %s %q stands at %q", source, part.Kind, part.Text, got)
				}
			}
			for i := range part.Parts {
				if inner := &part.Parts[i]; inner.Offset < part.Offset || inner.End > part.End {
					t.Errorf("%s: %s at %d-%d is not within %s at %d-%d",
						source, inner.Kind, inner.Offset, inner.End, part.Kind, part.Offset, part.End)
				}
				check(&part.Parts[i])
			}
		}
		check(tree)
	}
}

// TestTreeOfOfficialSuite holds that whatever compiles has a tree.
func TestTreeOfOfficialSuite(t *testing.T) {
	for _, c := range officialCases(t, officialDir(t)) {
		if e, err := compile(c.Expr, &Options{}, func([]token, map[string]*builtin) *SyntaxError { return nil }); err == nil && e.Tree() == nil {
			t.Errorf("%s has no tree", c.Expr)
		}
	}
}
