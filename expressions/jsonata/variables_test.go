package jsonata

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"toolgraph/expressions/value"
)

func TestVariablesOfTheScope(t *testing.T) {
	scope := NewScope(map[string]any{"entry": mustDecode(t, `{"list":[1,2]}`)}, nil)
	scope.Variables = map[string]value.Value{
		"item": mustDecode(t, `{"name":"a","tags":["x","y"]}`), "index": 3.0, "failure": nil, "result": value.Null, "count": "never",
	}
	for source, want := range map[string]string{
		`$item.name`:                             `"a"`,
		`$item.tags[1] & $index`:                 `"y3"`,
		`[$item.tags, $index]`:                   `["x","y",3]`,
		`entry.list.($ + $index)`:                `[4,5]`,
		`$map(entry.list, function($n){$index})`: `[3,3]`,
		`$exists($failure)`:                      `false`,
		`$exists($attempt)`:                      `false`,
		`$failure.code ?? "none"`:                `"none"`,
		`$type($result)`:                         `"null"`,
		`$item.entry`:                            `undefined`,
		`$count(entry.list)`:                     `2`,
		// Its own bindings hide them.
		`($item := 7; $item)`:                         `7`,
		`($item := 7; $index) + $item.name.$length()`: `4`,
		`$map(entry.list, function($item){$item})`:    `[1,2]`,
		`entry.list#$index.($index)`:                  `[0,1]`,
		`entry.list@$item.($item)`:                    `[1,2]`,
		`($item := $item.name; $item)`:                `"a"`,
	} {
		if got := evalText(t, source, scope); got != want {
			t.Errorf("%s is %s, want %s", source, got, want)
		}
	}
	scope.Variables = nil
	if got := evalText(t, `$item.name`, scope); got != "undefined" {
		t.Errorf("without variables it is %s", got)
	}
}

func TestVariables(t *testing.T) {
	for source, want := range map[string]string{
		`$item`:                                `item@0`,
		`$.a[b = $item.c] & $index`:            `item@8 index@19`,
		`$failure.code ~> $uppercase`:          `failure@0`,
		`$a := $result; $x`:                    ``, // one expression has no ;
		`($a := $result; $x + $a)`:             `result@7 x@16`,
		`($item := 1; $item)`:                  ``,
		`($item := 1; $item) + $item`:          `item@22`,
		`function($item){$item + $index}`:      `index@24`,
		`$map(a, function($v){$v + $attempt})`: `attempt@26`,
		`a@$item.b[c = $item]`:                 ``,
		`a#$index[$index > 1]`:                 ``,
		`{"x": $item}{$index: $failure}`:       `item@6 index@13 failure@21`,
		`a ~> |b|{"c": $item}|`:                `item@14`,
		`a^($item)`:                            `item@3`,
		`$item.entry.x`:                        `item@0`,
		`"$item" & item & /$item/`:             ``,
		`$unknown + $count(a)`:                 `unknown@0`,
	} {
		e, err := compile(source, &Options{}, func([]token, map[string]*builtin) *SyntaxError { return nil })
		if err != nil {
			if want != "" {
				t.Errorf("%s: %v", source, err)
			}
			continue
		}
		var got []string
		for _, v := range e.Variables() {
			got = append(got, fmt.Sprintf("%s@%d", v.Name, v.Offset))
			if !strings.HasPrefix(source[v.Offset:], "$"+v.Name) {
				t.Errorf("%s: $%s is not at %d", source, v.Name, v.Offset)
			}
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%s reads %q, want %q", source, text, want)
		}
	}
	if refs := mustCompile(t, `$item.entry.x & $failure.y`).References(); len(refs) > 0 {
		t.Errorf("a variable is a reference to the context: %v", refs)
	}
}

// The fields behind a variable are the part of its value that is read.
func TestPathsOfVariables(t *testing.T) {
	for source, want := range map[string]string{
		`$vars.top`:                           `top`,
		`$vars.limits.most + $vars.top`:       `limits.most top`,
		`$vars.tags[0].name`:                  `tags`,
		`$vars.tags[$ = $vars.top]`:           `tags top`,
		`$vars.list[]`:                        `list`,
		`$vars.list^(x)`:                      `list`,
		`$vars.list@$l.x`:                     `list`,
		"$vars.`odd name`.x":                  `odd name.x`,
		`$vars`:                               ``,
		`$keys($vars)`:                        ``,
		`$vars.*`:                             ``,
		`$vars.(a + b)`:                       ``,
		`$vars[0].top`:                        ``,
		`$vars.$lookup($, "top")`:             ``,
		`$lookup($vars, "top") & $vars.a`:     ` a`,
		`a.$vars.top`:                         ``,
		`a.{"x": $vars.top}`:                  `top`,
		`($vars := {"top": 1}; $vars.top)`:    `-`,
		`($x := $vars; $x.top)`:               ``,
		`function($vars){$vars.top}($.a)`:     `-`,
		`($f := function(){$vars.top}; $f())`: `top`,
	} {
		var got []string
		for _, v := range mustCompile(t, source).Variables() {
			got = append(got, strings.Join(v.Path, "."))
		}
		text := strings.Join(got, " ")
		if got == nil {
			text = "-"
		}
		if text != want {
			t.Errorf("%s reads %q, want %q", source, text, want)
		}
	}
}

