package graphtest

import (
	"context"
	"os"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/internal/project"
)

// askingYAML has a tool that asks, one whose calls are confirmed, one that asks in a called graph, and
// one whose result can be too long for a client.
const askingYAML = `version: "1.0"
server: {name: g, version: "1"}
mcpServers:
  files: {command: no-such-program}
tools:
  - name: tidy
    allow: {effects: [read, destroy], confirm: [destroy]}
    nodes:
      - {id: entry, type: entry, next: sure}
      - id: sure
        type: ask
        message: {expr: '"Remove " & $count($.entry.paths) & " files?"'}
        schema: {type: object, properties: {keepNewest: {type: boolean}}, required: [keepNewest]}
        onError: {codes: [declined, timeout], value: {expr: '{"why": $failure.code, "said": $failure.message}'}, next: exit}
        help: Ask again later.
        next: remove
      - {id: remove, type: mcp, server: files, tool: remove, effect: destroy, forEach: {items: $.entry.paths}, args: {path: {expr: $item}}, next: exit}
      - {id: exit, type: exit}
  - name: loop
    nodes:
      - {id: entry, type: entry, next: more}
      - {id: more, type: ask, message: {expr: '"More than " & $string($executionCount("more")) & "?"'}, onError: {next: exit}, next: again}
      - {id: again, type: switch, conditions: [{rule: {"<": [{var: '$executionCount("more")'}, 5]}, next: more}], next: exit}
      - {id: exit, type: exit}
  - name: outer
    nodes:
      - {id: entry, type: entry, next: call}
      - {id: call, type: graph, tool: tidy, args: {paths: [a]}, next: exit}
      - {id: exit, type: exit}
  - name: long
    executionLimits: {maxResultBytes: 20}
    nodes:
      - {id: entry, type: entry, next: text}
      - {id: text, type: transform, transform: {expr: $.entry.text}, next: exit}
      - {id: exit, type: exit}
  - name: writes
    allow: {effects: [read]}
    nodes:
      - {id: entry, type: entry, next: write}
      - {id: write, type: mcp, server: files, tool: write, next: exit}
      - {id: exit, type: exit}
`

func askingSuite(t *testing.T, tests string) *Suite {
	t.Helper()
	s := suiteOf(t, tests)
	write(t, s.Graph, askingYAML)
	return s
}

const twoRemoved = `files.remove: {result: gone}`

