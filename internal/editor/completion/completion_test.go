package completion

import (
	"slices"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/graph/flow"
	"toolgraph/internal/project"
)

// file is valid; the texts of the tests are made of it.
const file = `version: "1.0"
server: {name: test, version: 1.0.0}
vars: {region: eu, top: 3}
mcpServers:
  files: {command: files}
  web:
    url: https://127.0.0.1/mcp
tools:
  - name: digest
    description: d
    inputSchema:
      type: object
      properties: {directory: {type: string}, deep: {type: boolean}}
      required: [directory]
    nodes:
      - {id: entry, type: entry, next: list}
      - id: list
        type: mcp
        server: files
        tool: find_files
        args:
          path: {expr: $.entry.directory}
          order: size
        next: each
      - id: each
        type: mcp
        server: files
        tool: read_file
        forEach: {items: $.list.entries}
        args: {path: {expr: $item.name}}
        next: pick
      - id: pick
        type: switch
        conditions:
          - rule: {">": [{var: $.list.total}, 3]}
            next: make
        next: exit
      - id: make
        type: transform
        transform:
          expr: |
            $.list.entries[size > 10].name
        next: exit
      - {id: exit, type: exit}
  - name: other
    description: e
    nodes:
      - {id: entry, type: entry, next: call}
      - {id: call, type: graph, tool: digest, args: {directory: /tmp}, next: exit}
      - {id: exit, type: exit}
`

var tools = map[string]Tool{
	"find_files": {Name: "find_files", Description: "Finds files.", Input: []byte(`{"type": "object", "properties": {"path": {"type": "string"},
		"order": {"enum": ["name", "size"], "description": "how to sort"}, "hidden": {"type": "boolean"}, "where": {"type": "object", "properties": {"owner": {"type": "string"}}}}, "required": ["path"]}`)},
	"read_file": {Name: "read_file", Input: []byte(`{"type": "object", "properties": {"path": {"type": "string"}}}`)},
}

// upstreams are the servers of the tests.
type upstreams struct{}

func (upstreams) Tool(server, tool string) (flow.Tool, bool) {
	t, known := tools[tool]
	out := flow.Tool{InputSchema: t.Input, From: server}
	if tool == "find_files" {
		out.OutputSchema = []byte(`{"type": "object", "required": ["entries", "total"], "additionalProperties": false, "properties": {"total": {"type": "integer"}, "entries": {"type": "array",
			"items": {"type": "object", "required": ["name", "size"], "additionalProperties": false, "properties": {"name": {"type": "string"}, "size": {"type": "integer"}, "kind": {"enum": ["file", "directory"]}, "owner-id": {"type": "string"}}}}}}`)
	}
	return out, known && server == "files"
}

func knownOf(t testing.TB, src string) *Known {
	t.Helper()
	p, err := project.Parse(t.Context(), "graph.yaml", []byte(src), config.Options{AssumeEnv: true})
	if err != nil {
		t.Fatal(err)
	}
	return &Known{File: p.File, Graphs: p.Graphs, Upstreams: upstreams{}, Tools: func(server string) []Tool {
		if server != "files" {
			return nil
		}
		return []Tool{tools["find_files"], tools["read_file"]}
	}}
}

