package jsonata

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

func TestReferences(t *testing.T) {
	for source, want := range map[string]string{
		`1`:                                ``,
		`$`:                                ``,
		`$.entry.directory`:                `entry.directory@2`,
		`entry.directory`:                  `entry.directory@0`,
		`$$.a.b`:                           `a.b@3`,
		"`my node`.x":                      `my node.x@0`,
		`$."my node".x`:                    `my node.x@2`,
		`a + b.c`:                          `a@0 b.c@4`,
		`list.items[price > 5].name`:       `list.items.name@0`,
		`list.items[price > $$.entry.min]`: `list.items@0 entry.min@22`,
		`list.items[0].name`:               `list.items.name@0`,
		`list.items.(name & $.x)`:          `list.items@0`,
		`$.(a + b)`:                        `a@3 b@7`,
		`(a; b.c)`:                         `a@1 b.c@4`,
		`{"x": a, b: c.d}`:                 `a@6 b@9 c.d@12`,
		`[a, b..c]`:                        `a@1 b@4 c@7`,
		`$map(list, function($v, $i){$v.x + other.y})`: `list@5 other.y@35`,
		`($x := entry; $x.y)`:                          `entry@7`,
		`($c := $; $c.entry.n)`:                        `entry.n@13`,
		`($c := $$; list[id = $c.entry.id])`:           `list@11 entry.id@24`,
		`list^(price)`:                                 `list@0`,
		`list{kind: $sum(price)}`:                      `list@0`,
		`a ?? b ?: c`:                                  `a@0 b@5 c@10`,
		`a ? b : c`:                                    `a@0 b@4 c@8`,
		`list#$i.{"i": $i, "n": name}`:                 `list@0`,
		`list@$l.other[id = $l.id]`:                    `list.other@0`,
		`list.tags.(%.name)`:                           `list.tags@0`,
		`/* a.b */ c`:                                  `c@10`,
		`a ~> $f`:                                      `a@0`,
		`entry ~> |items|{"x": y}|`:                    `entry@0`,
		`$nodeExecution("loop", -1).n`:                 `loop.n@15 nodeExecution`,
		`$executionCount('loop')`:                      `loop@16 executionCount`,
		`$nodeExecutions("a b")[0].x`:                  `a b.x@16 nodeExecutions`,
		`$nodeExecution(entry.id, 0)`:                  `entry.id@15`,
		`$previousNode().x`:                            ``,
		`*.x`:                                          ``,
		`**.x`:                                         ``,
		`function($x)<n:n>{$x + a}`:                    `a@23`,
		`items[0] / 2`:                                 `items@0`,
		`and.or.in`:                                    `and.or.in@0`,
		`$merge([$, {"x": entry.n}]).entry.n`:          `entry.n@17`,
	} {
		// Variables that are not bound are unknown functions.
		e, err := compile(source, &Options{}, func([]token, map[string]*builtin) *SyntaxError { return nil })
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		var got []string
		for _, r := range e.References() {
			text := fmt.Sprintf("%s@%d", strings.Join(r.Path, "."), r.Offset)
			if r.Function != "" {
				text += " " + r.Function
			}
			got = append(got, text)
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%s reads %q, want %q", source, text, want)
		}
	}
}

// TestTreesOfPairs holds that every expression that compiles has a tree.
func TestTreesOfPairs(t *testing.T) {
	_, cases := pairs(t, filepath.Join("testdata", "pairs.jsonl"))
	for i := range cases {
		if e, err := Compile(t.Context(), cases[i].Expr); err == nil && e.Tree() == nil {
			t.Errorf("%s has no tree", cases[i].Expr)
		}
	}
}
