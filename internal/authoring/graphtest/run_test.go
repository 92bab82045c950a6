package graphtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// graphYAML reads a list of files and adds up what they hold.
const graphYAML = `version: "1.0"
server: {name: g, version: "1"}
mcpServers:
  files: {command: no-such-program, env: {TOKEN: "${GRAPHTEST_TOKEN}"}}
tools:
  - name: add
    inputSchema: {type: object, properties: {dir: {type: string}}, required: [dir]}
    outputSchema: {type: object, properties: {sum: {type: number}}, required: [sum]}
    nodes:
      - {id: entry, type: entry, next: list}
      - {id: list, type: mcp, server: files, tool: list, args: {path: {expr: $.entry.dir}}, next: more}
      - id: more
        type: switch
        conditions:
          - {rule: {"<": [{var: $executionCount("read")}, {var: $count($.list.names)}]}, next: read}
        next: sum
      - {id: read, type: mcp, server: files, tool: read, args: {path: {expr: '$.list.names[$executionCount("read")]'}}, next: more}
      - {id: sum, type: transform, transform: {expr: '{"sum": $sum($nodeExecutions("read").n)}'}, next: exit}
      - {id: exit, type: exit}
  - name: fixed
    nodes:
      - {id: entry, type: entry, next: exit}
      - {id: exit, type: exit}
`

