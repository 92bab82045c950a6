package config

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

// withNode is a graph whose only other node, in line 8 from column 9 on, has these fields.
func withNode(kind, fields string) string {
	return head + `mcpServers: {s: {command: x}}
tools:
  - name: t
    nodes:
      - {id: entry, type: entry, next: n}
      - {id: n, type: ` + kind + `, next: exit, ` + fields + `}
      - {id: exit, type: exit}
`
}

// nodeOf is that node.
func nodeOf(t testing.TB, kind, fields string) *Node {
	t.Helper()
	return mustParse(t, withNode(kind, fields)).Tools[0].Nodes[1]
}

func TestCallFields(t *testing.T) {
	n := nodeOf(t, "mcp", `server: s, tool: u, args: {a: 1}, forEach: {items: $.entry.list, maxParallel: 8}, timeoutMs: 5000, help: "Is it on?", effect: read,
        retry: {attempts: 4, delayMs: 100, backoff: 1.5, maxDelayMs: 2000, codes: [timeout, tool-error], when: $attempt < 3},
        onError: {codes: [timeout], value: {text: "", why: [{expr: $failure.message}]}, next: exit}`)
	if n.ForEach.Items.Value != "$.entry.list" || n.ForEach.MaxParallel != 8 || n.Timeout != 5*time.Second || n.TimeoutPos.Line != 8 || n.Help.Value != "Is it on?" || n.Effect != ReadEffect {
		t.Errorf("node %+v", n)
	}
	r := n.Retry
	if r.Attempts != 4 || r.Delay != 100*time.Millisecond || r.Backoff != 1.5 || r.MaxDelay != 2*time.Second || len(r.Codes) != 2 || r.Codes[1].Value != "tool-error" ||
		r.When.Value != "$attempt < 3" || r.Until.IsSet() {
		t.Errorf("retry %+v", r)
	}
	o := n.OnError
	if len(o.Codes) != 1 || string(o.Value.JSON()) != `{"text":"","why":[{"expr":"$failure.message"}]}` || o.Value.Get("why").Items[0].Kind != KindExpression || o.Next.Value != "exit" {
		t.Errorf("onError %+v", o)
	}
	g := nodeOf(t, "graph", "tool: t, args: {a: {expr: $item}}, forEach: {items: '[1]'}, timeoutMs: 1, onError: {}, help: h")
	if g.Type != GraphNode || g.Tool.Value != "t" || g.Args.Get("a").Expr.Value != "$item" || g.ForEach.MaxParallel != 1 || g.Timeout != time.Millisecond || g.OnError.Codes != nil ||
		g.OnError.Value != nil || g.OnError.Next.IsSet() {
		t.Errorf("node %+v", g)
	}
	if n := nodeOf(t, "transform", "transform: {expr: '1'}, onError: {codes: [], value: null}"); n.OnError.Codes == nil || n.OnError.Value == nil || n.OnError.Value.Scalar != nil {
		t.Errorf("onError %+v", n.OnError)
	}
	if n := nodeOf(t, "mcp", "server: s, tool: u"); n.ForEach != nil || n.Retry != nil || n.OnError != nil || n.Timeout != 0 || n.Effect != "" || n.TimeoutPos.IsValid() {
		t.Errorf("node %+v", n)
	}
}

func TestRetryDefaults(t *testing.T) {
	for fields, want := range map[string]Retry{
		"{}":                                      {Attempts: 3, Delay: 500 * time.Millisecond, Backoff: 2, MaxDelay: 30 * time.Second},
		"{until: $result}":                        {Attempts: 60, Delay: 2 * time.Second, Backoff: 1, MaxDelay: 30 * time.Second},
		"{until: $result, attempts: 1000}":        {Attempts: 1000, Delay: 2 * time.Second, Backoff: 1, MaxDelay: 30 * time.Second},
		"{until: $result, delayMs: 0}":            {Attempts: 60, Backoff: 1, MaxDelay: 30 * time.Second},
		"{attempts: 10, backoff: 10}":             {Attempts: 10, Delay: 500 * time.Millisecond, Backoff: 10, MaxDelay: 30 * time.Second},
		"{until: $result, backoff: 3, codes: []}": {Attempts: 60, Delay: 2 * time.Second, Backoff: 3, MaxDelay: 30 * time.Second, Codes: []Text{}},
	} {
		got := *nodeOf(t, "mcp", "server: s, tool: u, retry: "+fields).Retry
		got.Pos, got.DelayAt, got.Until = Pos{}, Pos{}, Text{}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", fields, got, want)
		}
	}
}

