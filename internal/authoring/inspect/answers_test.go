package inspect

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/execution/journal/sqlite"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/project"
	"toolgraph/internal/serving/server"
)

const answersGraph = `server: {name: g, version: 1.0.0, title: A title}
mcpServers:
  up: {command: up, env: {PLAIN: "1"}, args: [a]}
tools:
  - name: sums
    description: Sums.
    inputSchema: {type: object, properties: {n: {type: integer}}, required: [n]}
    nodes:
      - {id: entry, type: entry, next: call}
      - {id: call, type: mcp, server: up, tool: inc, args: {n: {expr: $.entry.n}}, next: sw}
      - id: sw
        type: switch
        conditions: [{rule: {">": [{var: $.call}, 3]}, next: void}]
        next: last
      - {id: void, type: transform, transform: {expr: $.entry.none}, next: last}
      - {id: last, type: transform, transform: {expr: "{'n': $.call & '', 'text': $pad('', 40, 'x')}"}, next: exit}
      - {id: exit, type: exit}
`

type inc struct{}

func (inc) CallTool(_ context.Context, call execution.Call) (value.Value, error) {
	n, _ := call.Args.(value.Object).Get("n")
	f, _ := n.(float64)
	return f + 1, nil
}

var changing = []struct {
	pattern *regexp.Regexp
	by      string
}{
	{regexp.MustCompile(`"(startTime|endTime|started|ended|graph|hash)":"[^"]*"`), `"$1":"…"`},
	{regexp.MustCompile(`"(duration|bytesOut)":[0-9.e-]+`), `"$1":0`},
	{regexp.MustCompile(`("args":"[^}]*}",.*?"bytes":)[0-9]+`), `${1}0`},
	{regexp.MustCompile(`"times":\[\{.*?\}\]`), `"times":"…"`}, // in the order of what they took
	{regexp.MustCompile(`"(message|hint|mermaid|does|detail)":"(\\.|[^"\\])*"`), `"$1":"…"`},
	{regexp.MustCompile(`\b[0-9A-Z]{26}\b`), `ID`},
}

// The answers to the questions, each key and its order.
func TestAnswers(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "graph.yaml")
	if err := os.WriteFile(path, []byte(answersGraph), 0o600); err != nil {
		t.Fatal(err)
	}
	store, err := sqlite.Open(filepath.Join(dir, "state"), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	i := &Inspector{File: path, Store: store, Version: "test", Command: func(*config.Upstream) (string, error) { return "/bin/up", nil }}
	i.Run = func(ctx context.Context, p *project.Project, g *graph.Graph, args value.Value) (*execution.Result, error) {
		return execution.New(inc{}, execution.WithJournal(store.Journal(p.File.Secrets, journal.About{File: path, Server: "g"}))).Run(ctx, g, args)
	}
	questions, err := i.Questions(true)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	first := ""
	for _, c := range [][2]string{
		{"run_tool", `{"tool":"sums","arguments":{"n":1}}`},
		{"run_tool", `{"tool":"sums","arguments":{"n":5}}`},
		{"run_tool", `{"tool":"sums","arguments":{"n":5}}`},
		{"list_tools", `{}`},
		{"graph", `{"tool":"sums"}`},
		{"explain_tool", `{"tool":"sums"}`},
		{"metadata", `{}`},
		{"list_runs", `{"limit":2}`},
		{"read_run", `{"run":"last"}`},
		{"read_run", `{"run":"last","from":3,"limit":2,"valueBytes":4,"context":4}`},
		{"diff_inputs", `{"a":"RUN","b":"last"}`},
		{"diff_inputs", `{"a":"last","b":"last"}`},
		{"diff_inputs", `{"b":"last"}`},
		{"explain_run", `{"run":"RUN"}`},
		{"doctor", `{}`},
	} {
		args, err := value.Decode([]byte(strings.ReplaceAll(c[1], "RUN", first)))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := questions.Tool(c[0]).Run(t.Context(), args, server.Watch{})
		if err != nil {
			t.Fatal(err)
		}
		raw, err := value.Encode(answer.Value)
		if err != nil {
			t.Fatal(err)
		}
		if id, _ := answer.Value.(value.Object).Get("run"); first == "" {
			first, _ = id.(string)
		}
		out.WriteString(c[0] + " " + c[1] + "\n" + string(raw) + "\n\n")
	}
	got := strings.ReplaceAll(out.String(), dir, "DIR")
	for _, r := range changing {
		got = r.pattern.ReplaceAllString(got, r.by)
	}
	const golden = "testdata/answers.golden"
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (UPDATE_GOLDEN=1 writes it anew):\n%s", golden, got)
	}
}
