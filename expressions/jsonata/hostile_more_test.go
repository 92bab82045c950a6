package jsonata

import (
	"strconv"
	"strings"

	"toolgraph/expressions/value"
)

func hostileSources() map[string]hostileScenario {
	return map[string]hostileScenario{
		"parens-1e4":     {source: strings.Repeat("(", 10_000) + "1" + strings.Repeat(")", 10_000), want: "refused"},
		"parens-2e5":     {source: strings.Repeat("(", 200_000) + "1" + strings.Repeat(")", 200_000), want: "refused"},
		"parens-99":      {source: strings.Repeat("(", 99) + "1" + strings.Repeat(")", 99), want: "value"},
		"brackets-1e6":   {source: strings.Repeat("[", 1_000_000), want: "refused"},
		"minus-16k":      {source: strings.Repeat("-", 16_000) + "1", want: "value"},
		"plus-16k":       {source: "1" + strings.Repeat("+1", 8000), want: "value"},
		"cond-16k":       {source: strings.Repeat("1?", 8000) + "1"},
		"dots-16k":       {source: "a" + strings.Repeat(".a", 8000)},
		"predicates-16k": {source: "a" + strings.Repeat("[0]", 5000)},
		"keep-16k":       {source: "a" + strings.Repeat("[]", 8000)},
		"chain-16k":      {source: `"a"` + strings.Repeat("~>$uppercase", 1300)},
		"assign-16k":     {source: strings.Repeat("$a:=", 4000) + "1", want: "value"},
		"wild-16k":       {source: "*" + strings.Repeat(".*", 8000), data: func() map[string]any { return map[string]any{"a": []any{1.0, 2.0}} }},
		"source-1MiB":    {source: strings.Repeat(" ", 1<<20) + "1", want: "refused"},
		"escapes-16k":    {source: `"` + strings.Repeat(`\n`, 8000) + `"`, want: "value"},
		"string-open":    {source: `"` + strings.Repeat("a", 16_000), want: "refused"},
		"regex-open":     {source: `/` + strings.Repeat("(", 16_000), want: "refused"},
		"signature":      {source: `function($x)<` + strings.Repeat("a<", 5000) + `>{1}`, want: "refused"},
		"lambda-nest":    {source: strings.Repeat("function(){", 95) + "1" + strings.Repeat("}", 95), want: "error"},
		"compose-chain":  {source: `($f := $trim` + strings.Repeat("~>$trim", 2200) + `; $f("a"))`},
		"names-16k":      {source: strings.Repeat("`a`.", 4000) + "a"},
	}
}

const deepen = `($f := function($n, $o){$n = 0 ? $o : $f($n - 1, {"a": $o})}; $d := $f(DEPTH, 1); `

func deep(depth int, rest string) string {
	return strings.ReplaceAll(deepen, "DEPTH", strconv.Itoa(depth)) + rest + ")"
}

// nested is a chain of objects of that depth, as Decode may make one.
func nested(depth int) func() map[string]any {
	return func() map[string]any {
		var v any = "x"
		for range depth {
			v = value.NewObject([]string{"a", "b"}, []any{v, 1.0})
		}
		return map[string]any{"d": v}
	}
}

var hostileDepth = map[string]hostileScenario{
	"deep-build-1e5":     {source: deep(100_000, `1`)},
	"deep-build-1e6":     {source: deep(1_000_000, `1`)},
	"deep-build-5e6":     {source: deep(5_000_000, `1`), want: "error"},
	"deep-result-1e5":    {source: deep(100_000, `$d`), want: "error"},
	"deep-result-5e6":    {source: deep(5_000_000, `$d`), want: "error"},
	"deep-string-1e5":    {source: deep(100_000, `$string($d)`), want: "error"},
	"deep-concat-1e4":    {source: deep(10_000, `"x" & $d`)},
	"deep-concat-1e5":    {source: deep(100_000, `"x" & $d`), want: "error"},
	"deep-descend-1e5":   {source: deep(100_000, `$count($d.**)`), want: "error"},
	"deep-equal-1e5":     {source: deep(100_000, `$d = $f(100000, 1)`)},
	"deep-distinct-1e5":  {source: deep(100_000, `$distinct([$d, $d])`), want: "error"},
	"deep-in-1e5":        {source: deep(100_000, `$d in [$d, 1]`)},
	"deep-sort-1e5":      {source: deep(100_000, `$sort([$d, $d])`), want: "error"},
	"deep-transform-1e5": {source: deep(100_000, `$d ~> |a|{"b": 1}|`)},
	"deep-transform-1e6": {source: deep(1_000_000, `$d ~> |**|{"b": 1}|`)},
	"deep-array-1e5":     {source: `($f := function($n, $o){$n = 0 ? $o : $f($n - 1, [[$o]])}; $string($f(100000, 1)))`, want: "error"},
	"deep-flatten-1e5":   {source: `($f := function($n, $o){$n = 0 ? $o : $f($n - 1, [[$o], 1])}; $count($flatten($f(100000, 1))))`},
	"deep-input-string":  {source: `$string($.d)`, data: nested(900), want: "value"},
	"deep-input-concat":  {source: `"" & $.d`, data: nested(900), want: "value"},
	"deep-input-descend": {source: `$count($.**)`, data: nested(900), want: "value"},
	"deep-input-4x":      {source: `$count($.**.**)`, data: nested(900)},
}

