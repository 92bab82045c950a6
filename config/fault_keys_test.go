package config

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestY09DuplicateKey(t *testing.T) {
	src := strings.Replace(withArgs("{}"), "{id: entry, type: entry, next: call}", "{id: entry, type: entry, next: call, next: exit}", 1)
	want(t, src, `g.yaml:8:46: duplicate key "next" (first defined on line 8)`)
	want(t, "server: {name: a, version: b}\nserver: {name: c}\n", `g.yaml:2:1: duplicate key "server" (first defined on line 1)`)
}

func TestY10DuplicateNames(t *testing.T) {
	want(t, head+`mcpServers: {files: {command: a}, Files: {command: b}}
tools:
  - name: t
    nodes:
      - {id: a, type: entry, next: b}
      - {id: b, type: exit}
      - {id: a, type: exit}
  - name: u
  - name: t
`,
		`g.yaml:3:35: server "Files" has the same name as "files" on line 3 (case does not count)`,
		`g.yaml:9:14: duplicate node "a" (first defined on line 7)`,
		`g.yaml:11:11: duplicate tool "t" (first defined on line 5)`)
}

func TestY14UnknownKeys(t *testing.T) {
	src := strings.Replace(withArgs("{}"), "tool: u", "tol: u", 1)
	want(t, src, `g.yaml:10:42: unknown field "tol" of mcp node "call"; did you mean "tool"?`)
	if f, _ := Parse("g.yaml", []byte(src), Options{}); f == nil || f.Tools[0].Nodes[2].Tool.Value != "u" {
		t.Error("what was meant is not read, so that one slip is two findings")
	}
	want(t, strings.Replace(head, "name:", "Name:", 1), `g.yaml:2:10: unknown field "Name" of server; did you mean "name"?`)
	want(t, head+"tools: [{name: t, nodes: [{id: a, type: transform, transform: {expr: x}, server: s, next: a}]}]\n",
		`unknown field "server" of transform node "a"; server belongs to nodes of type mcp`)
	want(t, head+"wholly: 1\n", `g.yaml:3:1: unknown field "wholly" of the graph file; its keys are version, server, executionLimits, allow, vars, imports, mcpServers, tools`)
	want(t, head+"mcpServers: {s: {command: x, timeoutMS: 5, foo: 1}}\n",
		`g.yaml:3:30: unknown field "timeoutMS" of server "s"; did you mean "timeoutMs"?`, `g.yaml:3:44: unknown field "foo" of server "s"`)
}

func TestY15Booleans(t *testing.T) {
	for _, word := range []string{"yes", "on", "y", "no", `"true"`, "1"} {
		want(t, head+"tools: [{name: t, annotations: {readOnlyHint: "+word+"}}]\n", "expected true or false")
	}
	want(t, head+"tools: [{name: t, annotations: {readOnlyHint: true, title: T}}]\n")
	for _, word := range []string{"yes", "on", "y"} {
		if got := argValue(t, word); got != word {
			t.Errorf("%s is %v", word, got)
		}
	}
}

func TestY16Octal(t *testing.T) {
	want(t, withArgs("{mode: 0755}"), "g.yaml:10:76: 0755 is an ambiguous number: octal in some YAML readers, decimal in others; write 0o755 or quote it")
	want(t, withArgs("{mode: 089}"), "write 89, or quote it")
	if got := argValue(t, "0o755"); got != 493.0 {
		t.Errorf("0o755 is %v", got)
	}
}

func TestY17DatesAndNumbers(t *testing.T) {
	want(t, withArgs("{d: 2024-01-01, v: 1.0, n: 1_000}"), "g.yaml:10:88: warning: 1.0 is sent as the number 1; quote it", "g.yaml:10:96: 1_000 is a number in some YAML readers and text in others; write 1000, or quote it")
	for src, expected := range map[string]any{
		"2024-01-01": "2024-01-01", "1.5": 1.5, "-3": -3.0, "+3": 3.0, "0x1F": 31.0, "0b11": 3.0, ".5": 0.5, "1e3": 1000.0, "~": nil, "Null": nil, "True": true,
		"12:30:45": "12:30:45", "1.2.3": "1.2.3", "'1'": "1", "-": nil, "0": 0.0, "-0x10": -16.0, "1e": "1e", "0x": "0x", ".": ".", "+": "+", "=": "=",
	} {
		if src == "-" {
			continue
		}
		if got := argValue(t, src); got != expected {
			t.Errorf("%s is %v (%T), expected %v", src, got, got, expected)
		}
	}
}

