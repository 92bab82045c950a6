package graphtest

import (
	"strings"
	"testing"
)

// flowYAML has a tool with all that makes several calls, and the tools that it calls.
const flowYAML = `version: "1.0"
server: {name: g, version: "1"}
mcpServers:
  web: {command: no-such-program, env: {TOKEN: "${GRAPHTEST_TOKEN:-}"}}
tools:
  - name: trip
    nodes:
      - {id: entry, type: entry, next: facts}
      - id: facts
        type: parallel
        branches:
          weather: {type: mcp, server: web, tool: get, args: {path: weather}, retry: {delayMs: 3600000, maxDelayMs: 3600000, codes: [timeout, tool-error]}}
          news: {type: graph, tool: pages, args: {paths: {expr: $.entry.paths}}, onError: {codes: [timeout], value: []}}
        next: exit
      - {id: exit, type: exit}
  - name: pages
    hidden: true
    inputSchema: {type: object, properties: {paths: {type: array}}, required: [paths]}
    outputSchema: {type: array}
    nodes:
      - {id: in, type: entry, next: read}
      - id: read
        type: mcp
        server: web
        tool: get
        forEach: {items: $.in.paths, maxParallel: 64}
        args: {path: {expr: $item}}
        onError: {codes: [tool-error], value: {expr: '{"lost": $failure.result}'}}
        next: tidy
      - {id: tidy, type: transform, transform: {expr: '$.read[$ = "bad"] ? $error("bad page") : [$.read]'}, onError: {codes: [raised], next: nothing}, next: out}
      - {id: nothing, type: transform, transform: {expr: '[]'}, next: out}
      - {id: out, type: exit}
  - name: down
    executionLimits: {maxDepth: 5}
    inputSchema: {type: object, properties: {n: {type: integer}}, required: [n]}
    nodes:
      - {id: in, type: entry, next: get}
      - {id: get, type: mcp, server: web, tool: get, args: {path: {expr: $string($.in.n)}}, next: more}
      - {id: more, type: switch, conditions: [{rule: {">": [{var: in.n}, 0]}, next: deeper}], next: end}
      - {id: end, type: transform, transform: {expr: $.get}, next: out}
      - {id: deeper, type: graph, tool: down, args: {n: {expr: $.in.n - 1}}, next: out}
      - {id: out, type: exit}
  - name: odd
    nodes:
      - {id: entry, type: entry, next: "pages:read"}
      - {id: "pages:read", type: mcp, server: web, tool: get, args: {path: own}, next: pages}
      - {id: pages, type: graph, tool: pages, args: {paths: [a]}, next: exit}
      - {id: exit, type: exit}
  - name: twins
    nodes:
      - {id: entry, type: entry, next: both}
      - id: both
        type: parallel
        branches:
          z: {type: mcp, server: web, tool: get, args: {path: same}}
          a: {type: mcp, server: web, tool: get, args: {path: same}}
        next: exit
      - {id: exit, type: exit}
  - name: each
    nodes:
      - {id: entry, type: entry, next: pairs}
      - {id: pairs, type: graph, tool: pair, forEach: {items: $.entry.paths, maxParallel: 64}, next: exit}
      - {id: exit, type: exit}
  - name: pair
    hidden: true
    nodes:
      - {id: in, type: entry, next: one}
      - {id: one, type: mcp, server: web, tool: get, next: two}
      - {id: two, type: mcp, server: web, tool: get, next: both}
      - {id: both, type: transform, transform: {expr: '[$.one, $.two]'}, next: out}
      - {id: out, type: exit}
  - name: fails
    nodes:
      - {id: entry, type: entry, next: raise}
      - {id: raise, type: transform, transform: {expr: '$.entry.raise ? $error("no") : $.entry + 1'}, next: exit}
      - {id: exit, type: exit}
`

func flowSuite(t *testing.T, tests string) *Suite {
	t.Helper()
	s := suiteOf(t, tests)
	write(t, s.Graph, flowYAML)
	return s
}