// askingCases are one case each: what its mocks and expectation miss, "" for nothing.
var askingCases = []struct{ name, test, want string }{
	{
		"a form is filled in, and calls are confirmed",
		`tool: tidy, args: {paths: [a, b]}, mocks: {sure: {result: {keepNewest: true}}, ` + twoRemoved + `}, expect: {
        value: [gone, gone], path: [entry, sure, remove, exit], nodes: {sure: {keepNewest: true}}, executions: {sure: 1}, calls: [{args: {path: a}}, {args: {path: b}}]}`,
		"",
	},
	{
		"the user declines",
		`tool: tidy, args: {paths: [a]}, mocks: {sure: {error: "no", code: declined}}, expect: {
        value: {why: declined, said: 'the user declined: "Remove 1 files?"'}, path: [entry, sure, exit], calls: []}`,
		"",
	},
	{"the user is too late", `tool: tidy, args: {paths: [a]}, mocks: {sure: {error: late, code: timeout}}, expect: {partial: {why: timeout}}`, ""},
	{"the user closes the question", `tool: tidy, args: {paths: [a]}, mocks: {sure: {error: "no", code: dismissed}}, expect: {isError: true, code: dismissed, contains: the user closed the question}`, ""},
	{"there is no user", `tool: tidy, args: {paths: [a]}, mocks: {sure: {error: a script, code: no-user}}, expect: {isError: true, code: no-user, contains: a script}`, ""},
	{"one answer after the other", `tool: loop, args: {}, mocks: {more: {sequence: [{result: {}}, {nothing: true}, {error: enough}]}}, expect: {executions: {more: 3}, path: [entry, more, again, more, again, more, exit]}`, ""},
	{"answers by the message", `tool: loop, args: {}, mocks: {more: [{when: {message: "More than 1?"}, error: enough}, {result: {}}]}, expect: {executions: {more: 2}}`, ""},
	{"an ask of a called graph", `tool: outer, args: {}, mocks: {"tidy:sure": {result: {keepNewest: false}}, ` + twoRemoved + `}, expect: {value: [gone], nodes: {"tidy:sure": {keepNewest: false}}}`, ""},
	{"a call of which the user does not approve", `tool: tidy, args: {paths: [a]}, mocks: {sure: {result: {keepNewest: true}}, remove: {error: "no", code: declined}}, expect: {isError: true, code: declined}`, ""},
	{"nothing is called without permission", `tool: writes, args: {}, mocks: {write: {result: 1}}, expect: {isError: true, code: not-allowed, calls: [], contains: 'may not call files.write'}`, ""},

	{
		"an ask without a mock", `tool: tidy, args: {paths: [a, b]}, expect: {isError: true}`,
		`node "sure" asks "Remove 2 files?", but no mock answers it, and a test asks no person; write mocks: {sure: {result: {"keepNewest":false}}}`,
	},
	{"an ask of a called graph without one", `tool: outer, args: {}, expect: {isError: true}`, `node "tidy:sure" (step 1/1) asks "Remove 1 files?", but no mock answers it, and a test asks no person; write mocks: {"tidy:sure": {result: {"keepNewest":false}}}`},
	{"an ask without a mock that onError would take", `tool: loop, args: {}, expect: {path: [entry, more, exit]}`, `node "more" asks "More than 0?", but no mock answers it`},
	{"an answer that no form allows", `tool: tidy, args: {paths: [a]}, mocks: {sure: {result: {keepNewest: 1}}}, expect: {isError: true}`, `mock "sure" answers node "sure", but the answer does not match its schema: result.keepNewest`},
	{"a sequence that ends", `tool: loop, args: {}, mocks: {more: {sequence: [{result: {}}]}}, expect: {path: [...]}`, `node "more" asks question 2, but the sequence of mock "more" has 1 answer; add answers, or write repeat: last`},
	{"the name of no ask", `tool: loop, args: {}, mocks: {mor: {result: {}}}, expect: {path: [...]}`, `tool "loop" has no mcp node, graph node, ask node or server.tool "mor"; did you mean "more"?`},

	{"a long result", `tool: long, args: {text: "0123456789012345678901"}, expect: {spilled: true, value: "0123456789012345678901"}`, ""},
	{"a short result", `tool: long, args: {text: "0"}, expect: {spilled: false}`, ""},
	{"a result that is short", `tool: long, args: {text: "0"}, expect: {spilled: true}`, "a client gets the whole value, because it is not longer than executionLimits.maxResultBytes (20); expected a summary"},
	{"a result that is long", `tool: long, args: {text: "0123456789012345678901"}, expect: {spilled: false}`, "the value has 24 bytes of JSON and executionLimits.maxResultBytes is 20, so a client gets a summary; expected the whole value"},
	{"another limit", `tool: long, args: {text: "0123456789012345678901"}, limits: {maxResultBytes: 30}, expect: {spilled: false}`, ""},
	{"a limit of the case alone", `tool: loop, args: {}, mocks: {more: {error: "no"}}, limits: {maxResultBytes: 10}, expect: {spilled: true}`, ""},
	{"no limit", `tool: loop, args: {}, mocks: {more: {error: "no"}}, expect: {spilled: true}`, "a client gets the whole value, because executionLimits.maxResultBytes is not set; expected a summary"},
	{"spilled and an error", `tool: loop, args: {}, expect: {isError: true, spilled: true}`, "has spilled besides isError: true, but a run that fails has no value"},
}