// Candidates of a text in which ‸ is the cursor. The text is the file with one piece replaced.
func TestCandidates(t *testing.T) {
	known := knownOf(t, file)
	for name, c := range map[string]struct{ old, new, want, not string }{
		"a key of the file":             {"vars: {region: eu, top: 3}\n", "‸\n", "pipeline executionLimits", "server tools"},
		"a begun key of the file":       {"vars: {region: eu, top: 3}\n", "exe‸\n", "executionLimits", ""},
		"a key of the server":           {"{name: test, version: 1.0.0}", "{name: test, ti‸}", "title instructions", "name"},
		"a key of a server":             {"    url: https://127.0.0.1/mcp\n", "    url: https://127.0.0.1/mcp\n    ‸\n", "timeoutMs oauth headers", "url nodes"},
		"a key of a tool":               {"    description: d\n", "    description: d\n    ‸\n", "outputSchema title hidden", "description nodes"},
		"a prompt":                      {"    description: d\n", "    description: d\n    ‸\n", "prompt", ""},
		"a key of a property":           {"directory: {type: string", "directory: {‸", "suggest enum", "prompt"},
		"a key of a schema":             {"      required: [directory]\n", "      ‸\n", "required", "suggest prompt"},
		"a key of an mcp node":          {"        tool: find_files\n", "        tool: find_files\n        ‸\n", "retry cache forEach onError", "conditions transform args"},
		"a key of a node in brackets":   {"{id: exit, type: exit}\n  - name", "{id: exit, type: transform, ‸}\n  - name", "transform next onError", "server"},
		"a key of a node without type":  {"      - {id: exit, type: exit}\n  - name", "      - id: x\n        ‸\n  - name", "type server conditions", "id"},
		"the first key of a node":       {"      - {id: exit, type: exit}\n  - name", "      - ‸\n  - name", "id type", ""},
		"a kind of node":                {"type: switch", "type: sw‸", "switch mcp parallel ask", "stdio"},
		"a kind of server":              {"    url: https://127.0.0.1/mcp\n", "    type: ‸\n", "streamableHttp stdio exec", "mcp"},
		"a word of the language":        {"        next: each\n", "        onCrash: ‸\n        next: each\n", "rerun stop", ""},
		"a boolean":                     {"        next: each\n", "        confirm: ‸\n        next: each\n", "true false", ""},
		"a node after next":             {"next: each\n", "next: ‸\n", "each pick make exit", "entry"},
		"a node after next in brackets": {"{id: entry, type: entry, next: list}", "{id: entry, type: entry, next: li‸}", "list each exit", "entry"},
		"a node after next, unfinished": {"{id: entry, type: entry, next: list}\n      - id: list", "{id: entry, type: entry, next: ‸\n      - id: list", "list each exit", "entry"},
		"a node of a condition":         {"            next: make\n", "            next: ‸\n", "make exit", "entry"},
		"a node after a failure":        {"        next: each\n", "        onError: {next: ‸}\n        next: each\n", "pick", "entry"},
		"a server":                      {"server: files\n        tool: find", "server: ‸\n        tool: find", "files web", ""},
		"a tool of the server":          {"tool: find_files", "tool: ‸", "find_files read_file", "digest"},
		"a tool of the file":            {"tool: digest", "tool: ‸", "digest other", "find_files"},
		"an argument":                   {"          order: size\n", "          ‸\n", "order hidden where", "path"},
		"an argument in brackets":       {"args: {path: {expr: $item.name}}", "args: {‸}", "path", "order"},
		"an argument inside":            {"          order: size\n", "          where:\n            ‸\n", "owner", "path"},
		"an argument of a graph":        {"args: {directory: /tmp}", "args: {‸}", "directory deep", ""},
		"a value of an argument":        {"order: size", "order: ‸", "name size", ""},
		"a boolean argument":            {"order: size", "hidden: ‸", "true false", ""},
		"the first key of args":         {"        args:\n          path: {expr: $.entry.directory}\n          order: size\n", "        args:\n          ‸\n", "path order", ""},
		"a node in an expression":       {"$.entry.directory", "$.‸", "entry", "exit"},
		"a field of the arguments":      {"$.entry.directory", "$.entry.‸", "directory deep", "entry"},
		"a begun field":                 {"$.entry.directory", "$.entry.dir‸", "directory", ""},
		"a field of an output":          {"$.list.entries[size > 10].name", "$.list.‸", "entries total", "name"},
		"a field of items":              {"$.list.entries[size > 10].name", "$.list.entries.‸", "name size owner-id", "total"},
		"a field of one item":           {"$.list.entries[size > 10].name", "$.list.entries[0].‸", "name size", ""},
		"a field in a predicate":        {"$.list.entries[size > 10].name", "$.list.entries[‸", "name size", "list"},
		"a field behind a predicate":    {"$.list.entries[size > 10].name", "$.list.entries[size > 10].‸", "name size", ""},
		"a field in a function":         {"$.list.entries[size > 10].name", "$map($.list.entries, function($e) { $e.‸ })", "name size", "list"},
		"a field in an object":          {"$.list.entries[size > 10].name", `$.list.entries.{"n": ‸`, "name size", ""},
		"a field of a sorted list":      {"$.list.entries[size > 10].name", "$.list.entries^(‸)", "name size", ""},
		"a variable of an expression":   {"$.list.entries[size > 10].name", "($big := $.list.entries; $‸", "$big $count", ""},
		"a function":                    {"$.list.entries[size > 10].name", "$co‸", "$count $contains $executionCount", ""},
		"a constant":                    {"$.list.entries[size > 10].name", "$vars.‸", "region top", ""},
		"the item of a forEach":         {"$item.name", "$item.‸", "name size", "list"},
		"a variable of a forEach":       {"$item.name", "$‸", "$item $index", "$failure"},
		"the list of a forEach":         {"items: $.list.entries", "items: $.list.‸", "entries total", ""},
		"an id in a history function":   {"$.list.entries[size > 10].name", `$executionCount("‸`, "list each make exit", "$count"},
		"a var of a rule":               {"{var: $.list.total}", "{var: $.list.‸}", "total entries", ""},
		"an operator of a rule":         {`{">": [{var: $.list.total}, 3]}`, "{‸}", "var and ===", "id"},
		"a quoted expression":           {"{expr: $item.name}", "{expr: '$.list.‸'}", "entries total", ""},
		"an open quote":                 {"{expr: $item.name}}", "{expr: '$.list.‸}}", "entries total", ""},
		"nothing in a string":           {"$.list.entries[size > 10].name", `"a ‸`, "", "$count list"},
		"a schema":                      {"properties: {directory: {type: string}, deep: {type: boolean}}", "properties: {directory: {‸}}", "type description enum", "id"},
		"a schema of other properties":  {"properties: {directory: {type: string}, deep: {type: boolean}}", "additionalProperties: {‸}", "type description enum", "id"},
		"a type of a schema":            {"directory: {type: string}", "directory: {type: ‸}", "string integer", "mcp"},
		"a required argument":           {"required: [directory]", "required: [‸]", "directory deep", ""},
		"a tool that may be called":     {"vars: {region: eu, top: 3}\n", "allow:\n  calls: [‸]\n", "files.* files.read_file", ""},
		"a string of a field":           {"$.list.entries[size > 10].name", "$.list.entries[kind = \"‸\"]", "file directory", "size $count"},
		"a compared operand of a rule":  {`{">": [{var: $.list.total}, 3]}`, `{"==": [{var: "$.list.entries[0].kind"}, ‸]}`, "file directory", "size"},
		"an element in a rule":          {`{">": [{var: $.list.total}, 3]}`, `{some: [{var: $.list.entries}, {">": [{var: ‸}, 3]}]}`, "name size $ctx", "list"},
		"the list of an iteration":      {`{">": [{var: $.list.total}, 3]}`, `{some: [{var: $.list.‸}, {">": [{var: size}, 3]}]}`, "entries", "name"},
		"the element of a reduce":       {`{">": [{var: $.list.total}, 3]}`, `{reduce: [{var: $.list.entries}, {"+": [{var: current.‸}, {var: accumulator}]}, 0]}`, "name size", "list"},
		"the context in a rule's body":  {`{">": [{var: $.list.total}, 3]}`, `{some: [{var: $.list.entries}, {">": [{var: $ctx.list.‸}, 3]}]}`, "total entries", "name"},
		"the failure of a call":         {"        next: each\n", "        onError: {value: {expr: $failure.‸}}\n        next: each\n", "code message attempts", "list"},
		"the code of a failure":         {"        next: each\n", "        onError: {value: {expr: '$failure.code = \"‸\"'}}\n        next: each\n", "timeout tool-error", "list"},
		"the result of an attempt":      {"        next: each\n", "        retry: {until: $result.‸}\n        next: each\n", "total entries", "list"},
		"the item of a new forEach":     {"args: {directory: /tmp}", "forEach: {items: '[{\"size\": 1}]'}, args: {directory: {expr: $item.‸}}", "size", "call"},
		"a code that is retried":        {"        next: each\n", "        retry: {codes: [‸]}\n        next: each\n", "timeout server-exited", "each"},
		"a constant in a placeholder":   {"{command: files}", "{command: files, env: {R: \"${‸\"}}", "vars.region vars.top", "R"},
		"a variable named elsewhere":    {"{command: files}", "{command: \"${HOME}/files\", env: {R: \"${‸\"}}", "HOME vars.region", "R"},
		"a whole node":                  {"      - {id: exit, type: exit}\n  - name", "      - ‸\n  - name", "mcp_node switch_node parallel_node", ""},
		"no whole node in a node":       {"        next: each\n", "        ‸\n        next: each\n", "retry", "mcp_node"},
		"a whole server":                {"    url: https://127.0.0.1/mcp\n", "    ‸\n", "stdio_server http_server", "mcp_node"},
		"an expression":                 {"order: size", "order: ‸", "expr name", ""},
		"a branch":                      {"      - {id: exit, type: exit}\n  - name", "      - id: both\n        type: parallel\n        branches:\n          a: {type: mcp, server: files, ‸}\n  - name", "tool args retry", "next branches"},
		"a tool of a branch":            {"      - {id: exit, type: exit}\n  - name", "      - id: both\n        type: parallel\n        branches:\n          a: {type: mcp, server: files, tool: ‸}\n  - name", "find_files", "digest"},
		"a key of an ask":               {"      - {id: exit, type: exit}\n  - name", "      - id: q\n        type: ask\n        ‸\n  - name", "message schema timeoutMs onError", "args server"},
		"a key of a form":               {"      - {id: exit, type: exit}\n  - name", "      - id: q\n        type: ask\n        schema:\n          properties:\n            keep:\n              ‸\n  - name", "type title enum", "message"},
		"a limit":                       {"vars: {region: eu, top: 3}\n", "executionLimits:\n  ‸\n", "maxCalls maxDepth maxNodeExecutions", "tools"},
		"an effect that is allowed":     {"vars: {region: eu, top: 3}\n", "allow:\n  effects: [‸]\n", "read write destroy", "files.*"},
		"a tool of the pipeline":        {"vars: {region: eu, top: 3}\n", "pipeline: {tools: [‸]}\n", "digest other", "find_files"},
		"a new node reads the others":   {"      - {id: exit, type: exit}\n  - name", "      - {id: new, type: transform, transform: {expr: $.list.‸}}\n      - {id: exit, type: exit}\n  - name", "total", ""},
	} {
		t.Run(name, func(t *testing.T) { offers(t, known, file, c.old, c.new, c.want, c.not) })
	}
}

