package tests

import (
	"fmt"
	"strings"
	"testing"
)

// detailing has tools whose results are, or are not, the unchanged result of the call of an upstream
// tool, whose content items are the argument items. Those where it is not have a way, which is not taken, on
// which it would be.
const detailing = `version: "1.0"
server: {name: test, version: 1.0.0}
mcpServers:
  older: {command: $FAKE, env: {TOKEN: "${E2E_TOKEN:-}"}}
  newer: {command: $FAKE, args: [modern]}
tools:
  - name: older
    inputSchema: &input {type: object, properties: {items: {type: array}}, required: [items]}
    nodes:
      - {id: entry, type: entry, next: get}
      - {id: get, type: mcp, server: older, tool: contents, args: &args {params: {expr: $.entry.items}}, next: exit}
      - {id: exit, type: exit}
  - name: newer
    result: text
    inputSchema: *input
    nodes:
      - {id: entry, type: entry, next: before}
      - {id: before, type: mcp, server: newer, tool: contents, args: {params: [{type: text, text: b, _meta: {hidden: true}}]}, next: get}
      - {id: get, type: mcp, server: newer, tool: contents, args: *args, next: exit}
      - {id: exit, type: exit}
  - name: limited
    inputSchema: *input
    executionLimits: {maxResultBytes: 300}
    nodes:
      - {id: entry, type: entry, next: get}
      - {id: get, type: mcp, server: older, tool: contents, args: *args, next: exit}
      - {id: exit, type: exit}
  - name: changed
    inputSchema: *input
    nodes:
      - {id: entry, type: entry, next: get}
      - {id: get, type: mcp, server: older, tool: contents, args: *args, next: more}
      - {id: more, type: transform, transform: {expr: $.get}, onError: {next: other}, next: exit}
      - {id: other, type: mcp, server: older, tool: contents, args: *args, next: exit}
      - {id: exit, type: exit}
  - name: hides
    inputSchema: *input
    nodes:
      - {id: entry, type: entry, next: get}
      - {id: get, type: mcp, server: older, tool: contents, args: *args, next: last}
      - {id: last, type: mcp, server: older, tool: text, args: {text: last}, next: exit}
      - {id: exit, type: exit}
  - name: listed
    inputSchema: *input
    nodes:
      - {id: entry, type: entry, next: way}
      - {id: way, type: switch, conditions: [{rule: {var: entry.other}, next: other}], next: get}
      - {id: get, type: mcp, server: older, tool: contents, args: *args, forEach: {items: "[1]"}, next: exit}
      - {id: other, type: mcp, server: older, tool: contents, args: *args, next: exit}
      - {id: exit, type: exit}
  - name: called
    inputSchema: *input
    nodes:
      - {id: entry, type: entry, next: get}
      - {id: get, type: graph, tool: older, args: {items: {expr: $.entry.items}}, onError: {next: other}, next: exit}
      - {id: other, type: mcp, server: older, tool: contents, args: *args, next: exit}
      - {id: exit, type: exit}
  - name: typed
    inputSchema: *input
    outputSchema: {type: string}
    nodes:
      - {id: entry, type: entry, next: get}
      - {id: get, type: mcp, server: older, tool: contents, args: *args, next: exit}
      - {id: exit, type: exit}
`

// A client gets the annotations and _meta of text items of an upstream result that is the result of
// the run, and of no other; over each transport, in each era of both sides.
func TestDetailsOfTextReachTheClient(t *testing.T) {
	t.Parallel()
	const (
		one      = `{"type":"text","text":"x","annotations":{"audience":["user"],"priority":0.5,"lastModified":"2026-01-02T03:04:05Z"},"_meta":{"a/b":[1]}}`
		plain    = `[{"type":"text","text":"\"x\""}]`
		image    = `{"type":"image","data":"aGk=","mimeType":"image/png","annotations":{"priority":1}}`
		bad      = `{"type":"text","text":"x","annotations":{"audience":"all","priority":7},"_meta":["\u001b[2J"]}`
		secretly = `{"type":"text","text":"x","_meta":{"a":"hunter2-hunter2"}}`
	)
	quoted := strings.Replace(one, `"x"`, `"\"x\""`, 1)
	long := strings.Replace(one, `[1]`, `"`+strings.Repeat("y", 300)+`"`, 1)
	huge := strings.Replace(one, `[1]`, `"`+strings.Repeat("y", 1<<20)+`"`, 1)
	for door, ask := range everyDoor(t, detailing, "E2E_TOKEN=hunter2-hunter2") {
		for _, c := range []struct{ tool, items, want string }{
			{"older", `[` + one + `]`, `[` + quoted + `]`},
			{"newer", `[` + one + `]`, `[` + one + `]`},
			{"older", `[` + one + `,{"type":"text","text":"{\"b\":1}","_meta":{"b":2}}]`, `[` + one + `,{"type":"text","text":"{\"b\":1}","_meta":{"b":2}}]`},
			{"newer", `[` + image + `,` + one + `]`, `[` + image + `,` + one + `]`},
			{"older", `[{"type":"text","text":"x"}]`, plain},
			{"older", `[` + bad + `]`, plain},
			{"older", `[` + huge + `]`, plain},
			{"older", `[` + secretly + `]`, `[{"type":"text","text":"\"x\"","_meta":{"a":"[redacted]"}}]`},
			{"limited", `[` + one + `]`, `[` + quoted + `]`},
			{"limited", `[` + long + `]`, plain},
			{"changed", `[` + one + `]`, plain},
			{"hides", `[` + one + `]`, `[{"type":"text","text":"\"last\""}]`},
			{"listed", `[` + one + `]`, `[{"type":"text","text":"[\"x\"]"}]`},
			{"called", `[` + one + `]`, plain},
			{"typed", `[` + one + `]`, plain},
		} {
			got := ask("tools/call", c.tool, fmt.Sprintf(`"name":%q,"arguments":{"items":%s}`, c.tool, c.items))
			if !strings.Contains(got, `"content":`+c.want) {
				t.Errorf("%s, %s with %.200s:\ngot  %.900s\nwant %s", door, c.tool, c.items, got, c.want)
			}
		}
	}
}

// Each of many runs at the same time has the details of its own call.
func TestDetailsOfRunsAtTheSameTime(t *testing.T) {
	t.Parallel()
	s := start(t, detailing)
	var answers []<-chan reply
	for i := range 40 {
		_, answer := s.sendCall("older", fmt.Sprintf(`{"items":[{"type":"text","text":"%d","_meta":{"n":%d}}]}`, i, i))
		answers = append(answers, answer)
	}
	for i, answer := range answers {
		want := fmt.Sprintf(`{"content":[{"type":"text","text":"%d","_meta":{"n":%d}}],`, i, i)
		if got := string(s.await(answer).Result); !strings.HasPrefix(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