func TestCallRanges(t *testing.T) {
	for fields, problem := range map[string]string{
		"retry: {attempts: 1}":                         "attempts of retry of mcp node \"n\" is 1, expected at least 2",
		"retry: {attempts: 11}":                        "is 11, expected at most 10",
		"retry: {attempts: 1001, until: $result}":      "is 1001, expected at most 1000",
		"retry: {backoff: 0.5}":                        "is 0.5, expected at least 1",
		"retry: {backoff: 10.01}":                      "is 10.01, expected at most 10",
		"retry: {delayMs: -1}":                         "is -1, expected at least 0",
		"retry: {maxDelayMs: 3600001}":                 "expected at most 3600000",
		"forEach: {items: x, maxParallel: 0}":          "maxParallel of forEach of mcp node \"n\" is 0, expected at least 1",
		"forEach: {items: x, maxParallel: 257}":        "expected at most 256",
		"timeoutMs: 0":                                 "timeoutMs of mcp node \"n\" is 0, expected at least 1",
		"timeoutMs: 3600001":                           "expected at most 3600000",
		"retry: {attempts: 1e300}":                     "expected a whole number",
		"retry: {backoff: x}":                          "is text, expected a number",
		"retry: {attempts: 2.5}":                       "is the number 2.5, expected a whole number",
		"retry: {delayMs: 010}":                        "ambiguous number",
		"forEach: {items: x, maxParallel: [1]}":        "is a list, expected a whole number",
		"cache: {ttlMs: 0}":                            "ttlMs of cache of mcp node \"n\" is 0, expected at least 1",
		"cache: {ttlMs: 86400001}":                     "is 86400001, expected at most 86400000",
		"cache: {ttlMs: 1m}":                           "is text, expected a whole number",
		"retry: {backoff: 99999999999999999999999999}": "expected a number",
	} {
		found := findings(t, withNode("mcp", "server: s, tool: u, "+fields))
		wantAll(t, found, problem)
		if strings.Contains(problem, "at least") || strings.Contains(problem, "at most") {
			if found[0].Code != "bad-range" {
				t.Errorf("%s: code %s", fields, found[0].Code)
			}
		}
	}
}

