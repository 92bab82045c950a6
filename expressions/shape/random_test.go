package shape

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"toolgraph/expressions"
)

// corpus are expressions over {a, b, c}, whatever these are.
var corpus = strings.Split(strings.TrimSpace(`
$
$$
a
a.b
a.b.c
$.a.a
a.b.c[0]
a[0]
a[-1].b
a[1]
a[[0..1]]
a[b]
a[b = c]
a[b > 1].c
a[$ > 1]
a[$exists(b)]
(a.b)[0]
a.b[0].c[0]
a[]
a.b[]
a[0][]
a.*
a.*.*
*
a.**
**.b
a.$
a.$.b
a.(b)
a.(b; c)
a.(b & c)
a.[b, c]
a.[b, c][]
a.{"x": b}
a.{"x": b, "y": c}.x
a{b: c}
a{"k": b}
a{"k": $sum(b)}
a.b{$: $count($)}
a^(b)
a^(b, >c)
a^(b).c
a^(b)[0]
a.b^($)
a#$i
a#$i.{"i": $i, "b": b}
a#$i[$i < 1].b
a@$x.b
a@$x.{"x": $x}
a@$x.b@$y.{"x": $x.c, "y": $y}
a.b.(%.c)
a.b.{"p": %.c}
[a, b]
[a]
[[a], b]
[a.b]
[a..b]
[1..3]
{"x": a}
{"x": a, "y": [b]}
{a: b}
{"x": a, b: c}
{"x": {"y": a.b}}
a + b
a - 1
-a
a * b.c
a % b
a & b
a = b
a != b
a < b
a >= 1
a in b
a in [b, c]
a and b
a or b
a ?? b
a.b ?? c
a ?: b
a ? b : c
a ? b
a.b ? a.b : c
a = b ? a : c
$exists(a.b) ? a.b : "none"
$type(a) = "string" ? $length(a) : b
$not(a) ? b : a
a and b ? a : c
($x := a; $x.b)
($x := a; $y := $x ?? b; [$x, $y])
($f := function($v){$v.b}; $f(a))
($f := function($v, $w){[$v, $w]}; $f(a, b))
($f := function($v)<a:a>{$v}; $f(a))
($f := function($v)<s-:s>{$v}; $f(a))
(a ? $x := b : c; $x)
a.($x := b; $x)
$string(a)
$number(a)
$length(a)
$uppercase(a)
$substring(a, 1)
$split(a, ",")
$split(a, ",")[0]
$join(a)
$join(a, b)
$sum(a)
$sum(a.b)
$max(a)
$average(a.b)
$count(a)
$append(a, b)
$append(a, [])
$reverse(a)
$distinct(a)
$distinct(a.b)
$sort(a)
$sort(a, function($l, $r){$l.b > $r.b})
$zip(a, b)
$flatten(a)
$flatten(a, 1)
$shuffle(a)
$map(a, function($v){$v})
$map(a, function($v, $i){{"i": $i, "v": $v.b}})
$map(a, function($v, $i, $all){$count($all)})
$map(a, $string)
$map(a.b, $uppercase)
$map(a, function($v){[$v]})
$map(a, function($v){b})
$filter(a, function($v){$v.b})
$filter(a, function($v, $i){$i > 0})
$reduce(a, function($x, $y){$x + $y})
$reduce(a, function($x, $y){$append($x, $y.b)}, [])
$reduce(a, function($x, $y){$y}, b)
$single(a)
$single(a, function($v){true})
$each(a, function($v, $k){$k})
$each(a, function($v){$v})
$sift(a, function($v){$v})
$keys(a)
$values(a)
$lookup(a, "b")
$lookup(a, b)
$merge(a)
$merge([a, b])
$merge([a, {"b": 1}])
$merge([{"b": 1}, a]).b
$spread(a)
$type(a)
$boolean(a)
$not(a)
$exists(a)
$contains(a, "x")
$replace(a, "x", "y")
$match(a, /x/)
$fromMillis(a)
$toMillis(a)
$formatBase(a, 2)
$round(a)
$trim(a) ~> $length
a ~> $map(function($v){$v}) ~> $count
a ~> $append(b)
a ~> $string
a ~> |$|{"z": 1}|
a ~> |b|{"z": 1}, "c"|
$ ~> |a|{"z": b}|
a.$string(b)
a.$map(b, function($v){$v})
a.b.$count($)
$previousNode()
$executionCount("a")
$nodeExecutions("a")
a[0].b + a[1].b
a.b = "x" or c
{"n": (a.b ?? 0) + 1}
[a[b = "x"].c]
$map([a, b], function($v){$v.c})[0]
$count(a[b].c) > 0 ? a[b].c : c
`), "\n")

