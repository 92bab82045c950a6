package flow_test

import (
	"strings"
	"testing"
)

// fault is an edit of testdata/travel/graph.yaml: old, which occurs once, becomes new; several
// edits are separated by ⋯. A mark in new is a finding that is expected on its line.
type fault struct{ name, old, new string }

func (f *fault) edit(t *testing.T, src string) string {
	t.Helper()
	edits := strings.Split(f.new, "⋯")
	for i, old := range strings.Split(f.old, "⋯") {
		if n := strings.Count(src, old); n != 1 {
			t.Fatalf("%q occurs %d times", old, n)
		}
		src = strings.Replace(src, old, edits[i], 1)
	}
	return src
}

// travelFaults were written before the checks that find them.
var travelFaults = []fault{
	// Codes of failures.
	{"code of retry", "codes: [timeout, tool-error]\n          when", "codes: [«unknown-code»time-out, tool-error]\n          when"},
	{"code of onError", "codes: [timeout, tool-error, too-large], next", "codes: [timeout, «unknown-code»toolerror, too-large], next"},
	{"code of onError of a branch", "codes: [timeout, tool-error], value: {summary", "codes: [«unknown-code»timeouts, tool-error], value: {summary"},
	{"code of onError of a transform", "codes: [expression]", "codes: [«unknown-code»expresion]"},
	{"code that nothing can take", "codes: [not-yet]", "codes: [«unknown-code»limit]"},

	// Ranges.
	{"attempts: 1", "attempts: 5,", "«bad-range»attempts: 1,"},
	{"attempts: 11", "attempts: 4,", "«bad-range»attempts: 11,"},
	{"attempts of a poll", "attempts: 100\n", "«bad-range»attempts: 1001\n"},
	{"backoff below 1", "delayMs: 200,", "delayMs: 200, «bad-range»backoff: 0.5,"},
	{"maxParallel: 0", "maxParallel: 4}\n        args: {query", "«bad-range»maxParallel: 0}\n        args: {query"},
	{"maxParallel: 257", "maxParallel: 8", "«bad-range»maxParallel: 257"},
	{"maxDepth: 65", "maxDepth: 12", "«bad-range»maxDepth: 65"},
	{"maxDepth of a tool", "maxDepth: 6", "«bad-range»maxDepth: 0"},
	{"timeoutMs: 0", "timeoutMs: 8000", "«bad-range»timeoutMs: 0"},

	// Retries.
	{"repeats a booking", "        effect: write\n        args: {flight", "        effect: write\n        retry: {codes: [tool-error, «retry-may-repeat»timeout]}\n        args: {flight"},
	{"repeats a message", "        forEach: {items: '$chunk", "        retry: {codes: [«retry-may-repeat»transport]}\n        forEach: {items: '$chunk"},
	{"repeats nothing, in a branch", "            effect: read\n            retry", "            «retry-without-effect»retry"},
	{"repeats nothing", "        effect: write\n        args: {hotel", "        «retry-without-effect»retry: {attempts: 3}\n        args: {hotel"},
	{"waits longer than the run", "until: $result.status in [\"done\", \"failed\"]\n          attempts: 100\n          delayMs: 3000", "«waits-over-limit»until: $result.status in [\"done\", \"failed\"]\n          attempts: 100\n          delayMs: 30000"},
	{"waits longer than the tool", "timeoutMs: 8000, next", "effect: read, «waits-over-limit»retry: {attempts: 9, delayMs: 20000}, timeoutMs: 8000, next"},

	// Items.
	{"no items", "forEach: {items: $.entry.cities, maxParallel: 2}", "forEach: {«missing-items»maxParallel: 2}"},
	{"an object", "forEach: {items: $.entry.cities", "forEach: {items: «not-a-list»$.entry"},
	{"a text", "'[$distinct($.search.pages.url)]'", "«not-a-list»'$join($.search.pages.url, \",\")'"},
	{"a number", "'$.list.entries[type = \"directory\"]'", "«not-a-list»'$count($.list.entries)'"},
	{"a bare item", "{emails: {expr: '[$.people.list[active].email]'}}", "{emails: {expr: «maybe-no-list»'$.people.list[active].email'}}"},
	{"a bare item of each item", "args: {to: {expr: $item}, subject", "args: {to: {expr: «maybe-no-list»'$item[$contains(\"@\")]'}, subject"},
	{"next of onError with forEach", "        onError: {}\n", "        onError: {«foreach-on-error-next»next: exit}\n"},
	{"the time", "'[$distinct($.search.pages.url)]'", "'$.search.pages.url.{\"url\": $, \"at\": «unstable-items»$now()}.url'"},
	{"the time in ms", "forEach: {items: $.entry.topics, ", "forEach: {items: '$.entry.topics[«unstable-items»$millis() > 0]', "},
	{"by chance", "'$.list.entries[type = \"directory\"]'", "'$.list.entries[type = \"directory\" and «unstable-items»$random() < 0.5]'"},

	// Branches.
	{"a transform as a branch", "            onError: {value: []}\n", "            onError: {value: []}\n          sum: {type: «branch-type»transform, transform: {expr: '1'}}\n"},
	{"next of a branch", "            timeoutMs: 20000\n", "            «branch-field»next: search\n"},
	{"id of a branch", "            timeoutMs: 20000\n", "            «branch-field»id: news\n"},
	{"forEach of a branch", "            timeoutMs: 20000\n", "            «branch-field»forEach: {items: $.entry.topics}\n"},
	{"onError.next of a branch", "            onError: {value: []}\n", "            onError: {«branch-field»next: search}\n"},
	{"one branch", "        next: search\n      - id: search\n", "        next: one\n      - id: one\n        type: parallel\n        «branch-count»branches:\n          a: {type: graph, tool: headlines, args: {about: x}}\n        next: search\n      - id: search\n"},

	// Calls of tools of the file.
	{"a tool that there is not", "tool: read_page", "tool: «unknown-graph»read_pages"},
	{"a tool that a branch misspells", "tool: headlines", "tool: «unknown-graph»headline"},
	{"an argument of another name", "place: {expr: $index + 1}", "«argument-refused»plase: {expr: $index + 1}"},
	{"an argument of another type", "{path: {expr: $.entry.folder}}", "{path: «argument-refused»7}"},
	{"an argument that is an object", "{path: {expr: '$.entry.path & \"/\" & $item.name'}}", "{path: {expr: «argument-refused»$item}}"},
	{"an argument too few", "tool: plan_trip⋯{city: {expr: $item}, topics: [food, museums]}", "tool: plan_trip⋯«argument-refused»{city: {expr: $item}}"},
	{"an argument of a branch", "{about: {expr: $.entry.city}}", "{about: «argument-refused»[x]}"},
	{"an argument of each item", "{query: {expr: '$.entry.city & \" \" & $item'}, limit", "{query: {expr: «argument-refused»$index}, limit"},
	{"an argument of each lot", "{to: {expr: $item}, subject", "{to: {expr: «argument-refused»'[$index]'}, subject"},
	{"calls itself always", "tool: sum_folder\n        forEach: {items: '$.list.entries[type = \"directory\"]', maxParallel: 4}\n        args: {path: {expr: '$.entry.path & \"/\" & $item.name'}}", "tool: «endless-recursion»sum_folder\n        args: {path: {expr: $.entry.path}}"},
	{"is called by nothing", "  - name: compare_cities\n", "  - name: «unused-hidden»old_page\n    description: Nothing calls it.\n    hidden: true\n    nodes: [{id: entry, type: entry, next: exit}, {id: exit, type: exit}]\n\n  - name: compare_cities\n"},

	// Effects.
	{"a reader that books", "annotations: {readOnlyHint: false}", "annotations: {«effect-contradicts»readOnlyHint: true}"},
	{"a reader that calls a reader that is none", "    description: The text and size⋯tool: list_directory, args", "    annotations: {«effect-contradicts»readOnlyHint: true}\n    description: The text and size⋯tool: list_directory, effect: write, args"},

	// Variables.
	{"$item without forEach", "{id: {expr: $.start.id}}", "{id: {expr: $.start.id & «unbound-variable»$item}}"},
	{"$item in items", "'$chunk($.people.list[active].email, 50)'", "'$chunk($.people.list[active and name != «unbound-variable»$item].email, 50)'"},
	{"$failure in args", "{flight: {expr: $.entry.flight}", "{flight: {expr: $.entry.flight & «unbound-variable»$failure.code}"},
	{"$result in when", "$contains($failure.message, \"busy\") and $attempt < 3", "$contains($failure.message, \"busy\") and $exists(«unbound-variable»$result)"},
	{"$failure in until", "until: $result.status in", "until: $exists(«unbound-variable»$failure) or $result.status in"},
	{"$index in a transform", "'$error(\"the report failed: \" & $.wait.log)'", "'$error(\"the report failed: \" & «unbound-variable»$index)'"},
	{"$item in a rule", "{var: $.wait.status}", "{var: «unbound-variable»$item.status}"},
	{"$result in onError", "{expr: $failure.code}", "{expr: «unbound-variable»$result.code}"},
	{"$item in a branch", "{city: {expr: $.entry.city}, days", "{city: {expr: $.entry.city & «unbound-variable»$item}, days"},
	{"$attempts", "$attempt < 3", "«unbound-variable»$attempts < 3"},

	// Fields and expressions in each of the new places.
	{"field of items", "'$.list.entries[type = \"directory\"]'", "'$.list.«impossible-path»entires[type = \"directory\"]'"},
	{"field in a filter of items", "'$.list.entries[type = \"directory\"]'", "'$.list.entries[«impossible-path»typ = \"directory\"]'"},
	{"word in a filter of items", "'$.list.entries[type = \"directory\"]'", "'$.list.entries[type «constant-condition»= \"dir\"]'"},
	{"node of items", "forEach: {items: $.entry.cities", "forEach: {items: $.«unknown-node-reference»entri.cities"},
	{"syntax of items", "'$.list.entries[type = \"directory\"]'", "'$.list.entries[type = \"directory\"«expression-syntax»)'"},
	{"field of $item", "& \"/\" & $item.name", "& \"/\" & $item.«impossible-path»nam"},
	{"operation on $index", "{expr: $index + 1}", "{expr: '$index + «wrong-operand»\"1\"'}"},
	{"operation on $item", "'$.entry.city & \" \" & $item'", "'$.entry.city & (1 + «wrong-operand»$item)'"},
	{"field in args of a branch", "{city: {expr: $.entry.city}, days", "{city: {expr: $.entry.«impossible-path»town}, days"},
	{"field in args of a graph", "{path: {expr: $.entry.folder}}", "{path: {expr: $.entry.«impossible-path»floder}}"},
	{"field of $failure in onError", "{id: null, failed: {expr: $item}, why: {expr: $failure.code}}", "{id: null, failed: {expr: $item}, why: {expr: $failure.«impossible-path»kode}}"},
	{"field of $failure in a branch", "'\"unknown, \" & $failure.message'", "'\"unknown, \" & $failure.«impossible-path»mesage'"},
	{"field in onError of a transform", "onError: {value: {url: {expr: $.entry.url}, words: 0}}", "onError: {value: {url: {expr: $.entry.«impossible-path»ulr}, words: 0}}"},
	{"syntax in onError", "why: {expr: $failure.code}", "why: {expr: $failure.«expression-syntax»}"},
	{"field of $failure in when", "$contains($failure.message, \"busy\")", "$contains($failure.«impossible-path»text, \"busy\")"},
	{"argument in when", "$contains($failure.message, \"busy\")", "$contains($failure.message, «wrong-argument»7)"},
	{"syntax in when", "$contains($failure.message, \"busy\") and $attempt < 3", "$contains($failure.message, \"busy\") and $attempt <«expression-syntax»"},
	{"field of $result in until", "until: $result.status in", "until: $result.«impossible-path»state in"},
	{"word in until", "$result.status in [\"done\", \"failed\"]", "$result.status «constant-condition»in [\"finished\", \"broken\"]"},
	{"syntax in until", "until: $result.status in [\"done\", \"failed\"]", "until: $result.status in [\"done\", \"failed\"«expression-syntax»"},
	{"function in items", "'$chunk($.people", "'«expression-syntax»$chunks($.people"},
	{"argument of $chunk", "[active].email, 50)'", "[active].email, «wrong-argument»\"50\")'"},
	{"$chunk of none", "[active].email, 50)'", "[active].email, «wrong-argument»0)'"},

	// What flows on.
	{"field of a list", "[$exists(why)].url", "[$exists(why)].«impossible-path»uri"},
	{"field of a branch", "$.facts.weather.summary", "$.facts.weather.«impossible-path»summry"},
	{"branch of an output", "$.facts.news", "$.facts.«impossible-path»headlines"},
	{"field of a called tool", "$.sum.files,", "$.sum.«impossible-path»file,"},
	{"field of the tool itself", "[$.below.files]", "[$.below.«impossible-path»count]"},
	{"field of a handled failure", "\"why\": [$.trips.error.message]", "\"why\": [$.trips.error.«impossible-path»text]"},
	{"field behind onError.next", "[\"no news: \" & $.fetch.error.message]", "[\"no news: \" & $.fetch.«impossible-path»text]"},
	{"field behind next", "[$split($.fetch.text, ", "[$split($.fetch.«impossible-path»error.message, "},
	{"kind of a result", "\"words\": $sum([$.read.words]),", "\"words\": «output-mismatch»$.read,"},

	{"kind of a handled value", "onError: {codes: [expression], value: []}", "onError: {codes: [expression], value: «output-mismatch»none}"},
	{"kind behind onError.next", "onError: {codes: [timeout, tool-error, too-large], next: none}⋯      - {id: none, type: transform, transform: {expr: '[\"no news: \" & $.fetch.error.message]'}, next: exit}\n", "onError: {codes: [timeout, tool-error, too-large], value: «output-mismatch»{}, next: exit}⋯"},

	// Keys.
	{"key of forEach", "maxParallel: 8", "«unknown-key»maxParralel: 8"},
	{"key of retry", "delayMs: 3000", "«unknown-key»delayms: 3000"},
	{"key of onError", "onError: {value: []}\n        next: search", "onError: {«unknown-key»values: []}\n        next: search"},
	{"key of a branch", "            timeoutMs: 20000\n", "            «unknown-key»timeout: 20000\n"},
	{"key of a graph node", "timeoutMs: 120000", "«unknown-key»retry: {}"},
	{"key of executionLimits", "maxCalls: 10", "«unknown-key»maxCall: 10"},
	{"target of onError", "onError: {next: undo}", "onError: {next: «unknown-node»undoo}"},
}
