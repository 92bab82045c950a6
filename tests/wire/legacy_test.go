package wire

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"toolgraph/internal/base/diff"
	"toolgraph/tests/testbin"
)

// graphFile has a tool for each way in which a call can end. The first %s is in the server's entry.
const graphFile = `version: "1.0"
server: {name: shop, version: 1.0.0%s}
mcpServers:
  up: {command: %q}
tools:
- name: greet
  title: Greet
  description: Greets someone.
  inputSchema: {type: object, properties: {name: {type: string}}, required: [name]}
  outputSchema: {type: object, properties: {text: {type: string}}, required: [text]}
  nodes:
  - {id: entry, type: entry, next: say}
  - {id: say, type: transform, transform: {expr: '{"text": "Hello, " & $.entry.name}'}, next: exit}
  - {id: exit, type: exit}
- name: nap
  description: Takes a moment.
  nodes:
  - {id: entry, type: entry, next: sleep}
  - {id: sleep, type: mcp, server: up, tool: sleep, effect: read, args: {ms: 50}, next: exit}
  - {id: exit, type: exit}
- name: fail
  description: Fails.
  nodes:
  - {id: entry, type: entry, next: wrong}
  - {id: wrong, type: transform, transform: {expr: '$error("nothing works")'}, next: exit}
  - {id: exit, type: exit}
- name: ask
  description: Asks.
  nodes:
  - {id: entry, type: entry, next: both}
  - id: both
    type: parallel
    branches: {first: {type: graph, tool: who}, second: {type: graph, tool: who}}
    next: exit
  - {id: exit, type: exit}
- name: who
  description: Asks once.
  nodes:
  - {id: entry, type: entry, next: who}
  - {id: who, type: ask, message: "Who is it?", schema: {type: object, properties: {name: {type: string}}, required: [name]}, next: exit}
  - {id: exit, type: exit}
- name: hold
  description: Takes a minute.
  nodes:
  - {id: entry, type: entry, next: sleep}
  - {id: sleep, type: mcp, server: up, tool: sleep, effect: read, timeoutMs: 120000, args: {ms: 60000}, next: exit}
  - {id: exit, type: exit}
`

// step is a message of the client. It goes on when the server has sent a line with each of the texts.
type step struct {
	send  string
	want  []string
	stays bool // over HTTP the response does not end before the next step
}

// revisions are the protocols and the capabilities of their clients.
var revisions = []struct{ version, capabilities string }{
	{"2025-03-26", `{}`}, {"2025-06-18", `{"elicitation":{}}`}, {"2025-11-25", `{"elicitation":{"form":{}},"tasks":{"requests":{"elicitation":{"create":{}}}}}`},
}

// conversation is what a client of a revision says.
func conversation(version, capabilities string) []step {
	call := func(id int, tool, args, more string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s%s}}`, id, tool, args, more)
	}
	answer := func(id int) string { return fmt.Sprintf(`"id":%d,`, id) }
	all := []step{
		{send: fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":%q,"capabilities":%s,"clientInfo":{"name":"wire","version":"1"}}}`, version, capabilities), want: []string{answer(1)}},
		{send: `{"jsonrpc":"2.0","method":"notifications/initialized"}`},
		{send: `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, want: []string{answer(2)}},
		{send: call(3, "greet", `{"name":"Ann"}`, ""), want: []string{answer(3)}},
		{send: call(4, "greet", `{"name":5}`, ""), want: []string{answer(4)}},
		{send: call(5, "nap", `{}`, ""), want: []string{answer(5)}},
		{send: call(6, "nap", `{}`, `,"_meta":{"progressToken":"p6"}`), want: []string{answer(6)}},
		{send: call(7, "fail", `{}`, ""), want: []string{answer(7)}},
		{send: call(8, "none", `{}`, ""), want: []string{answer(8)}},
		{send: call(9, "greet", `{"name":"Ann"}`, `,"task":{"ttl":60000}`), want: []string{answer(9)}},
		{send: `{"jsonrpc":"2.0","id":10,"method":"tasks/get","params":{"taskId":"T"}}`, want: []string{answer(10)}},
		{send: `{"jsonrpc":"2.0","id":11,"method":"tasks/list"}`, want: []string{answer(11)}},
		{send: call(12, "hold", `{}`, `,"_meta":{"progressToken":"p12"}`), want: []string{`"message":"entry"`}, stays: true},
		{send: `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":12,"reason":"enough"}}`},
		{send: `{"jsonrpc":"2.0","id":13,"method":"ping"}`, want: []string{answer(13)}},
	}
	if capabilities == "{}" {
		return append(all, step{send: call(14, "who", `{}`, ""), want: []string{answer(14)}})
	}
	const reply = `{"jsonrpc":"2.0","id":ID,"result":{"action":"accept","content":{"name":"Ann"}}}`
	return append(all,
		step{send: call(14, "ask", `{}`, ""), want: []string{`elicitation/create`}, stays: true},
		step{send: reply, want: []string{`elicitation/create`}},
		step{send: reply, want: []string{answer(14)}})
}