// suiteOf writes the graph and a test file beside it, and reads the test file.
func suiteOf(t *testing.T, tests string) *Suite {
	t.Helper()
	s, err := parseOf(t, tests)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func parseOf(t *testing.T, tests string) (*Suite, error) {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "g.yaml"), graphYAML)
	write(t, filepath.Join(dir, "g.test.yaml"), tests)
	return Load(filepath.Join(dir, "g.test.yaml"))
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func reportOf(t *testing.T, s *Suite, opts Options) *Report {
	t.Helper()
	report, err := s.Run(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// problems returns the problems of a result, as people see them.
func problems(r *Result) string {
	var b strings.Builder
	for _, p := range r.Problems {
		b.WriteString(p.Pos.String() + ": " + p.Text() + "\n")
	}
	if r.Divergence != "" {
		b.WriteString("first divergence: " + r.Divergence + "\n")
	}
	return b.String()
}

const listMock = `list: {result: {names: [a, b]}}`

// Every kind of mock and expectation, met and missed.
func TestCases(t *testing.T) {
	const mocks = `mocks: {list: {result: {names: [a, b]}}, files.read: {sequence: [{result: {n: 1}}, {result: {n: 2}}]}}`
	for _, c := range []struct{ name, test, want string }{
		{"value", mocks + ", expect: {value: {sum: 3.0}}", ""},
		{"another value", mocks + ", expect: {value: {sum: 4, x: 1}}", "the value is not the expected one\n  .sum: expected 4, got 3\n  .x: expected 1, got nothing"},
		{"partial", mocks + ", expect: {partial: {}}", ""},
		{"another partial", mocks + ", expect: {partial: {sum: [1]}}", ".sum: expected [1], got 3"},
		{"contains", mocks + `, expect: {contains: '"sum":3'}`, ""},
		{"another text", mocks + ", expect: {contains: nine}", `expected "nine" in the value: {"sum":3}`},
		{"no error", mocks + ", expect: {isError: true}", `the run returned a value, expected it to fail: {"sum":3}`},
		{"error", `mocks: {list: {error: it is gone}}, expect: {isError: true, contains: 'server "files", tool "list": it is gone'}`, ""},
		{"another error", `mocks: {list: {error: it is gone}}, expect: {isError: true, contains: here}`, `the error does not contain "here": `},
		{"unexpected error", `mocks: {list: {error: it is gone}}, expect: {value: 1}`, "the run failed, expected a value: "},
		{"path", mocks + ", expect: {path: [entry, list, more, read, more, read, more, sum, exit]}", ""},
		{"path with gaps", mocks + ", expect: {path: [entry, ..., read, more, sum, ...]}", ""},
		{"another path", mocks + ", expect: {path: [entry, list, more, sum, exit]}", `at step 3 it went to node "read", expected "sum"` + "\nfirst divergence: step 3: switch \"more\" went to \"read\", expected \"sum\""},
		{"a longer path", mocks + ", expect: {path: [entry, ..., exit, exit]}", "it ended too early for entry → ... → exit → exit"},
		{"calls", mocks + ", expect: {calls: [{node: list, args: {path: d}}, {server: files, tool: read, partial: {path: a}}, {tool: read}]}", ""},
		{"calls with gaps", mocks + ", expect: {calls: [..., {args: {path: b}}]}", ""},
		{"other calls", mocks + ", expect: {calls: [{node: list}, {tool: read, args: {path: b}}, {}]}", "call 2, files.read of node \"read\", has other arguments than expected\n  .path: expected \"b\", got \"a\""},
		{"another order", mocks + ", expect: {calls: [{node: read}, {}, {}]}", `call 1 is files.list of node "list", expected of node "read"`},
		{"fewer calls", mocks + ", expect: {calls: [{}]}", `the run made 3 calls, expected 1; the first that is too many is files.read of node "read"`},
		{"more calls", mocks + ", expect: {calls: [{}, {}, {}, {tool: write}]}", "the run made 3 calls, expected 4; the next expected call is write"},
		{"no calls", mocks + ", expect: {calls: []}", "the run made 3 calls, expected 0"},
		{"nodes", mocks + ", expect: {nodes: {read: {n: 2}, sum: {}}}", ""},
		{"another output", mocks + ", expect: {nodes: {read: {n: 1}}}", "the output of node \"read\" does not contain the expected part\n  .n: expected 1, got 2"},
		{"executions", mocks + ", expect: {executions: {read: 2, more: 3}}", ""},
		{"other executions", mocks + ", expect: {executions: {read: 1, list: 0}}", `node "read" has run 2 times, expected 1`},
		{"a sequence that runs out", `mocks: {list: {result: {names: [a, b]}}, read: {sequence: [{result: {n: 1}}]}}, expect: {isError: true}`, `node "read" makes call 2, but the sequence of mock "read" has 1 answer`},
		{"a sequence that goes on", `mocks: {list: {result: {names: [a, b, c]}}, read: {sequence: [{result: {n: 1}}, {result: {n: 2}}], repeat: last}}, expect: {value: {sum: 5}}`, ""},
		{"a sequence with an error", `mocks: {list: {result: {names: [a, b]}}, read: {sequence: [{result: {n: 1}}, {error: no more}]}}, expect: {isError: true, contains: no more}`, ""},
		{"by arguments", `mocks: {list: {result: {names: [b, a]}}, read: [{when: {path: a}, result: {n: 10}}, {result: {n: 1}}]}, expect: {nodes: {read: {n: 10}}, value: {sum: 11}}`, ""},
		{"nothing answers", `mocks: {` + listMock + `}, expect: {isError: true}`, `node "read" calls files.read with {"path":"a"}, but no mock or recorded call answers it; write mocks: {read: {result: …}}, or record the calls once with toolgraph test --record`},
		{"arguments that do not fit", `args: {dir: 1}, expect: {isError: true, contains: "arguments.dir: expected"}`, ""},
		{"limits", mocks + ", limits: {maxNodeExecutions: 4}, expect: {isError: true, contains: executionLimits.maxNodeExecutions is 4}", ""},
		{"a result that does not fit", `mocks: {list: {result: {names: [a]}}, read: {result: {n: x}}}, expect: {isError: true}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			args := "args: {dir: d}, "
			if strings.HasPrefix(c.test, "args:") {
				args = ""
			}
			s := suiteOf(t, "tests:\n  - {name: it, tool: add, "+args+c.test+"}\n")
			result := reportOf(t, s, Options{}).Results[0]
			if got := problems(result); (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q\n%s", got, c.want, result.Failure)
			}
			if (result.Status == Passed) != (c.want == "") {
				t.Errorf("the status is %s", result.Status)
			}
		})
	}
}

// Mocks of the file are for all its cases, and a case's own go before them.
func TestMocksOfTheFile(t *testing.T) {
	s := suiteOf(t, `
mocks:
  list: {result: {names: [a]}}
  files.read: {sequence: [{result: {n: 1}}]}
tests:
  - {name: one, tool: add, args: {dir: d}, expect: {value: {sum: 1}}}
  - {name: two, tool: add, args: {dir: d}, expect: {value: {sum: 1}}}
  - {name: three, tool: add, args: {dir: d}, mocks: {read: {result: {n: 7}}}, expect: {value: {sum: 7}}}
  - {name: four, tool: fixed, args: {x: 1}, expect: {value: {x: 1}, path: [entry, exit]}}
`)
	for _, r := range reportOf(t, s, Options{}).Results {
		if r.Status != Passed {
			t.Errorf("%s: %s", r.Case.Name, problems(r))
		}
	}
}

// A mistake in a test file is reported with its place and a suggestion.
func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"tests: []", "found no tests, expected at least one"},
		{"- 1", "a test file is a list, expected a mapping"},
		{"tests: [{tool: t, expect: {value: 1}}]", "1:9: a test has no name"},
		{"tests: [{name: a, expect: {value: 1}}]", `1:9: test "a" names no tool`},
		{"tests: [{name: a, tool: t}]", `test "a" expects nothing`},
		{"tests: [{name: a, tool: t, expect: {}}]", `test "a" expects nothing`},
		{"tests: [{name: a, tool: t, expected: {value: 1}}]", `1:28: unknown field "expected" of a test; did you mean "expect"? [unknown-key]`},
		{"tests: [{name: a, tool: t, expect: {valu: 1}}]", `unknown field "valu" of expect of test "a"; did you mean "value"?`},
		{"tests: [{name: a, tool: t, expect: {value: 1}}, {name: a, tool: t, expect: {value: 1}}]", `duplicate name "a" (first used on line 1)`},
		{"tests: [{name: a, tool: t, args: [], expect: {value: 1}}]", `args of test "a" is a list, expected a mapping`},
		{"tests: [{name: 1, tool: t, expect: {value: 1}}]", "name of a test is the number 1, expected text"},
		{"tests: [{name: a, tool: t, expect: {value: 1, isError: true}}]", "a value besides isError: true"},
		{"tests: [{name: a, tool: t, expect: {isError: maybe}}]", "expected true or false"},
		{"tests: [{name: a, tool: t, expect: {executions: {n: -1}}}]", "a whole number of at least 0"},
		{"tests: [{name: a, tool: t, limits: {maxNodeExecutions: 0}, expect: {value: 1}}]", "a whole number of at least 1"},
		{"tests: [{name: a, tool: t, mocks: {n: {}}, expect: {value: 1}}]", `mock "n" has 0 of result, nothing, error and sequence, expected exactly one`},
		{"tests: [{name: a, tool: t, mocks: {n: {result: 1, error: x}}, expect: {value: 1}}]", `mock "n" has 2 of`},
		{"tests: [{name: a, tool: t, mocks: {n: {result: 1, repeat: last}}, expect: {value: 1}}]", "repeat is only for a sequence"},
		{"tests: [{name: a, tool: t, mocks: {n: {sequence: [], repeat: last}}, expect: {value: 1}}]", "is empty"},
		{"tests: [{name: a, tool: t, mocks: {n: {sequence: [{}], repeat: first}}, expect: {value: 1}}]", `repeat is "first", expected last`},
		{"tests: [{name: a, tool: t, env: {A: 1}, expect: {value: 1}}]", "A in env of test"},
		{"tests: [{name: a, tool: t, mocks: {n: {error: x, code: timout}}, expect: {value: 1}}]", `1:56: code of mock "n" is "timout", expected the code of a failure; did you mean "timeout"? [unknown-value]`},
		{"tests: [{name: a, tool: t, mocks: {n: {sequence: [{error: x, code: limit}]}}, expect: {value: 1}}]", `1:68: code of an item of the sequence of mock "n" is "limit", expected the code of a failure; write timeout, tool-error`},
		{"tests: [{name: a, tool: t, mocks: {n: {result: 1, code: timeout}}, expect: {value: 1}}]", `1:57: code is only for an error, and mock "n" has none; write error: TEXT beside it`},
		{"tests: [{name: a, tool: t, mocks: {n: {sequence: [{error: x}], code: timeout}}, expect: {value: 1}}]", `1:70: code is only for an error; the sequence of mock "n" has answers of its own`},
		{"tests: [{name: a, tool: t, mocks: {n: {error: x, code: 5}}, expect: {value: 1}}]", `code of mock "n" is the number 5, expected text`},
		{"tests: [{name: a, tool: t, expect: {isError: true, code: limits}}]", `code of expect of test "a" is "limits", expected the code of a failure; did you mean "limit"?`},
		{"tests: [{name: a, tool: t, expect: {code: limit}}]", `1:43: expect of test "a" has a code, but does not expect the run to fail; write isError: true beside it`},
		{"tests: [", "g.test.yaml"},
	} {
		_, err := parseOf(t, c.src)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q in it", c.src, err, c.want)
		}
	}
}

// A name that the graph file does not have is reported before any case runs.
func TestNamesThatTheGraphDoesNotHave(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"tests: [{name: a, tool: ad, expect: {value: 1}}]", `g.yaml has no tool "ad"; did you mean "add"?`},
		{"mocks: {lst: {result: 1}}\ntests: [{name: a, tool: add, expect: {value: 1}}]", `g.yaml has no mcp node, graph node, ask node or server.tool "lst"; did you mean "list"?`},
		{"tests: [{name: a, tool: fixed, mocks: {list: {result: 1}}, expect: {value: 1}}]", `tool "fixed" has no mcp node, graph node, ask node or server.tool "list"`},
		{"tests: [{name: a, tool: add, mocks: {files.raed: {result: 1}}, expect: {value: 1}}]", `did you mean "files.read"?`},
		{"tests: [{name: a, tool: add, expect: {path: [entry, lists]}}]", `1:53: tool "add" has no node "lists"; did you mean "list"?`},
		{"tests: [{name: a, tool: add, expect: {nodes: {summ: 1}}}]", `did you mean "sum"?`},
		{"tests: [{name: a, tool: add, expect: {executions: {summ: 1}}}]", `did you mean "sum"?`},
		{"tests: [{name: a, tool: add, expect: {calls: [{node: lists}]}}]", `did you mean "list"?`},
	} {
		s := suiteOf(t, c.src)
		_, err := s.Run(t.Context(), Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "[unknown-test-name]") {
			t.Errorf("%s: got %v, want %q in it", c.src, err, c.want)
		}
	}
}

func TestDraftsExpectNothing(t *testing.T) {
	const src = "tests: [{name: a, tool: fixed}]"
	if _, err := Parse("g.test.yaml", []byte(src)); err == nil {
		t.Error("a test that expects nothing was taken")
	}
	if _, err := Parse("g.test.yaml", []byte(src), WithDrafts()); err != nil {
		t.Error(err)
	}
	if _, err := Parse("tests.yaml", []byte(src), WithDrafts()); err == nil || !strings.Contains(err.Error(), "names no graph file") {
		t.Errorf("got %v", err)
	}
	s, err := Parse("tests.yaml", []byte("graph: ../g.yaml\n"+src), WithDrafts())
	if err != nil || s.Graph != filepath.Join("..", "g.yaml") {
		t.Errorf("got %v and %+v", err, s)
	}
}
