package completion

import (
	"slices"
	"strings"
	"testing"
)

// chosen returns the text with a candidate in it, as a client without snippets and as one with snippets
// inserts it.
func chosen(t *testing.T, known *Known, text, label string) (plain, snippet string) {
	t.Helper()
	at := strings.Index(text, "‸")
	src := strings.Replace(text, "‸", "", 1)
	list := At(t.Context(), src, at, known)
	i := slices.IndexFunc(list.Candidates, func(c Candidate) bool { return c.Label == label })
	if i < 0 {
		t.Fatalf("no %q among %+v", label, list.Candidates)
	}
	c := list.Candidates[i]
	insert := c.Insert
	if insert == "" {
		insert = c.Label
	}
	line := src[strings.LastIndexByte(src[:list.From], '\n')+1:]
	indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
	return src[:list.From] + insert + src[at:], src[:list.From] + strings.ReplaceAll(c.Snippet, "\n", "\n"+indent) + src[at:]
}

// Each snippet of the language, at the place of a new node, as text and with stops.
func TestSnippets(t *testing.T) {
	known := knownOf(t, file)
	place := strings.Replace(file, "      - {id: exit, type: exit}\n  - name", "      - ‸\n      - {id: exit, type: exit}\n  - name", 1)
	for label, want := range map[string][2]string{
		"transform node": {
			"      - id: transform\n        type: transform\n        transform: {expr: $.entry}\n        next: list\n",
			"      - id: ${1:transform}\n        type: transform\n        transform: {expr: ${2:\\$.entry}}\n        next: ${3|list,each,pick,make,exit|}\n",
		},
		"mcp node": {
			"      - id: mcp\n        type: mcp\n        server: files\n        tool: tool\n        args:\n          name: {expr: $.entry.field}\n        next: list\n",
			"      - id: ${1:mcp}\n        type: mcp\n        server: ${2|files,web|}\n        tool: ${3:tool}\n        args:\n          ${4:name}: {expr: \\$.entry.${5:field}}\n        next: ${6|list,each,pick,make,exit|}\n",
		},
		"switch node": {
			"      - id: switch\n        type: switch\n        conditions:\n          - rule: {\">\": [{var: $.entry.value}, 0]}\n            next: list\n        next: list\n", "",
		},
		"parallel node": {
			"      - id: parallel\n        type: parallel\n        branches:\n          first: {type: mcp, server: files, tool: tool}\n          second: {type: mcp, server: files, tool: tool}\n        next: list\n", "",
		},
		"ask node": {"      - id: ask\n        type: ask\n        message: 'Continue?'\n        next: list\n", ""},
	} {
		plain, snippet := chosen(t, known, place, label)
		if !strings.Contains(plain, want[0]) {
			t.Errorf("%s is written as\n%s", label, plain[strings.Index(plain, "            $.list")-60:])
		}
		if !strings.Contains(snippet, want[1]) {
			t.Errorf("%s is written with stops as\n%s", label, snippet[strings.Index(snippet, "            $.list")-60:])
		}
	}
	plain, _ := chosen(t, known, strings.Replace(file, "      - {id: exit, type: exit}\n  - name", "      ‸\n  - name", 1), "exit node")
	if !strings.Contains(plain, "      - id: exit\n        type: exit\n") {
		t.Errorf("without a dash:\n%s", plain)
	}
}

// A new node has an id that no other node has.
func TestSnippetHasAnUnusedID(t *testing.T) {
	known := knownOf(t, file)
	place := strings.Replace(file, "      - {id: exit, type: exit}\n  - name", "      - {id: ask, type: ask}\n      - {id: ask2, type: ask}\n      - ‸\n  - name", 1)
	if plain, snippet := chosen(t, known, place, "ask node"); !strings.Contains(plain, "- id: ask3\n") || !strings.Contains(snippet, "- id: ${1:ask3}\n") {
		t.Error(plain)
	}
}

// The arguments that a tool requires are written with args.
func TestRequiredArguments(t *testing.T) {
	known := knownOf(t, file)
	const args = "        args:\n          path: {expr: $.entry.directory}\n          order: size\n"
	if _, got := chosen(t, known, strings.Replace(file, args, "        ‸\n", 1), "args"); !strings.Contains(got, "        args:\n          path: ${1}\n") {
		t.Error(got)
	}
	if _, got := chosen(t, known, strings.Replace(file, ", args: {directory: /tmp}", ", ‸", 1), "args"); !strings.Contains(got, "tool: digest, args: {directory: ${1}}") {
		t.Error(got)
	}
	if _, got := chosen(t, known, strings.Replace(file, `{">": [{var: $.list.total}, 3]}`, `{‸}`, 1), ">="); !strings.Contains(got, `rule: {">=": [{var: ${1:path}}, ${2:value}]}`) {
		t.Error(got)
	}
}

// A key or a function that is written already keeps what is behind it.
func TestNothingIsWrittenTwice(t *testing.T) {
	known := knownOf(t, file)
	if got, _ := chosen(t, known, strings.Replace(file, "        tool: find_files", "        to‸: find_files", 1), "tool"); !strings.Contains(got, "        tool: find_files") {
		t.Error(got)
	}
	if got, _ := chosen(t, known, strings.Replace(file, "$.list.entries[size > 10].name", "$cou‸($.list)", 1), "$count"); !strings.Contains(got, "$count($.list)") {
		t.Error(got)
	}
}

// Each snippet of steps, at the place of a new step.
func TestSnippetsOfSteps(t *testing.T) {
	known := knownOf(t, file)
	place := strings.Replace(file, "  - name", "  - name: written\n    description: d\n    steps:\n      - {id: found, expr: args}\n      - ‸\n  - name", 1)
	for label, want := range map[string][2]string{
		"call step": {
			"      - id: found2\n        call: server.tool\n        args:\n          name: {expr: args.field}\n",
			"      - id: ${1:found2}\n        call: ${2:server}.${3:tool}\n        args:\n          ${4:name}: {expr: args.${5:field}}\n",
		},
		"expr step": {"      - id: value\n        expr: '$count(found)'\n", "      - id: ${1:value}\n        expr: '${2:\\$count(found)}'\n"},
		"each step": {
			"      - id: texts\n        each: found\n        as: item\n        call: server.tool\n        args:\n          name: {expr: '$item'}\n",
			"      - id: ${1:texts}\n        each: ${2:found}\n        as: ${3:item}\n        call: ${4:server}.${5:tool}\n        args:\n          ${6:name}: {expr: '\\$${3:item}'}\n",
		},
		"block step": {
			"      - id: rows\n        each: found\n        as: item\n        steps:\n          - id: text\n            call: server.tool\n            args:\n              name: {expr: '$item'}\n        return: text\n",
			"      - id: ${1:rows}\n        each: ${2:found}\n        as: ${3:item}\n        steps:\n          - id: ${4:text}\n            call: ${5:server}.${6:tool}\n            args:\n              ${7:name}: {expr: '\\$${3:item}'}\n        return: ${8:text}\n",
		},
		"ask step": {"      - id: sure\n        ask: {message: 'Continue?'}\n", "      - id: ${1:sure}\n        ask: {message: '${2:Continue?}'}\n"},
	} {
		plain, snippet := chosen(t, known, place, label)
		if !strings.Contains(plain, want[0]+"  - name: digest") {
			t.Errorf("%s is written as\n%s", label, plain)
		}
		if !strings.Contains(snippet, want[1]+"  - name: digest") {
			t.Errorf("%s is written with stops as\n%s", label, snippet)
		}
	}
}
