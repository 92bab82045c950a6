package temporal

import (
	"fmt"
	"strings"
	"testing"
)

// counting is a graph file whose tools call step n times, one after the other: count is safe to
// repeat, and once is not.
const counting = `version: "1.0"
server: {name: test, version: 1.0.0}
executionLimits: {maxExecutionTimeMs: 600000}
mcpServers:
  up: {type: http, url: "$UP"}
tools:
$TOOLS`

const countingTool = `
- name: $NAME
  inputSchema: {type: object, properties: {id: {type: string}, n: {type: integer}, ms: {type: integer}}, required: [id, n, ms]}
  nodes:
  - {id: entry, type: entry, next: more}
  - {id: more, type: switch, conditions: [{rule: {"<": [{var: $executionCount("call")}, {var: $.entry.n}]}, next: call}, {next: sum}]}
  - {id: call, type: mcp, server: up, tool: step, onCrash: $CRASH, args: {key: {expr: '$.entry.id & "/" & $string($executionCount("call"))'}, ms: {expr: $.entry.ms}}, next: more}
  - {id: sum, type: transform, transform: {expr: '{"sum": $sum($nodeExecutions("call").v), "id": $.entry.id}'}, next: exit}
  - {id: exit, type: exit}
`

// countingFile writes such a file.
func countingFile(t *testing.T, u *upstream) string {
	t.Helper()
	tools := ""
	for name, crash := range map[string]string{"count": "rerun", "once": "stop"} {
		tools += strings.NewReplacer("$NAME", name, "$CRASH", crash).Replace(countingTool)
	}
	return write(t, t.TempDir(), "graph.yaml", strings.NewReplacer("$UP", u.URL, "$TOOLS", tools).Replace(counting))
}

func TestOneRun(t *testing.T) {
	p, u := newPlace(t), newUpstream(t)
	file := countingFile(t, u)
	p.worker(t, file)
	c := p.serve(t, file)
	got := c.wait(c.call("count", `{"id":"a","n":3,"ms":10}`))
	if want := `{"sum":3,"id":"a"}`; got.text() != want {
		t.Errorf("got %s %s, want %s", got.Result, got.Error, want)
	}
	for i := range 3 {
		if n := u.count(fmt.Sprintf("a/%d", i)); n != 1 {
			t.Errorf("call %d was made %d times", i, n)
		}
	}
}
