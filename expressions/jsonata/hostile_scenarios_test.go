package jsonata

import "strings"

// hostileScenario is an expression or data that wants to hang, swell or kill.
type hostileScenario struct {
	source string
	data   func() map[string]any
	want   string // how the outcome begins; empty when any will do
	soak   bool   // only in the long run
}

// hostileScenarios are all of them, by name.
func hostileScenarios() map[string]hostileScenario {
	all := map[string]hostileScenario{}
	for _, family := range []map[string]hostileScenario{
		hostileRecursion, hostileRanges, hostileGrowth, hostilePatterns, hostileSources(), hostileDepth, hostileArrays, hostileNumbers, hostileData,
	} {
		for name, s := range family {
			all[name] = s
		}
	}
	return all
}

func text(key string, size int, unit string) func() map[string]any {
	return func() map[string]any { return map[string]any{key: strings.Repeat(unit, size/len(unit))} }
}

var hostileRecursion = map[string]hostileScenario{
	"inf-recursion":         {source: `($f := function($x){1 + $f($x)}; $f(1))`, want: "error U1001"},
	"inf-tail-recursion":    {source: `($f := function($x){$f($x)}; $f(1))`, want: "error"},
	"mutual-tail-recursion": {source: `($f := function($x){$g($x)}; $g := function($x){$f($x)}; $f(1))`, want: "error"},
	"recursion-depth-90":    {source: `($f := function($n){$n = 0 ? 0 : 1 + $f($n - 1)}; $f(90))`, want: "value"},
	"recursion-depth-300":   {source: `($f := function($n){$n = 0 ? 0 : 1 + $f($n - 1)}; $f(300))`, want: "value"},
	"recursion-depth-900":   {source: `($f := function($n){$n = 0 ? 0 : 1 + $f($n - 1)}; $f(900))`, want: "value"},
	"recursion-nested":      {source: `($f := function($n){` + strings.Repeat("[(", 40) + `$f($n)` + strings.Repeat(")]", 40) + `}; $f(1))`, want: "error"},
	"recursion-hof-nested":  {source: `($f := function($n){$map([1], function($a){$filter([1], function($b){$f($n) ~> $string})})}; $f(1))`, want: "error"},
	"recursion-depth-1e5":   {source: `($f := function($n){$n = 0 ? 0 : 1 + $f($n - 1)}; $f(100000))`, want: "error U1001"},
	"recursion-in-map":      {source: `($f := function($n){$map([1,2], function($x){$f($n)})}; $f(1))`, want: "error"},
	"recursion-in-sort":     {source: `($f := function($n){$sort([1,2], function($a,$b){$f($n)})}; $f(1))`, want: "error"},
	"recursion-in-replace":  {source: `($f := function($n){$replace("a", /a/, $f)}; $f(1))`, want: "error"},
	"recursion-wide":        {source: `($f := function($n){$n = 0 ? 1 : $f($n - 1) + $f($n - 1)}; $f(60))`, want: "error timeout"},
	"tail-loop-200k":        {source: `($f := function($n){$n = 0 ? 0 : $f($n - 1)}; $f(200000))`},
	"y-combinator":          {source: `(function($x){$x($x)})(function($x){$x($x)})`, want: "error"},
	"eval-recursion":        {source: `($e := "$eval($e)"; $eval($e))`, want: "refused"},
	"eval-alias":            {source: `($e := $eval; $e("1"))`, want: "refused"},
}

var hostileRanges = map[string]hostileScenario{
	"range-1e8":           {source: `$count([1..100000000])`, want: "error D2014"},
	"range-1e7":           {source: `$sum([1..9999999])`},
	"range-1e7-x8":        {source: `$count([[1..9999999],[1..9999999],[1..9999999],[1..9999999],[1..9999999],[1..9999999],[1..9999999],[1..9999999]])`, want: "error"},
	"range-huge-neg":      {source: `$count([-1e300..1e300])`},
	"range-of-infinity":   {source: `$count([0..1/0])`},
	"nested-loop-1e8":     {source: `$count([1..10000].($x := $; [1..10000].($x * $)))`, want: "error"},
	"map-loop-1e7":        {source: `$sum($map([1..9999999], function($x){$x * 2}))`, want: "error"},
	"filter-1e7":          {source: `$count([1..9999999][$ % 2 = 0])`, want: "error"},
	"index-1e6":           {source: `[1..1000000][5]`, want: "value"},
	"result-range-4e6":    {source: `[1..4000000]`},
	"cartesian":           {source: `[1..3000].([1..3000])`, want: "error"},
	"reduce-square":       {source: `$reduce([1..100000], function($a, $x){$append($a, $x)}, [])`},
	"predicate-quadratic": {source: `($a := [1..20000]; $count($a[$ in $a]))`},
}

