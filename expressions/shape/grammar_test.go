package shape

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// grammar makes random expressions over the data of pairs.jsonl, whose lists have zero, one, two
// and four items.
type grammar struct{ *rand.Rand }

func (g grammar) pick(words ...string) string { return words[g.IntN(len(words))] }

// of picks one of the words of a text.
func (g grammar) of(words string) string { return g.pick(strings.Split(words, " ")...) }

func (g grammar) field() string {
	return g.of("tags tags name price qty id sub opt sub.x sub.list sub.list.w sub.y") //nolint:dupword // what is there twice is picked twice as often
}

func (g grammar) list() string {
	return g.of("items items items items other two nums texts matrix one none obj.b $.items nothing [] items.sub.list items.tags two.v obj nul text $$.items") //nolint:dupword // likewise
}

func (g grammar) condition() string {
	return g.pick("price > 4", "qty = 1", `name = "hat"`, "tags", "sub.x > 3", `"red" in tags`, "$count(tags) = 1", "id < 3", "opt", "true", "false",
		"$exists(sub)", `tags[0] = "red"`, `label = "red"`, "$ > 1", "not_there", "$not(opt)", "sub", "$boolean(tags)")
}

func (g grammar) filter() string {
	if g.IntN(2) == 0 {
		return g.condition()
	}
	return g.pick("0", "-1", "1", "[0..1]", "[0]", "[[0..1]]", "$", "nothing", "[0,0]", "[nothing]", "[1.5]", "$$.n", "[]", `"x"`, "null")
}

func (g grammar) order() string {
	return g.pick("price", ">price", "<name", "name, >price", "qty, id", ">id", "$", ">$", "sub.x")
}

func (g grammar) grouping() string {
	return g.pick("{name: $sum(qty)}", "{name: $.id}", "{name: tags}", `{"all": $count($)}`, `{"k" & id: $.price}`, "{name: $}", `{"a": $, "b": id}`, `{"a": tags[]}`, `{name: nothing}`)
}

// path makes a path of up to five steps, each of any kind.
func (g grammar) path(depth int) string {
	out := g.list()
	if depth > 0 && g.IntN(6) == 0 {
		out = g.start(depth)
	}
	for range 1 + g.IntN(4) {
		out = g.step(out, depth)
	}
	if g.IntN(8) == 0 {
		out += g.grouping()
		if g.IntN(3) == 0 {
			out += g.pick(".hat", ".all", ".*", ".a", ".b", ".$", ".(a)", "[]", ".hat[]", ".a[0]", ".$keys($)")
		}
	}
	return out
}

// start makes the first step of a path that is not a name.
func (g grammar) start(depth int) string {
	inner := g.expression(depth - 1)
	return g.pick("["+inner+"]", "["+inner+", "+g.list()+"]", "("+inner+")", `{"a": `+inner+"}", "$", "$$", `$map(`+g.list()+`, function($v){$v})`, "*", "$filter(items, function($v){$v.id > 1})", "[[1,2],[3]]")
}

func (g grammar) step(out string, depth int) string {
	switch g.IntN(12) {
	case 0, 1, 2:
		return out + "." + g.field()
	case 3, 4:
		return out + "[" + g.filter() + "]"
	case 5:
		return out + "[]"
	case 6:
		return out + "^(" + g.order() + ")"
	case 7:
		return "(" + out + ")"
	case 8:
		return out + ".(" + g.inner(depth) + ")"
	case 9, 10:
		return out + g.pick(".*", ".$", ".**", ".[id, name]", `.{"k": id}`, ".{name: tags}", ".[tags]", ".[[id]]", ".$string(id)", ".$count(tags)", ".$uppercase(name)", `."name"`, ".$$.n", ".[]", ".tags[]", ".[tags, id]")
	default:
		return out + g.pick("#$i", `#$i.{"i": $i, "v": $}`, `@$v.{"v": $v.id}`, "#$i[$i < 1]", ".tags.(%.name)", `.sub.list.{"n": %.x, "w": w}`, `@$v.other[id = $v.id].{"a": $v.name, "b": label}`, "@$v", "#$i.$i")
	}
}

func (g grammar) inner(depth int) string {
	if depth > 0 {
		return g.expression(depth - 1)
	}
	return g.field()
}

func (g grammar) lambda() string {
	return g.pick("function($v){$v}", "function($v){$v.tags}", "function($v, $i){$i}", "function($v, $i, $a){$count($a)}", "function($v){[$v]}", "function($v){$v.id}",
		`function($v){$v.name = "hat"}`, `function($v){$filter($v.tags, function($t){$t = "red"})}`, "$string", "function($v){$v.nothing}", "$count", "$exists",
		"function($v, $i){$i < 1}", "function($v){$v.tags[]}", "function($v)<x:x>{$v}", "$uppercase", "$type", "$append(?, 1)", "$sum", "function($v){$v ?? 1}")
}