// client sends the steps of a conversation, and returns the transcript.
type client func(t *testing.T, program, graph string, steps []step) string

// TestLegacyClients compares what each client gets with what it got before tasks came. A call that takes longer than taskAfterMs,
// a millisecond here, has its result for these clients.
func TestLegacyClients(t *testing.T) {
	program, server := os.Getenv("TOOLGRAPH_WIRE"), ""
	record := program != ""
	if !record {
		program, server = testbin.Build(t, "toolgraph"), ", taskAfterMs: 1"
	}
	for name, talk := range map[string]client{"stdio": overStdio, "http": overHTTP} {
		for _, r := range revisions {
			t.Run(name+"/"+r.version, func(t *testing.T) {
				t.Parallel()
				graph := filepath.Join(t.TempDir(), "graph.yaml")
				if err := os.WriteFile(graph, fmt.Appendf(nil, graphFile, server, testbin.Build(t, "toolgraph/tests/fakeserver")), 0o600); err != nil {
					t.Fatal(err)
				}
				got := normal(filepath.Dir(graph), talk(t, program, graph, conversation(r.version, r.capabilities)))
				golden := filepath.Join("testdata", r.version+"-"+name+".txt")
				if record {
					if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
						t.Fatal(err)
					}
					return
				}
				want, err := os.ReadFile(golden)
				if err != nil {
					t.Fatal(err)
				}
				if got != string(want) {
					t.Errorf("not what clients got before:\n%s", diff.Text(golden, string(want), "now", got))
				}
			})
		}
	}
}

// differing is what differs in each run: the id and the duration of a run, the id of a question, the length of what has these,
// and one progress report.
var differing = []struct {
	of *regexp.Regexp
	by string
}{
	{regexp.MustCompile(`"id":"[A-Z2-7]{26}"`), `"id":"RUN"`},
	{regexp.MustCompile(`"durationMs":\d+`), `"durationMs":1`},
	{regexp.MustCompile(`"toolgraph-[^"]+"`), `"toolgraph-1"`},
	{regexp.MustCompile(`Content-Length: \d+`), `Content-Length: 1`},
	// A cancelled call may still report the node that was cancelled.
	{regexp.MustCompile(`(< event: message\n)?< (data: )?\{"jsonrpc":"2.0","method":"notifications/progress","params":\{"progressToken":"p12","progress":2,.*\n(< \n)?`), ``},
}

func normal(dir, transcript string) string {
	transcript = strings.ReplaceAll(transcript, dir, "DIR")
	for _, d := range differing {
		transcript = d.of.ReplaceAllString(transcript, d.by)
	}
	return transcript
}

// questionID is the id of a question.
var questionID = regexp.MustCompile(`"id":("toolgraph-[^"]+"),"method":"elicitation/create"`)

// answering puts the id of the last question into an answer.
func answering(send, transcript string) string {
	if all := questionID.FindAllStringSubmatch(transcript, -1); all != nil {
		send = strings.Replace(send, `"id":ID`, `"id":`+all[len(all)-1][1], 1)
	}
	return send
}