var hostileArrays = map[string]hostileScenario{
	"sort-3e6":        {source: `$sort([1..3000000])[0]`},
	"sort-lambda-1e6": {source: `$count($sort([1..1000000], function($a, $b){$a < $b}))`},
	"order-by-1e6":    {source: `$count([1..1000000]^(>$))`},
	"distinct-2e5":    {source: `$count($distinct([1..200000]))`, want: "value"},
	"distinct-2e6":    {source: `$count($distinct([1..2000000]))`},
	"shuffle-5e6":     {source: `$count($shuffle([1..5000000]))`, want: "error"},
	"string-5e6":      {source: `$length($string([1..5000000]))`},
	"join-2e6":        {source: `$length($join([1..2000000].$string()))`},
	"zip-5e6":         {source: `$count($zip([1..5000000], [1..5000000]))`, want: "error"},
	"descend-4x":      {source: `$count(**.**.**.**)`, data: wide},
	"descend-6x":      {source: `$count(**.**.**.**.**.**)`, data: wide},
	"wildcard-6x":     {source: `$count(*.*.*.*.*.*)`, data: wide},
	"group-by-1e6":    {source: `$count($keys([1..300000]{$string($): $}))`},
	"group-same-key":  {source: `$count([1..300000]{"a": $}.a)`},
	"parent-many":     {source: `$count([1..2000].{"i": [1..200]}.i.(%.i[0]))`},
	"join-operator":   {source: `($a := [1..3000].{"k": $}; $count($a@$x.$a@$y[$x.k = $y.k]))`},
	"each-keys":       {source: `$count($each($merge([1..50000].{$string($): $}), function($v, $k){$k}))`},
}

func wide() map[string]any {
	inner := func(v any) any {
		items := make([]any, 10)
		for i := range items {
			items[i] = value.NewObject([]string{"a", "b"}, []any{v, 1.0})
		}
		return items
	}
	return map[string]any{"x": inner(inner(inner("y")))}
}

var hostileNumbers = map[string]hostileScenario{
	"formatNumber-0e0":      {source: `$formatNumber(0, "0e0")`, want: "value"},
	"formatNumber-1e300":    {source: `$formatNumber(1e300, "#,##0")`, want: "value"},
	"formatNumber-picture":  {source: `$formatNumber(1, $.s)`, data: text("s", 20_000_000, "0")},
	"formatNumber-groups":   {source: `$formatNumber(1e300, $.s)`, data: text("s", 2_000_000, "#,")},
	"formatBase-1e300":      {source: `$formatBase(-1e300, 2)`},
	"formatInteger-1e300w":  {source: `$formatInteger(1e300, "w")`},
	"formatInteger-1e15I":   {source: `$formatInteger(1e15, "I")`},
	"formatInteger-huge-I":  {source: `$formatInteger(9e18, "I")`},
	"formatInteger-picture": {source: `$formatInteger(1, $.s)`, data: text("s", 20_000_000, "0")},
	"parseInteger":          {source: `$parseInteger("twelve thousand", "w")`, want: "value"},
	"parseInteger-long":     {source: `$parseInteger($.s, "w")`, data: text("s", 8_000_000, "one hundred ")},
	"parseInteger-roman":    {source: `$parseInteger($.s, "I")`, data: text("s", 20_000_000, "M")},
	"fromMillis-1e300":      {source: `$fromMillis(1e300)`},
	"fromMillis-picture":    {source: `$fromMillis(0, $.s)`, data: text("s", 8_000_000, "[Y]")},
	"toMillis-long":         {source: `$toMillis($.s, "[Y]")`, data: text("s", 20_000_000, "1")},
	"toMillis-picture":      {source: `$toMillis("2020", $.s)`, data: text("s", 8_000_000, "[Y]")},
	"round-1e9":             {source: `$round(1.5, 1e9)`},
	"power":                 {source: `$power(1e300, 1e300)`, want: "error"},
	"number-long":           {source: `$number($.s)`, data: text("s", 20_000_000, "1")},
	"wild-on-function":      {source: `$sum.*`},
}

var hostileData = map[string]hostileScenario{
	"data-base64":    {source: `$length($base64encode($.s))`, data: text("s", 40_000_000, "a")},
	"data-url":       {source: `$length($encodeUrlComponent($.s))`, data: text("s", 20_000_000, "é")},
	"data-decodeUrl": {source: `$length($decodeUrlComponent($.s))`, data: text("s", 30_000_000, "%41")},
	"data-trim":      {source: `$length($trim($.s))`, data: text("s", 40_000_000, " a")},
	"data-case":      {source: `$length($uppercase($.s))`, data: text("s", 40_000_000, "ı")},
	"data-pad":       {source: `$length($pad($.s, 5))`, data: text("s", 60_000_000, "é")},
	"data-substring": {source: `$length($substring($.s, 5, 30000000))`, data: text("s", 60_000_000, "é")},
	"data-before":    {source: `$length($substringBefore($.s, "b"))`, data: text("s", 60_000_000, "a")},
	"data-concat":    {source: `$length($.s & $.s & $.s & $.s & $.s & $.s & $.s & $.s & $.s & $.s)`, data: text("s", 60_000_000, "a")},
	"data-square":    {source: `$count([1..200].($.s & $string($)))`, data: text("s", 30_000_000, "a")},
	"data-invalid":   {source: `$length($.s) & $uppercase($.s)`, data: text("s", 1_000_000, "\xff"), want: "value"},
	"data-rows": {source: `$sum($.rows.(price * qty))`, data: func() map[string]any {
		rows := make([]any, 300_000)
		for i := range rows {
			rows[i] = value.NewObject([]string{"price", "qty"}, []any{float64(i), 2.0})
		}
		return map[string]any{"rows": rows}
	}},
}