func TestY18LargeNumbers(t *testing.T) {
	for _, src := range []string{".inf", "-.Inf", ".nan", "1e400"} {
		found := findings(t, withArgs("{x: "+src+"}"))
		if len(found) != 1 || found[0].Code != "non-finite-number" {
			t.Errorf("%s: %v", src, found)
		}
	}
	for src, expected := range map[string]json.Number{
		"18446744073709551616": "18446744073709551616", "9007199254740993": "9007199254740993", "-9007199254740993": "-9007199254740993",
		"0xffffffffffffffffff": "4722366482869645213695", "+9007199254740993": "9007199254740993",
	} {
		if got := argValue(t, src); got != expected {
			t.Errorf("%s is %v (%T)", src, got, got)
		}
	}
	if got := argValue(t, "9007199254740992"); got != 9007199254740992.0 {
		t.Errorf("2^53 is %v (%T)", got, got)
	}
	f := mustParse(t, withArgs("{b: 18446744073709551616, a: [1.5, ~, <&>]}"))
	if got := string(f.Tools[0].Nodes[2].Args.JSON()); got != `{"b":18446744073709551616,"a":[1.5,null,"<&>"]}` {
		t.Errorf("as JSON: %s", got)
	}
}

func TestY19Tags(t *testing.T) {
	for _, tag := range []string{"!!python/object:os.system", "!Foo", "!!binary", "!!str", "!"} {
		want(t, withArgs("{x: "+tag+" a}"), "g.yaml:10:73: tags are not supported, found a value with one")
	}
	want(t, head+"x-a: &b !Foo {c: d}\n", "g.yaml:3:9: tags are not supported")
	want(t, head+"x-a: !Foo &b {c: d}\n", "g.yaml:3:6: tags are not supported")
}

func TestY21KeysThatAreNotText(t *testing.T) {
	for src, expected := range map[string]string{
		"{1: a}": `g.yaml:10:70: the key is 1, expected text; quote it: "1":`, "{true: a}": `the key is true, expected text; quote it: "true":`,
		"{[x]: a}": "the key is a list, expected text", "{{a: b}: c}": "the key is a mapping", "{~: a}": "the key is ~", "{? : a}": "the key is empty",
	} {
		want(t, withArgs(src), expected)
	}
	want(t, withArgs("{yes: a, on: b, y: c}"))
}

func TestY23SecretsBesideMistakes(t *testing.T) {
	const secret = "tok-live-123456"
	src := head + "mcpServers:\n  s: {command: x, env: {TOKEN: [" + secret + "], KEY: " + secret + ", OTHER: \"${UNSET}\", MORE: {a: " + secret + "}}, args: [[" + secret + "]]}\n"
	found := findings(t, src, "KEY", secret)
	wantAll(t, found, `"TOKEN" in env of server "s" is a list, expected text`, "UNSET", `"MORE" in env of server "s" is a mapping`, "argument 1 of server \"s\" is a list")
	if strings.Contains(found.Error(), secret) {
		t.Errorf("the secret is shown: %v", found)
	}
}

func TestY24AllMistakesInOrder(t *testing.T) {
	want(t, head+`executionLimits: {maxNodeExecutions: 0}
mcpServers:
  s: {type: carrier, command: x}
tools:
  - name: t
    nodes:
      - {id: a, typ: entry, next: b}
      - {id: a, type: exit, next: c}
`,
		"g.yaml:3:38: maxNodeExecutions of executionLimits is 0, expected at least 1",
		`g.yaml:5:13: type of server "s" is "carrier", expected stdio, streamableHttp, sse or exec`,
		`g.yaml:9:17: unknown field "typ" of node "a"; did you mean "type"?`,
		`g.yaml:10:14: duplicate node "a" (first defined on line 9)`,
		`g.yaml:10:29: unknown field "next" of exit node "a"; next belongs to nodes of type entry, mcp, graph, parallel, ask, transform, switch`)
}

func TestG05Limits(t *testing.T) {
	for src, expected := range map[string]string{
		"0": "is 0, expected at least 1", "-1": "is -1, expected at least 1", "1.5": "is the number 1.5, expected a whole number", "x": "is text, expected a whole number",
		"1e30": "is the number 1e30, expected a whole number", `"5"`: "is text, expected a whole number", "[]": "is a list", "{}": "is a mapping", "": "is empty", "010": "ambiguous number", "true": "is the value true",
	} {
		want(t, head+"executionLimits:\n  maxNodeExecutions: "+src+"\n", expected)
		if d := findings(t, head+"executionLimits:\n  maxNodeExecutions: "+src+"\n")[0]; d.Pos.Line != 4 {
			t.Errorf("%s: %v", src, d)
		}
	}
	want(t, head+"executionLimits: {maxExecutionTimeMs: 100000000, maxNodeOutputBytes: 268435457, maxHistoryBytes: 0, maxNodes: 5}\n",
		"expected at most 86400000", "expected at most 268435456", "expected at least 1", `unknown field "maxNodes"`)
	f := mustParse(t, head+"executionLimits: {maxNodeExecutions: 1e5, maxExecutionTimeMs: 1500}\n")
	if f.Limits.MaxNodeExecutions != 100_000 || f.Limits.MaxExecutionTime.Milliseconds() != 1500 {
		t.Errorf("limits %+v", f.Limits)
	}
	if f := mustParse(t, head); !reflect.DeepEqual(f.Limits, Limits{MaxNodeExecutions: 1000, MaxExecutionTime: 300e9, MaxNodeOutputBytes: 64 << 20, MaxHistoryBytes: 512 << 20, MaxDepth: 16}) {
		t.Errorf("default limits %+v", f.Limits)
	}
}