// randomValue draws a JSON value in which the names a, b and c are often to be found.
func randomValue(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		kind := rapid.IntRange(0, 9).Draw(t, "kind")
		switch {
		case kind <= 1 || depth <= 0 && kind > 5:
			return rapid.SampledFrom([]any{0.0, 1.0, 2.0, -1.5, 3.0}).Draw(t, "number")
		case kind <= 3:
			return rapid.SampledFrom([]any{"", "x", "y", "12", "a", "b"}).Draw(t, "string")
		case kind == 4:
			return rapid.Bool().Draw(t, "boolean")
		case kind == 5:
			return nil
		case kind <= 7:
			return rapid.SliceOfN(randomValue(depth-1), 0, 3).Draw(t, "array")
		}
		out := map[string]any{}
		for _, name := range []string{"a", "b", "c"} {
			if rapid.IntRange(0, 3).Draw(t, name) > 0 {
				out[name] = randomValue(depth-1).Draw(t, name)
			}
		}
		return out
	})
}

// randomShape draws a shape that v has.
func randomShape(t *rapid.T, v expressions.Value) Shape {
	switch rapid.IntRange(0, 5).Draw(t, "shape") {
	case 0:
		return Constant(v)
	case 1:
		return OfValue(v)
	case 2:
		return OfSchema(OfValue(v).Schema())
	case 3:
		return OfSchema(Constant(v).Schema())
	case 4:
		return Union(Constant(v), Constant(expressions.FromPlain(randomValue(2).Draw(t, "other"))))
	}
	return Union(OfValue(v), OfValue(expressions.FromPlain(randomValue(2).Draw(t, "other"))))
}

// TestSound holds, for random values and shapes that they have, that the value of an
// expression has the shape that is inferred for it.
func TestSound(t *testing.T) {
	compiled := make([]*expressions.JSONata, len(corpus))
	for i, source := range corpus {
		e, err := expressions.CompileJSONata(source)
		if err != nil {
			t.Fatalf("%s: %v", source, err)
		}
		compiled[i] = e
	}
	rapid.Check(t, func(rt *rapid.T) {
		root, fields := map[string]any{}, []Field(nil)
		for _, name := range []string{"a", "b", "c"} {
			if rapid.IntRange(0, 5).Draw(rt, name) == 0 {
				fields = append(fields, Field{Name: name, Shape: Number(), Optional: true})
				continue
			}
			v := expressions.FromPlain(randomValue(3).Draw(rt, name))
			root[name] = v
			fields = append(fields, Field{Name: name, Shape: randomShape(rt, v), Optional: rapid.Bool().Draw(rt, "optional")})
		}
		data := expressions.FromPlain(root)
		focus := Object(fields, rapid.Bool().Draw(rt, "open"))
		if !focus.Has(data) {
			rt.Fatalf("%s is no shape of %v", focus, expressions.Plain(data))
		}
		for i, source := range corpus {
			if complaint, _ := unsound(source, compiled[i], data, focus); complaint != "" {
				text, _ := expressions.Encode(data)
				rt.Fatalf("%s, in fact %s", complaint, text)
			}
		}
	})
}