func TestChunk(t *testing.T) {
	scope := NewScope(map[string]any{"list": mustDecode(t, `[1,2,3,4,5]`), "none": mustDecode(t, `[]`), "lists": mustDecode(t, `[[1],[2,3]]`)}, nil)
	for source, want := range map[string]string{
		`$chunk(list, 2)`:               `[[1,2],[3,4],[5]]`,
		`$chunk(list, 5)`:               `[[1,2,3,4,5]]`,
		`$chunk(list, 2147483647)`:      `[[1,2,3,4,5]]`,
		`$chunk(list, 1)`:               `[[1],[2],[3],[4],[5]]`,
		`$chunk(none, 3)`:               `[]`,
		`$chunk(missing, 3)`:            `undefined`,
		`$chunk(list[$ > 4], 3)`:        `[[5]]`,
		`$chunk("a", 3)`:                `[["a"]]`,
		`$chunk(lists, 1)`:              `[[[1]],[[2,3]]]`,
		`$chunk(list.[$], 2)`:           `[[[1],[2]],[[3],[4]],[[5]]]`,
		`$chunk(list, 2).$count($)`:     `[2,2,1]`,
		`list ~> $chunk(3)`:             `[[1,2,3],[4,5]]`,
		`$map([2, 3], $chunk(list, ?))`: `[[[1,2],[3,4],[5]],[[1,2,3],[4,5]]]`,
		`$chunk(list, 0)`:               `error T0410`,
		`$chunk(list, -1)`:              `error T0410`,
		`$chunk(list, 1.5)`:             `error T0410`,
		`$chunk(list, "2")`:             `error T0410`,
		`$chunk(list, missing)`:         `error T0410`,
		`$chunk(list)`:                  `error T0410`,
		`$chunk(list, 2, 3)`:            `error T0410`,
	} {
		if got := evalText(t, source, scope); got != want {
			t.Errorf("%s is %s, want %s", source, got, want)
		}
	}
	_, err := mustCompile(t, `1 + $chunk(list, 0)`).Eval(t.Context(), scope)
	if want := "$chunk expects a number of at least 1 as argument 2"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// Only what $error raises is the author's, and its message is alone.
func TestRaised(t *testing.T) {
	for source, want := range map[string]string{
		`$error("no such city: " & "x")`:       "no such city: x",
		`[1, 2].$error("n" & $)`:               "n1",
		`$map([1], function($n){$error("m")})`: "m",
		`$error()`:                             "$error() function evaluated",
		`$parseInteger("", "0")`:               "",
		`$assert(false, "a")`:                  "",
		`1 + "a"`:                              "",
	} {
		_, err := mustCompile(t, source).Eval(t.Context(), NewScope(nil, nil))
		var eval *Error
		if !errors.As(err, &eval) || eval.Raised != want {
			t.Errorf("%s: %#v, want %q", source, err, want)
		}
	}
}

// Parts of one execution evaluate one expression at once over scopes of their own, which share
// the context and the history.
func TestScopesShareContextAndHistory(t *testing.T) {
	sources := []string{
		`{"n": $item.n, "i": $index, "list": [$.list.n^(>$)], "sum": $sum($.list.n) + $item.n}`,
		`$reverse($sort($.list.n)) ~> $append($item.n)`,
		`$.list ~> |$|{"n": n + $index}|`,
		`($item := $item.n; $map($.list, function($v, $i){$v.n * $item + $i}))`,
		`$nodeExecutions("x").n & $string($previousNode()) & $match($.text, /[a-z]+/).match & $.list{$string(n): $index}.*`,
		`$chunk($distinct($.list.n), 2)[0] & $keys($) & $merge([$.list, $item]).n & $each($item, $string)`,
		`$item.n`,
	}
	h := &outputs{}
	for i := range 20 {
		h.add("x", mustDecode(t, fmt.Sprintf(`{"n":%d}`, i)))
	}
	shared := contextOf(t, `{"list":[{"n":3},{"n":1},{"n":2},{"n":1}],"text":"ab cd","x":{"n":19}}`)
	scopeOf := func(part int) *Scope {
		s := NewScope(shared, h)
		s.Variables = map[string]value.Value{"item": mustDecode(t, `{"n":`+strconv.Itoa(part)+`}`), "index": float64(part)}
		return s
	}
	const parts = 32
	for _, source := range sources {
		e := mustCompile(t, source)
		eval := func(part int) string {
			v, err := e.Eval(context.Background(), scopeOf(part))
			if err != nil {
				return err.Error()
			}
			text, _ := value.Encode(v)
			return string(text)
		}
		var want [parts]string
		for part := range parts {
			want[part] = eval(part)
		}
		var running sync.WaitGroup
		for part := range parts {
			running.Go(func() {
				for range 10 {
					if got := eval(part); got != want[part] {
						t.Errorf("%s in part %d is %s, want %s", source, part, got, want[part])
						return
					}
				}
			})
		}
		running.Wait()
	}
}