func TestCallMistakes(t *testing.T) {
	for fields, problem := range map[string]string{
		"retry: 3":                               `retry of mcp node "n" is the number 3, expected a mapping; its keys are attempts, delayMs`,
		"retry: null":                            `retry of mcp node "n" is empty, expected a mapping; write retry: {}, or remove it`,
		"onError: null":                          `onError of mcp node "n" is empty, expected a mapping; write onError: {}, or remove it`,
		"forEach: $.list":                        `forEach of mcp node "n" is text, expected a mapping; its keys are items, maxParallel`,
		"forEach: {items: {expr: $.entry.list}}": `items of forEach of mcp node "n" is a mapping, expected the text of a JSONata expression; write the expression itself: items: $.entry.list`,
		"forEach: {items: [a, b]}":               `items of forEach of mcp node "n" is a list, expected the text of a JSONata expression; quote the expression: items: '…'`,
		"retry: {when: true}":                    `when of retry of mcp node "n" is the value true, expected text; quote it: "true"`,
		"retry: {codes: timeout}":                `codes of retry of mcp node "n" is text, expected a list; write codes: [timeout]`,
		"onError: {codes: [5]}":                  `codes of onError of mcp node "n" has the number 5 in it, expected texts`,
		"onError: {codes: {a: b}}":               `codes of onError of mcp node "n" is a mapping, expected a list`,
		"onError: {vaule: 1}":                    `unknown field "vaule" of onError of mcp node "n"; did you mean "value"?`,
		"onError: {value: {expr: a, b: c}}":      `value has the key "b" next to expr, expected expr alone`,
		"onError: {value: $.entry.x}":            `warning: "$.entry.x" looks like an expression but is sent as literal text; write value: {expr: $.entry.x}`,
		"onError: {value: {a: $failure.code}}":   `write a: {expr: $failure.code}`,
		"effect: reads":                          `effect of mcp node "n" is "reads", expected read, write or destroy; did you mean "read"?`,
		"cache: 60000":                           `cache of mcp node "n" is the number 60000, expected a mapping; its keys are ttlMs`,
		"cache: {}":                              `cache of mcp node "n" has no ttlMs; add ttlMs: …`,
		"cache: {ttlms: 5}":                      `unknown field "ttlms" of cache of mcp node "n"; did you mean "ttlMs"?`,
		"help: 5":                                `help of mcp node "n" is the number 5, expected text`,
		"branches: {}":                           `unknown field "branches" of mcp node "n"; branches belongs to nodes of type parallel`,
	} {
		want(t, withNode("mcp", "server: s, tool: u, "+fields), problem)
	}
	for fields, problem := range map[string]string{
		"retry: {}":         `unknown field "retry" of graph node "n"; retry belongs to nodes of type mcp`,
		"cache: {ttlMs: 1}": `unknown field "cache" of graph node "n"; cache belongs to nodes of type mcp`,
		"effect: read":      `unknown field "effect" of graph node "n"; effect belongs to nodes of type mcp`,
		"server: s":         `unknown field "server" of graph node "n"; server belongs to nodes of type mcp`,
	} {
		want(t, withNode("graph", "tool: t, "+fields), problem)
	}
	want(t, withNode("transform", "transform: {expr: '1'}, timeoutMs: 5"), `unknown field "timeoutMs" of transform node "n"; timeoutMs belongs to nodes of type mcp, graph`)
}

func TestBranches(t *testing.T) {
	n := nodeOf(t, "parallel", "branches: {a: {type: mcp, server: s, tool: u, retry: {}}, b: {type: graph, tool: t, onError: {value: null}}}")
	if len(n.Branches) != 2 || n.Branches[0].ID.Value != "a" || n.Branches[0].Retry == nil || n.Branches[1].Type != GraphNode || n.Branches[1].ID.Value != "b" || n.BranchesAt.Line != 8 {
		t.Fatalf("node %+v", n)
	}
	for branch, problem := range map[string]string{
		"{type: mcp, server: s, tool: u, next: exit}":          `branch "a" of parallel node "n" has next, which a branch cannot have; remove it`,
		"{type: graph, tool: t, id: a}":                        `branch "a" of parallel node "n" has id, which a branch cannot have; remove it`,
		"{type: mcp, server: s, tool: u, forEach: {items: x}}": `branch "a" of parallel node "n" has forEach, which a branch cannot have; put the forEach into a tool of its own`,
		"{type: graph, tool: t, onError: {next: exit}}":        `onError of branch "a" of parallel node "n" has next, which a branch cannot have; give value`,
		"{type: mcp, server: s, tool: u, timeout: 5}":          `unknown field "timeout" of branch "a" of parallel node "n"; did you mean "timeoutMs"?`,
		"{type: mcp, server: s, tool: u, nxt: 5}":              `unknown field "nxt" of branch "a" of parallel node "n"`,
		"5":                                 `branch "a" of parallel node "n" is the number 5, expected a mapping with type`,
		"{type: [mcp]}":                     `type of branch "a" of parallel node "n" is a list, expected entry, mcp`,
		"{type: graph, tool: t, retry: {}}": `unknown field "retry" of branch "a" of parallel node "n"; retry belongs to nodes of type mcp`,
		"{type: graph, tool: t, args: {x: {expr: a, b: c}}}":       `args has the key "b" next to expr`,
		"{type: mcp, server: s, tool: u, args: {x: $.entry.path}}": `warning: "$.entry.path" looks like an expression`,
	} {
		want(t, withNode("parallel", "branches: {a: "+branch+"}"), problem)
	}
	want(t, withNode("parallel", "branches: [{type: graph, tool: t}]"), `branches of parallel node "n" is a list, expected a mapping of names to nodes; write branches: {NAME: {type: mcp, …}}`)
	want(t, withNode("parallel", "branches: {a: {type: graph, tool: t}, a: {type: graph, tool: t}}"), `duplicate key "a"`)
}