// flowCases are one case each: what its mocks and expectation miss, "" for nothing.
var flowCases = []struct{ name, test, want string }{
	{
		"branches, items and nodes of called tools have names",
		`tool: trip, args: {paths: [a, b]}, mocks: {facts.weather: {result: sun}, "pages:read": [{when: {path: a}, result: A}, {result: B}]}, expect: {
        value: {weather: sun, news: [A, B]}, path: [entry, facts, exit], executions: {facts: 1, facts.weather: 1, "pages:read": 1, "pages:tidy": 1, "pages:nothing": 0},
        nodes: {facts.news: [A, B], "pages:read": [A, B]},
        calls: [{node: "pages:read", args: {path: a}}, {node: "pages:read", args: {path: b}}, {node: facts.weather}]}`,
		"",
	},
	{
		"a mock of a graph node stands for the graph",
		`tool: trip, args: {paths: [a, b]}, mocks: {facts.news: {result: [N]}, web.get: {result: sun}}, expect: {
        value: {weather: sun, news: [N]}, calls: [{node: facts.news, tool: pages, args: {paths: [a, b]}}, {server: web}], executions: {"pages:in": 0}}`,
		"",
	},
	{
		"a graph runs when no rule of its mock fits",
		`tool: trip, args: {paths: [a]}, mocks: {facts.news: [{when: {paths: [b]}, result: [N]}], web.get: {result: x}}, expect: {value: {weather: x, news: [x]}}`,
		"",
	},
	{
		"a sequence has an answer for each attempt",
		`tool: trip, args: {paths: []}, limits: {maxExecutionTimeMs: 5000},
        mocks: {facts.weather: {sequence: [{error: late, code: timeout}, {error: busy}, {result: sun}]}}, expect: {
        value: {weather: sun, news: []}, calls: [{node: facts.weather}, {node: facts.weather}, {node: facts.weather}]}`,
		"",
	},
	{
		"a failed call is caught by its code",
		`tool: trip, args: {paths: [a]}, mocks: {facts.weather: {result: sun}, facts.news: {error: late, code: timeout}}, expect: {value: {weather: sun, news: []}}`,
		"",
	},
	{
		"a code that is not caught fails the run",
		`tool: trip, args: {paths: [a]}, mocks: {facts.weather: {result: sun}, facts.news: {error: "no", code: rpc-error}}, expect: {isError: true, code: rpc-error, contains: 'tool "pages": no'}`,
		"",
	},
	{
		"the text of a failed tool is its result",
		`tool: pages, args: {paths: [a, b]}, mocks: {read: [{when: {path: a}, error: gone}, {error: '{"why": 5}'}]}, expect: {value: [{lost: gone}, {lost: {why: 5}}]}`,
		"",
	},
	{
		"names of the tool itself may have its name before them",
		`tool: pages, args: {paths: [a]}, mocks: {"pages:read": {result: A}}, expect: {value: [A], executions: {"pages:read": 1, read: 1}}`,
		"",
	},
	{
		"an id goes before the node of another tool",
		`tool: odd, mocks: {"pages:read": {result: own}, web.get: {result: other}}, expect: {value: [other], nodes: {"pages:read": own}, executions: {"pages:read": 1, "pages:in": 1}}`,
		"",
	},
	{
		"a name with the tool is of every frame, one without it of the run's own",
		`tool: down, args: {n: 2}, mocks: {web.get: {result: x}}, expect: {value: x, path: [in, get, more, deeper, out], executions: {get: 1, "down:get": 3, "down:deeper": 2, more: 1, end: 0, "down:end": 1}}`,
		"",
	},
	{"the depth of a case", `tool: down, args: {n: 4}, mocks: {web.get: {result: x}}, expect: {value: x}`, ""},
	{
		"a smaller depth", `tool: down, args: {n: 4}, limits: {maxDepth: 2}, mocks: {web.get: {result: x}}, expect: {isError: true, code: limit, contains: executionLimits.maxDepth is 2}`, "",
	},
	{
		"the calls of a case",
		`tool: down, args: {n: 4}, limits: {maxCalls: 3}, mocks: {web.get: {result: x}}, expect: {isError: true, code: limit, contains: executionLimits.maxCalls is 3, calls: [{}, {}, {}]}`, "",
	},
	{"an error of the author", `tool: fails, args: {raise: true}, expect: {isError: true, code: raised}`, ""},
	{"an error of an expression", `tool: fails, args: {}, expect: {isError: true, code: expression}`, ""},
	{"arguments that do not fit", `tool: down, args: {}, expect: {isError: true, code: invalid-arguments}`, ""},
	{"a result that does not fit", `tool: pages, args: {paths: [a]}, mocks: {read: {result: x}}, expect: {isError: true, code: output-mismatch}`, `the run returned a value, expected it to fail: ["x"]`},
	{"another code", `tool: fails, args: {}, expect: {isError: true, code: raised}`, `the run failed with the code "expression", expected "raised": `},
	{
		"a call of a part without an answer, which no onError takes",
		`tool: trip, args: {paths: [a]}, mocks: {facts.weather: {result: sun}}, expect: {value: 1}`,
		`node "pages:read" (step 1.news/1.0) calls web.get with {"path":"a"}, but no mock or recorded call answers it; write mocks: {"pages:read": {result: …}}`,
	},
	{
		"a sequence that is too short for the items",
		`tool: pages, args: {paths: [a, b]}, mocks: {read: {sequence: [{result: 1}]}}, expect: {value: 1}`,
		`node "read" (step 1.1) makes call 2, but the sequence of mock "read" has 1 answer`,
	},
	{
		"other calls of parts",
		`tool: pages, args: {paths: [a, b]}, mocks: {read: {result: 1}}, expect: {calls: [{args: {path: a}}, {node: "pages:tidy"}]}`,
		`call 2 is web.get of node "read" (step 1.1), expected of node "pages:tidy"`,
	},
	{
		"items of a node that failed are not its output",
		`tool: pages, args: {paths: [a, b]}, mocks: {read: [{when: {path: a}, result: A}, {error: late, code: timeout}]}, expect: {isError: true, code: timeout, nodes: {read: A}}`,
		`node "read" has no output, expected one`,
	},
	{"a path with a node of another tool", `tool: trip, args: {}, expect: {path: [entry, "pages:in"]}`, `tool "trip" has no node "pages:in"`},
	{"a branch that there is not", `tool: trip, args: {}, mocks: {facts.wether: {result: 1}}, expect: {value: 1}`, `tool "trip" has no mcp node, graph node, ask node or server.tool "facts.wether"; did you mean "facts.weather"?`},
	{"a tool that is not called", `tool: pages, args: {}, expect: {executions: {"trip:entry": 1}}`, `tool "pages" has no node "trip:entry"`},
}