// A candidate replaces the word before the cursor, and names that JSONata cannot read are quoted.
func TestInsert(t *testing.T) {
	known := knownOf(t, file)
	for piece, want := range map[string][3]string{
		"$.list.en‸":           {"entries", "en", ""},
		"$.list.entries.own‸":  {"owner-id", "own", "`owner-id`"},
		"$cou‸":                {"$count", "$cou", "$count("},
		`$executionCount("ma‸`: {"make", "ma", ""},
	} {
		src := strings.Replace(file, "$.list.entries[size > 10].name", piece, 1)
		at := strings.Index(src, "‸")
		list := At(t.Context(), strings.Replace(src, "‸", "", 1), at, known)
		i := slices.IndexFunc(list.Candidates, func(c Candidate) bool { return c.Label == want[0] })
		if i < 0 || src[list.From:at] != want[1] || list.Candidates[i].Insert != want[2] {
			t.Errorf("%s: %d %q %+v", piece, i, src[list.From:at], list.Candidates)
		}
	}
	src := strings.Replace(file, "next: each", "next:", 1)
	list := At(t.Context(), src, strings.Index(src, "next:\n")+5, known)
	if len(list.Candidates) == 0 || !strings.HasPrefix(list.Candidates[0].Insert, " ") {
		t.Errorf("behind a colon: %+v", list)
	}
}