var hostileGrowth = map[string]hostileScenario{
	"exp-string":       {source: `($f := function($s){$f($s & $s)}; $f("xxxxxxxxxx"))`, want: "error"},
	"exp-string-x4":    {source: `($f := function($s){$f($s & $s & $s & $s & $s & $s & $s & $s)}; $f("xxxxxxxxxx"))`, want: "error"},
	"exp-array-append": {source: `($f := function($a){$f($append($a, $a))}; $f([1..10]))`, want: "error"},
	"exp-array-cons":   {source: `($f := function($a){$f([$a, $a])}; $f([1..10]))`, want: "error"},
	"exp-array-nest":   {source: `($f := function($a){$f([[$a], [$a]])}; $f([1..10]))`, want: "error"},
	"exp-join":         {source: `($f := function($s){$f($join([$s, $s, $s, $s]))}; $f("xxxxxxxxxx"))`, want: "error"},
	"exp-replace":      {source: `($f := function($s){$f($replace($s, "x", "xxxxxxxxxx"))}; $f("xxxxxxxxxx"))`, want: "error"},
	"replace-square":   {source: `($s := $join([1..200000].("a")); $length($replace($s, "a", $s)))`, want: "error size"},
	"join-square":      {source: `($a := [1..100000].("a"); $length($join($a, $join($a))))`, want: "error size"},
	"exp-object":       {source: `($f := function($o){$f({"a": $o, "b": $o})}; $string($f({})))`, want: "error"},
	"exp-string-of":    {source: `($f := function($n, $o){$n = 0 ? $string($o) : $f($n - 1, {"a": $o, "b": $o})}; $f(40, {}))`, want: "error"},
	"exp-result":       {source: `($f := function($n, $o){$n = 0 ? $o : $f($n - 1, {"a": $o, "b": $o})}; $f(40, {}))`, want: "error"},
	"exp-equal":        {source: `($f := function($n, $o){$n = 0 ? $o : $f($n - 1, [[$o], [$o]])}; $f(24, 1) = $f(24, 1))`},
	"exp-descend":      {source: `($f := function($n, $o){$n = 0 ? $o : $f($n - 1, {"a": $o, "b": $o})}; $count($f(40, {}).**))`, want: "error"},
	"exp-concat":       {source: `($f := function($n, $o){$n = 0 ? $o : $f($n - 1, {"a": $o, "b": $o})}; "x" & $f(24, {}))`},
	"transform-loop":   {source: `($f := function($o){$f($o ~> |$|{"a": $}|)}; $f({"b": 1}))`, want: "error"},
	"merge-loop":       {source: `$reduce([1..20000], function($o, $x){$merge([$o, {$string($x): $x}])}, {})`},
	"distinct-objects": {source: `$count($distinct([1..50000].{"id": $}))`},
	"pad-2e9":          {source: `$pad("x", 2000000000)`, want: "error"},
	"pad-1e12":         {source: `$pad("x", 1000000000000)`, want: "error"},
	"pad-via-map":      {source: `$map([1..1000000], $pad)`},
	"spread-1e6":       {source: `$count([1..1000000].{"a": $})`},
}

var hostilePatterns = map[string]hostileScenario{
	"regex-catastrophic": {source: `$match($.s, /^(a+)+$/)`, data: func() map[string]any {
		return map[string]any{"s": strings.Repeat("a", 35) + "!"}
	}, want: "undefined"},
	"regex-big-repeat":     {source: `$match($.s, /(a{1,100}){1,10}b/)`, data: text("s", 100_000, "a")},
	"regex-big-program":    {source: `$contains($.s, /(x+x+x+x+x+x+x+x+x+x+){50}y/)`, data: text("s", 4_000_000, "x")},
	"regex-many-matches":   {source: `$count($match($.s, /a/))`, data: text("s", 2_000_000, "a")},
	"regex-look-back":      {source: `$count($match($.s, /\ba/))`, data: text("s", 2_000_000, "a ")},
	"regex-callable":       {source: `$exists($.s ~> /a/)`, data: text("s", 2_000_000, "a"), want: "value"},
	"regex-contains":       {source: `$contains($.s, /b/)`, data: text("s", 20_000_000, "a"), want: "value"},
	"replace-2e6":          {source: `$length($replace($.s, /a/, "bb"))`, data: text("s", 2_000_000, "a")},
	"replace-function-1e6": {source: `$length($replace($.s, /a/, function($m){$m.match & "b"}))`, data: text("s", 1_000_000, "a")},
	"split-each-rune":      {source: `$count($split($.s, ""))`, data: text("s", 64_000_000, "a"), want: "error size"},
	"split-pattern":        {source: `$count($split($.s, /,/))`, data: text("s", 20_000_000, "a,")},
	"match-literal":        {source: `$count($match($.s, "a"))`, data: text("s", 2_000_000, "a")},
	"regex-invalid":        {source: `$match("a", /(?=a)/)`, want: "refused"},
	"regex-empty-matches":  {source: `$replace($.s, /x*/, "y")`, data: text("s", 1_000_000, "a"), want: "error D1004"},
}