func TestToolKeys(t *testing.T) {
	f := mustParse(t, head+`executionLimits: {maxDepth: 8, maxCalls: 200}
tools:
  - {name: a, hidden: true, executionLimits: {maxNodeExecutions: 5, maxExecutionTimeMs: 7, maxDepth: 2, maxCalls: 3}}
  - {name: b}
`)
	if f.Limits.MaxDepth != 8 || f.Limits.MaxCalls != 200 || f.Limits.MaxNodeExecutions != 1000 {
		t.Errorf("limits %+v", f.Limits)
	}
	a, b := f.Tools[0], f.Tools[1]
	if !a.Hidden || b.Hidden || (a.Limits != Limits{MaxNodeExecutions: 5, MaxExecutionTime: 7 * time.Millisecond, MaxDepth: 2, MaxCalls: 3}) || (b.Limits != Limits{}) {
		t.Errorf("tools %+v %+v", a, b)
	}
	want := f.Limits
	want.MaxNodeExecutions, want.MaxExecutionTime, want.MaxDepth, want.MaxCalls = 5, 7*time.Millisecond, 2, 3
	if got := f.Limits.Own(a.Limits); got != want {
		t.Errorf("own limits %+v, want %+v", got, want)
	}
	if got := f.Limits.Own(b.Limits); got != f.Limits {
		t.Errorf("limits of a tool without any: %+v", got)
	}
	for limits, problem := range map[string]string{
		"{maxDepth: 65}": "expected at most 64", "{maxDepth: 0}": "expected at least 1", "{maxCalls: 0}": "expected at least 1", "5": "expected a mapping", "{maxCall: 1}": `did you mean "maxCalls"?`,
	} {
		wantAll(t, findings(t, head+"executionLimits: "+limits+"\n"), problem)
		wantAll(t, findings(t, head+"tools: [{name: a, executionLimits: "+limits+"}]\n"), problem)
	}
	wantAll(t, findings(t, head+"tools: [{name: a, hidden: 1}]\n"), `hidden of tool "a" is the number 1, expected true or false`)
}

// Nodes of the new types belong to older files as well, and are upgraded with them.
func TestCallsInOlderFiles(t *testing.T) {
	const src = head + `servers: {s: {command: x}} # ours
tools:
  - name: first
  - name: second
nodes:
  - {id: e1, type: entry, tool: first, next: sum}
  - id: sum
    type: graph
    tool: second # of the list
    args: {path: $.e1.path}
    onError: {value: {text: $5}, next: lost}
    next: facts
  - id: facts
    type: parallel
    branches:
      a: {type: mcp, server: s, tool: u, args: {x: "$.e1.x"}}
      b: {type: graph, tool: second, args: {y: 1}}
    next: x1
  - {id: lost, type: transform, transform: {expr: $.sum}, next: x1}
  - {id: x1, type: exit, tool: first}
  - {id: e2, type: entry, tool: second, next: x2}
  - {id: x2, type: exit, tool: second}
`
	f := mustParse(t, src)
	var ids []string
	for _, tool := range f.Tools {
		for _, n := range tool.Nodes {
			ids = append(ids, tool.Name.Value+":"+n.ID.Value)
		}
	}
	if got := strings.Join(ids, " "); got != "first:e1 first:sum first:facts first:lost first:x1 second:e2 second:x2" {
		t.Errorf("nodes %s", got)
	}
	sum, facts := f.Tools[0].Nodes[1], f.Tools[0].Nodes[2]
	if sum.Args.Get("path").Kind != KindExpression || facts.Branches[0].Args.Get("x").Kind != KindExpression {
		t.Error("a text of args that begins with $ is no expression")
	}
	if string(sum.OnError.Value.JSON()) != `{"text":"$5"}` {
		t.Errorf("value %s", sum.OnError.Value.JSON())
	}
	out := upgraded(t, src)
	for _, part := range []string{"args: {path: {expr: $.e1.path}}", `args: {x: {expr: "$.e1.x"}}`, "mcpServers:", "text: $5"} {
		if !strings.Contains(out, part) {
			t.Errorf("no %s in\n%s", part, out)
		}
	}
}