// Tests can name all that a run with frames and parts does.
func TestFlow(t *testing.T) {
	for _, c := range flowCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := flowSuite(t, "tests:\n  - {name: it, "+c.test+"}\n")
			report, err := s.Run(t.Context(), Options{})
			if err != nil {
				if c.want == "" || !strings.Contains(err.Error(), c.want) {
					t.Errorf("got %v, want %q", err, c.want)
				}
				return
			}
			result := report.Results[0]
			if got := problems(result); (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q\n%s", got, c.want, result.Failure)
			}
		})
	}
}

// The answers of a sequence go to the parts one after the other, though they may run at once.
func TestSequenceOfParts(t *testing.T) {
	s := flowSuite(t, `tests:
  - name: it
    tool: each
    args: {paths: [a, b, c]}
    mocks: {web.get: {sequence: [{result: 1}, {result: 2}, {result: 3}, {result: 4}, {result: 5}, {result: 6}]}}
    expect: {value: [[1, 2], [3, 4], [5, 6]]}
`)
	allPass(t, "in order", reportOf(t, s, Options{}))
}

// What a called graph has run counts for its own tool, and an edge of onError is one.
func TestCoverageOfFlow(t *testing.T) {
	coverage := func(tests string) map[string]ToolCoverage {
		s := flowSuite(t, "mocks: {web.get: {result: x}}\ntests:\n"+tests)
		var c Coverage
		c.Add(reportOf(t, s, Options{}))
		all := map[string]ToolCoverage{}
		for _, tool := range c.Tools() {
			all[tool.Tool] = tool
		}
		return all
	}
	got := coverage("  - {name: trip, tool: trip, args: {paths: [a]}, expect: {path: [...]}}\n")
	if n := got["trip"].Nodes; n.Count != 5 || n.Of != 5 {
		t.Errorf("trip: %+v", n)
	}
	if n := got["pages"].Nodes; n.Count != 4 || n.Of != 5 || !strings.Contains(n.Missing[0], `node "nothing"`) {
		t.Errorf("pages: %+v", n)
	}
	if e := got["pages"].Edges; e.Count != 3 || e.Of != 5 || !strings.Contains(strings.Join(e.Missing, ";"), "tidy → nothing (error)") {
		t.Errorf("pages: %+v", e)
	}
	if c := got["pages"].Conditions; c.Of != 0 {
		t.Errorf("an edge of onError is no condition: %+v", c)
	}
	got = coverage("  - {name: bad, tool: pages, args: {paths: [a]}, mocks: {read: {result: bad}}, expect: {value: []}}\n" +
		"  - {name: trip, tool: trip, args: {paths: [a]}, expect: {path: [...]}}\n")
	if e := got["pages"].Edges; e.Count != 5 {
		t.Errorf("two tests together: %+v", e)
	}
	got = coverage("  - {name: mocked, tool: trip, args: {paths: [a]}, mocks: {facts.news: {result: []}}, expect: {path: [...]}}\n")
	if got["trip"].Nodes.Count != 5 || got["pages"].Nodes.Count != 0 {
		t.Errorf("a mock runs nothing: %+v", got)
	}
	got = coverage("  - {name: down, tool: down, args: {n: 1}, expect: {path: [...]}}\n")
	if c := got["down"].Conditions; c.Count != 2 {
		t.Errorf("both ways are taken, one in a frame: %+v", c)
	}
}