// call makes a call of a function.
func (g grammar) call(depth int) string {
	a, b := g.expression(depth-1), g.expression(depth-1)
	if g.IntN(3) == 0 {
		return g.textCall()
	}
	forms := []string{
		"$distinct(A)", "$count(A)", "$exists(A)", "$type(A)", "$string(A)", "$map(A, F)", "$filter(A, F)", "$sort(A)", "$sort(A, function($l, $r){$l.price > $r.price})",
		"$reverse(A)", "$append(A, B)", "$zip(A, B)", "$sum(A)", "$max(A)", "$average(A)", "$merge(A)", "$spread(A)", "$keys(A)", `$lookup(A, "tags")`, `$lookup(A, "name")`,
		"$each(A, function($v, $k){$k})", "$sift(A, function($v){$v})", "$single(A, F)", "$reduce(A, function($p, $v){$append($p, $v)})", `$reduce(A, function($p, $v){$p & $v}, "")`,
		`$join(A, "-")`, "$boolean(A)", "$not(A)", "(A) ~> $count()", "A ~> $distinct", "A ~> $map(F)", "$each(A, F)", "$values(A)", "$flatten(A)", "$flatten(A, 1)", "$chunk(A, 2)",
		"$shuffle(A)", "$clone(A)", "$min(A)", "$merge([A, B])", "$filter(A, F)[]", "$map(A, F)[]", "$each(A, F)[0]", "$distinct(A)[]", "A ~> |$|{\"z\": 1}|", `A ~> |$|{}, "name"|`,
		"$append(A, B)[]", "$keys(A)[]", "$sift(A, F)", "$spread(A)[]", "$assert(A)", "$not(A) ~> $string", "$error()", "$reduce(A, F)", "$map(A, F).name", "$lookup(A, \"tags\")[]",
		"(A) ~> F", "$abs(A)", "$length(A)", "$sort(A)[]", "$append(A, B).name", "$single(A)", "$formatNumber(A, \"0\")", "($f := F; $f(A))", "($f := function($x, $y){$x}; $f(A))",
	}
	return strings.NewReplacer("A", a, "B", b, "F", g.lambda()).Replace(g.pick(forms...))
}

// textCall makes a call of a function of strings or numbers.
func (g grammar) textCall() string {
	text := g.pick("text", `"a1b22"`, `""`, "texts[0]", "items[0].name", "nothing")
	return fmt.Sprintf(g.pick(`$number(%s)`, `$uppercase(%s)`, `$lowercase(%s)`, `$length(%s)`, `$substring(%s, 1)`, `$substring(%s, -2, 1)`, `$substringBefore(%s, "-")`,
		`$substringAfter(%s, "b")`, `$trim(%s)`, `$pad(%s, 5)`, `$match(%s, /([a-z])(\d+)?/)`, `$match(%s, /z/)`, `$match(%s, /b/)[]`, `$contains(%s, "b")`, `$replace(%s, /b/, "-")`,
		`$split(%s, ",")`, `$split(%s, "")`, `$split(%s, "b")[0]`, `$split(%s, "b")[]`, `$encodeUrlComponent(%s)`, `$base64encode(%s)`, `$toMillis(%s)`, `$parseInteger(%s, "0")`,
		`$string(%s)`, `$eval(%s)`, `$match(%s, /b/).match`, `$match(%s, /a/, 1)[0].groups`, `%s.$split("")`, `%s ~> $uppercase`, `$formatBase($length(%s), 2)`), text)
}

func (g grammar) atom() string {
	return g.pick("1", `"x"`, "true", "null", "-5", "2.5", "n", "text", "flag", "[1]", "[]", "{}", "[[1]]", "-5%3", "[1..3]", "[n..2]", "0", `""`, "false", "nul", "[[]]", "-n", "1..3", "[nothing]", "$", "obj", `"x"[]`, `"x"[0]`, "5[]", "[1][]", "{}[]", "true[0][]", `"x".a`, `"x"."a"`)
}

// expression makes an expression in which others are nested depth levels deep.
func (g grammar) expression(depth int) string {
	if depth <= 0 {
		if g.IntN(6) > 0 {
			return g.path(0)
		}
		return g.atom()
	}
	a, b := g.expression(depth-1), g.expression(depth-1)
	switch g.IntN(18) {
	case 0, 1, 2, 3:
		return g.path(depth)
	case 4, 5, 6, 7:
		return g.call(depth)
	case 8:
		return g.pick("["+a+"]", "["+a+", "+b+"]", "["+a+"][]", "["+a+"].name", "["+a+", "+b+"].tags")
	case 9:
		return g.pick(`{"a": `+a+"}", `{"a": `+a+"}.a", `{"a": `+a+`, "b": `+b+"}", `{"a": `+a+"}[]", `{"a": `+a+"}.*", `{"a": `+a+`, "b": `+b+"}.(a ?? b)", `{"a": `+a+"}.a[]")
	case 10, 11:
		return "(" + a + ") " + g.operator() + " (" + b + ")"
	case 12:
		return g.pick("flag", "n > 1", "$exists("+a+")", g.path(0)) + " ? " + a + " : " + b
	case 13, 14:
		return "($x := " + a + "; " + g.pick("$x", "$x[0]", "$x.tags", "$count($x)", "[$x]", "$x[]", "$distinct($x)", `{"x": $x}`, "$x.name", "$x^(price)", "$x.tags[]", "$x[].name", "$x[id > 1][]", "$x{name: id}", "$x.$", `{"x": $x[]}`, "$x.[id]", "$x = "+b) + ")"
	case 15, 16:
		return "(" + a + ")" + g.pick("[0]", "[]", ".name", ".tags", "[0][]", "{name: id}", "^(price)", "[-1]", ".id", "[[0..1]]", ".*", "[id > 1]", "[id > 1][]", ".tags[]", "[].name", "[][0]", "{name: id}.hat", ".[id]", "[true]", "[nothing]", ".(tags[])", ".$", ".$$", "[$]")
	default:
		return g.pick(g.list()+" & "+g.path(0)+"^("+g.order()+")", "-"+g.list(), "$ ~> |items|{\"q\": 1}|", "("+a+"; "+b+")")
	}
}

func (g grammar) operator() string {
	return g.of("= != < >= + - * / % & & and or in ?? ?: ?? ?:")
}
