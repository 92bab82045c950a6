package authoring

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/execution/journal/sqlite"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/project"
	"toolgraph/mcpclient"
	"toolgraph/tests/testbin"
)

// changing are the parts of an answer that differ from run to run, and messages, which
// other tests hold.
var changing = []struct {
	pattern *regexp.Regexp
	by      string
}{
	{regexp.MustCompile(`"(startTime|endTime|timestamp|started|ended|graph)":"[^"]*"`), `"$1":"…"`},
	{regexp.MustCompile(`"(duration|durationMs|executionTime|ms|bytes|bytesOut)":[0-9.e-]+`), `"$1":0`},
	{regexp.MustCompile(`"(message|hint|mermaid|does|error|note|text)":"(\\.|[^"\\])*"`), `"$1":"…"`},
}

const answersGraph = `server: {name: g, version: 1.0.0, title: A title, instructions: Do.}
mcpServers:
  fake: {command: FAKE, cwd: ., env: {PLAIN: "1"}}
  gone: {command: /nowhere/to/be/found}
tools:
  - name: calls
    title: It calls
    description: Calls once.
    result: text
    annotations: {readOnlyHint: true}
    inputSchema: {type: object, properties: {text: {type: string}}, required: [text]}
    outputSchema: {type: object}
    nodes:
      - {id: entry, type: entry, next: call}
      - {id: call, type: mcp, server: fake, tool: echo, onCrash: rerun, args: {text: {expr: $.entry.text}, list: [1, {expr: "$.entry.none"}]}, next: sw}
      - id: sw
        type: switch
        conditions: [{rule: {">": [{var: "$length($.entry.text)"}, 3]}, next: long}]
        next: exit
      - {id: long, type: transform, transform: {expr: "{'long': $.entry.text}"}, next: exit}
      - {id: exit, type: exit}
  - name: fails
    description: Fails.
    nodes:
      - {id: entry, type: entry, next: bad}
      - {id: bad, type: transform, transform: {expr: "$.entry.x + {}"}, next: exit}
      - {id: exit, type: exit}
`

// The answers of the operations, each key and its order.
func TestAnswers(t *testing.T) {
	k := kit(t, answersGraph)
	store, err := sqlite.Open(t.TempDir(), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	k.opts.Runs = store
	run := ""
	k.opts.Run = func(ctx context.Context, p *project.Project, pool *mcpclient.Pool, g *graph.Graph, args value.Value, opts ...execution.Option) (*execution.Result, error) {
		opts = append(opts, execution.WithJournal(store.Journal(p.File.Secrets, journal.About{File: p.File.Path, Server: "g"})))
		result, err := execution.New(pool).Run(ctx, g, args, opts...)
		if result != nil {
			run = result.RunID
		}
		return result, err
	}
	fake := testbin.Build(t, "toolgraph/tests/fakeserver")
	var out strings.Builder
	for _, c := range [][2]string{
		{"getGraphServer", `{}`},
		{"listGraphTools", `{}`},
		{"getGraphTool", `{"toolName":"calls"}`},
		{"listMcpServers", `{}`},
		{"getMcpServerTool", `{"serverName":"fake","toolName":"echo"}`},
		{"runGraphTool", `{"toolName":"calls","arguments":{"text":"abcd"},"logging":true}`},
		{"runGraphTool", `{"toolName":"fails","arguments":{"x":1},"logging":true}`},
		{"testMcpTool", `{"server":"fake","tool":"echo","args":{"a":{"expr":"n"}},"context":{"n":1}}`},
		{"testMcpTool", `{"server":"fake","tool":"fail","args":{}}`},
		{"testJSONata", `{"expression":"$.a.b + $executionCount('a')","context":{"a":{"b":1}}}`},
		{"testJSONata", `{"expression":"[$item, $index, $failure.code, $attempt, $result]","variables":{"item":"a","index":2,"failure":{"code":"timeout"},"attempt":3,"result":{}}}`},
		{"testJSONata", `{"expression":"1 +"}`},
		{"testJSONata", `{"expression":"1 + {}"}`},
		{"testJSONLogic", `{"expression":{">":[{"var":"a.b"},1]},"context":{"a":{"b":2}}}`},
		{"testJSONLogic", `{"expression":{"no":1}}`},
		{"checkGraphTool", `{}`},
		{"checkGraphTool", `{"toolName":"fails"}`},
		{"checkGraphTool", `{"toolDefinition":{"name":"b","description":"d","nodes":[{"id":"entry","type":"entry","next":"exi"},{"id":"exit","type":"exit"}]}}`},
		{"explainGraphTool", `{"toolName":"calls"}`},
		{"testGraphTool", `{"tests":[{"tool":"fails","args":{"x":1},"expect":{"isError":true}},{"tool":"fails","args":{"x":1},"expect":{"value":1}}]}`},
		{"listRuns", `{"limit":1}`},
		{"readRun", `{}`},
		{"readRun", `{"runId":"RUN","from":1,"limit":1,"valueBytes":3}`},
		{"addGraphTool", `{"tool":{"name":"b","description":"d","nodes":[{"id":"entry","type":"entry","next":"exit"},{"id":"exit","type":"exit"}]}}`},
		{"updateGraphTool", `{"toolName":"b","tool":{"name":"b2","description":"d","nodes":[{"id":"entry","type":"entry","next":"exit"},{"id":"exit","type":"exit"}]}}`},
		{"deleteGraphTool", `{"toolName":"b2"}`},
	} {
		first := run
		got := k.answerTo(t, c[0], strings.ReplaceAll(c[1], "RUN", first))
		for _, r := range changing {
			got = r.pattern.ReplaceAllString(got, r.by)
		}
		got = strings.NewReplacer(filepath.Dir(k.opts.Graph), "DIR", fake, "FAKE").Replace(got)
		out.WriteString(c[0] + " " + c[1] + "\n" + got + "\n\n")
	}
	got := regexp.MustCompile(`\b[0-9A-Z]{26}\b`).ReplaceAllString(out.String(), "ID")
	compareGolden(t, "testdata/answers.golden", got)
}

func compareGolden(t *testing.T, path, got string) {
	t.Helper()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		gotLines, wantLines := strings.Split(got, "\n"), strings.Split(string(want), "\n")
		for i := range min(len(gotLines), len(wantLines)) {
			if gotLines[i] != wantLines[i] {
				t.Errorf("line %d of %s\n got %s\nwant %s", i+1, path, gotLines[i], wantLines[i])
			}
		}
		if len(gotLines) != len(wantLines) {
			t.Errorf("%d lines, expected %d", len(gotLines), len(wantLines))
		}
	}
}