// Tests answer questions, without any user, and know whether a result is too long.
func TestAsking(t *testing.T) {
	for _, c := range askingCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, err := parseOf(t, "tests:\n  - {name: it, "+c.test+"}\n")
			if err == nil {
				write(t, s.Graph, askingYAML)
				var report *Report
				if report, err = s.Run(t.Context(), Options{}); err == nil {
					result := report.Results[0]
					if got := problems(result); (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
						t.Errorf("got %q, want %q\n%s", got, c.want, result.Failure)
					}
					return
				}
			}
			if c.want == "" || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// What is known of tools decides which calls a test permits and confirms, as in a run.
func TestEffectsOfTests(t *testing.T) {
	s := askingSuite(t, "tests:\n  - {name: it, tool: writes, args: {}, mocks: {write: {result: 1}}, expect: {value: 1}}\n")
	var asked []string
	report := reportOf(t, s, Options{Effects: func(*project.Project) func(context.Context, string, string) config.Effect {
		return func(_ context.Context, server, tool string) config.Effect {
			asked = append(asked, server+"."+tool)
			return config.ReadEffect
		}
	}})
	allPass(t, "read", report)
	if len(asked) == 0 || asked[0] != "files.write" {
		t.Errorf("asked about %v", asked)
	}
}

// Asks count as nodes, and what onError takes of them as an edge of errors.
func TestCoverageOfAsks(t *testing.T) {
	s := askingSuite(t, `tests:
  - {name: "yes", tool: tidy, args: {paths: []}, mocks: {sure: {result: {keepNewest: true}}}, expect: {path: [...]}}
`)
	coverage := func(s *Suite) ToolCoverage {
		var c Coverage
		c.Add(reportOf(t, s, Options{}))
		return c.Tools()[0]
	}
	got := coverage(s)
	if got.Nodes.Count != 4 || got.Nodes.Of != 4 || got.Edges.Count != 3 || got.Edges.Of != 4 || !strings.Contains(got.Edges.Missing[0], "sure → exit (error)") {
		t.Errorf("a yes: %+v", got)
	}
	s = askingSuite(t, `tests:
  - {name: "no", tool: tidy, args: {paths: []}, mocks: {sure: {error: "no"}}, expect: {path: [...]}}
`)
	got = coverage(s)
	if got.Nodes.Count != 3 || got.Edges.Count != 2 || strings.Contains(strings.Join(got.Edges.Missing, ";"), "(error)") {
		t.Errorf("a no: %+v", got)
	}
}

// Also on servers a mock answers the questions; a recording has the calls alone, and is played back
// with the same mock.
func TestAskingOnServers(t *testing.T) {
	const tests = "tests:\n  - {name: it, tool: tidy, args: {paths: [a]}, MOCKS expect: {value: [gone]}}\n"
	fake := &fakeServers{answers: map[string]value.Value{"remove a": "gone"}}
	without := askingSuite(t, strings.Replace(tests, "MOCKS", "", 1))
	for mode, name := range map[Mode]string{Live: "live", Record: "record"} {
		result := reportOf(t, without, Options{Mode: mode, Connect: fake.connect}).Results[0]
		if result.Status != Failed || !strings.Contains(problems(result), "no mock answers it, and a test asks no person") {
			t.Errorf("%s: %s %s", name, result.Status, problems(result))
		}
	}
	if len(fake.calls) != 0 {
		t.Errorf("called %v", fake.calls)
	}
	s := askingSuite(t, strings.Replace(tests, "MOCKS", "mocks: {sure: {result: {keepNewest: true}}},", 1))
	allPass(t, "recorded", reportOf(t, s, Options{Mode: Record, Connect: fake.connect}))
	src, err := os.ReadFile(s.Cassette())
	if err != nil || strings.Contains(string(src), "keepNewest") || strings.Contains(string(src), "Remove 1") {
		t.Errorf("%v: the cassette is %s", err, src)
	}
	calls, err := LoadCassette(s.Cassette())
	if err != nil || len(calls) != 1 || calls[0].Tool != "remove" {
		t.Errorf("%v: %+v", err, calls)
	}
	write(t, s.Path, strings.Replace(tests, "MOCKS", "", 1))
	forgotten, err := Load(s.Path)
	if err != nil {
		t.Fatal(err)
	}
	reportOf(t, forgotten, Options{Mode: Record, Connect: fake.connect})
	if now, err := os.ReadFile(s.Cassette()); err != nil || string(now) != string(src) {
		t.Errorf("%v: a run without an answer is recorded: %s", err, now)
	}
	played := reportOf(t, s, Options{Connect: func(*project.Project) (execution.ToolCaller, func(), error) {
		t.Error("a server is called")
		return nil, nil, nil
	}})
	allPass(t, "played", played)
	if record := played.Results[0].Records; record[2].Confirmed == nil {
		t.Errorf("the call is not confirmed: %+v", record[2])
	}
}

// The result of a question without an answer has no meaning: an expectation stays as it is.
func TestUpdateWithoutAnAnswer(t *testing.T) {
	s := askingSuite(t, "tests:\n  - {name: it, tool: loop, args: {}, expect: {value: 7}}\n")
	src, err := os.ReadFile(s.Path)
	if err != nil {
		t.Fatal(err)
	}
	if _, names, err := reportOf(t, s, Options{}).Update(src); err != nil || names != nil {
		t.Errorf("%v: updates %v", err, names)
	}
}
