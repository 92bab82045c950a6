package main

// subject is an expression to measure: JSONata, or a JSON Logic rule.
type subject struct {
	name   string
	source string // JSONata
	rule   string // JSON Logic, as JSON
}

// subjects are the kinds of expressions that graphs are made of.
var subjects = []subject{
	{name: "path", source: `$.entry.options.depth`},
	{name: "obj_split", source: `{"count": $count($split($.list.content, "\n"))}`},
	{name: "split", source: `$split($.list.content, "\n")[-2]`},
	{name: "filter", source: `$count($.list.items[size > 500 and group = "g3"])`},
	{name: "sum", source: `$sum($.list.items.(size * 2))`},
	{name: "sort", source: `$.list.items^(>size, name).id`},
	{name: "strbuild", source: `$join($.list.items.(name & " has " & $string(size) & " bytes"), "; ")`},
	{name: "mapreduce", source: `$reduce($map($.list.items, function($v) { $v.size * 2 }), function($a, $b) { $a + $b })`},
	{name: "history", source: `$executionCount("list") = 0 ? 0 : ` +
		`{"i": $nodeExecution("add", -1).i + 1, "sum": $nodeExecution("add", -1).sum + $previousNode().i, "times": $executionCount("add")}`},
	{name: "filesizes", source: `(
		$rows := $map($split($.list.content, "\n"), function($line) {(
			$words := $split($line, " ");
			{"name": $words[0], "size": $number($words[1]), "type": $substringAfter($words[0], ".")}
		)});
		{"files": $count($rows), "bytes": $sum($rows.size), "largest": $max($rows.size), "csv": $count($rows[type = "csv"])}
	)`},
	{name: "groupby", source: `$.list.items{group: {"files": $count(id), "bytes": $sum(size)}}`},
	{name: "rule ==", rule: `{"==": [{"var": "entry.mode"}, "fast"]}`},
	{name: "rule and", rule: `{"and": [{"<": [{"var": "entry.n"}, 100]}, {"in": [{"var": "entry.mode"}, ["slow", "fast"]]}, {"!": [{"var": "entry.off"}]}]}`},
	{name: "rule some", rule: `{"some": [{"var": "list.items"}, {">": [{"var": "size"}, 100000]}]}`},
}