// The toolkit writes the keys of a node in the usual order, in branches as well.
func TestEditCalls(t *testing.T) {
	tool := parsed(t, `{"nodes": [{"next": "exit", "onError": {}, "retry": {"attempts": 2}, "branches": {"a": {"tool": "u", "args": {"x": 1}, "server": "s", "type": "mcp"}, "b": {"onError": {}, "type": "graph", "tool": "t"}},
		"type": "parallel", "id": "n"}], "executionLimits": {"maxCalls": 5}, "hidden": true, "name": "other"}`)
	out, err := AddTool("g.yaml", []byte(editable), tool)
	if err != nil {
		t.Fatal(err)
	}
	const want = `
  - name: other
    hidden: true
    executionLimits: {maxCalls: 5}
    nodes:
      - id: "n"
        type: parallel
        branches:
          a: {type: mcp, server: s, tool: u, args: {x: 1}}
          b: {type: graph, tool: t, onError: {}}
        retry: {attempts: 2}
        onError: {}
        next: exit
`
	if !strings.Contains(string(out), want) {
		t.Errorf("got\n%s", out)
	}
	back, err := DeleteTool("g.yaml", out, "other")
	if err != nil || string(back) != editable {
		t.Errorf("%v\n%s", err, back)
	}
	older := head + "servers: {}\ntools: [{name: t}]\n"
	risky := parsed(t, `{"name": "o", "nodes": [{"id": "n", "type": "parallel", "branches": {"a": {"type": "graph", "tool": "t", "args": {"x": "$.y"}}}}]}`)
	if _, err := AddTool("g.yaml", []byte(older), risky); err == nil || !strings.Contains(err.Error(), `the text "$.y" in args would be an expression`) {
		t.Errorf("a text of a branch became an expression: %v", err)
	}
}

// What the schema allows for the new keys is what the loader allows.
func TestSchemaOfCalls(t *testing.T) {
	var root struct {
		Defs map[string]json.RawMessage `json:"$defs"`
	}
	if err := json.Unmarshal(Schema(), &root); err != nil {
		t.Fatal(err)
	}
	for name, parts := range map[string][]string{
		"retry":         {`"minimum": 2`, `"maximum": 1000`, `"maximum": 10`, `"default": 60`, `"server-exited"`},
		"forEach":       {`"maximum": 256`, `"items"`},
		"onError":       {`"#/$defs/argument"`, `"output-mismatch"`},
		"branch":        {`"const": "mcp"`, `"const": "graph"`},
		"node-parallel": {fmt.Sprintf(`"minProperties": %d`, MinBranches), fmt.Sprintf(`"maxProperties": %d`, MaxBranches)},
		"toolLimits":    {`"maximum": 64`},
		"node":          {`"type": "parallel"`, `"type": "graph"`},
	} {
		for _, part := range parts {
			if !strings.Contains(string(root.Defs[name]), part) {
				t.Errorf("no %s in %s: %s", part, name, root.Defs[name])
			}
		}
	}
	for name, not := range map[string]string{"branch": `"next"`, "toolLimits": `"default"`} {
		if strings.Contains(string(root.Defs[name]), not) {
			t.Errorf("%s in %s", not, name)
		}
	}
}