// Each branch of a parallel node has its own failures and results.
func TestVariablesOfBranches(t *testing.T) {
	src := strings.Replace(file, "        next: each\n", `        next: both
      - id: both
        type: parallel
        branches:
          one: {type: mcp, server: files, tool: find_files, args: {path: a}, retry: {until: $result.total}, onError: {codes: [timeout], value: {expr: '$failure.code = "timeout"'}}}
          two: {type: graph, tool: other, onError: {codes: [raised], value: {expr: $failure.code}}}
        next: each
`, 1)
	known := knownOf(t, src)
	for piece, c := range map[string][2]string{
		`$failure.code = "‸"`: {"timeout", "tool-error raised"},
		"until: $result.‸":    {"total entries", "code"},
	} {
		old := map[string]string{`$failure.code = "‸"`: `$failure.code = "timeout"`, "until: $result.‸": "until: $result.total"}[piece]
		offers(t, known, src, old, piece, c[0], c[1])
	}
}

// A word that YAML reads as something else is written in quotes, however it is spelled.
func TestWordsInQuotes(t *testing.T) {
	for _, word := range []string{"null", "NULL", "True", "no", "Off", "1e3", ""} {
		if got := scalarText(word); got != `"`+word+`"` {
			t.Errorf("%q is written as %s", word, got)
		}
	}
	if got := scalarText("nullable"); got != "nullable" {
		t.Errorf("got %s", got)
	}
}
