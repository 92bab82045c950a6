package tests

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	importing "toolgraph/internal/interop/importer"
	"toolgraph/internal/project"
	"toolgraph/internal/serving/plan"
)

// agrees is a user who says yes to every question.
type agrees struct{ asked int }

func (a *agrees) Ask(context.Context, execution.Question) (execution.Answer, error) {
	a.asked++
	return execution.Answer{Action: execution.Accept}, nil
}

// comingFrom are the sections of docs/coming-from.md with graphs: what a graph of the section gives
// for the answers of its servers.
var comingFrom = []struct {
	section, tool, args string
	answers             map[string]string // by tool: JSON; a text that begins with ! is an error
	want                string
	asked               int
}{
	{
		"mcpGraph", "count_files", `{"directory": "."}`,
		map[string]string{"list_directory": `"a\nb\nc"`},
		`{"count":3}`, 0,
	},
	{
		"Context Pipe", "sorted-notes", `{"input": "fruit"}`,
		map[string]string{"search": `"pear\napple\n"`, "sort": `"apple\npear\n"`},
		`"apple\npear\n"`, 0,
	},
	{
		"pflow", "open_issues", `{"repo": "a/b"}`,
		map[string]string{"list_issues": `[{"title": "first"}, {"title": "second"}]`},
		`{"titles":["first","second"]}`, 0,
	},
	{
		"async-pipeline", "verify", `{}`,
		map[string]string{"vet": `""`, "test": `!exit code 1`},
		`{"ok":false,"checks":{"vet":"","test":{"failed":"exit code 1"}}}`, 0,
	},
	{
		"async-pipeline", "verify", `{}`,
		map[string]string{"vet": `""`, "test": `"ok"`},
		`{"ok":true,"checks":{"vet":"","test":"ok"}}`, 0,
	},
	{
		"mcp_pipeline", "mcp_pipeline", "",
		map[string]string{"messages_send": `{"message_id": "m7"}`, "events_create": `{"event_id": "e1"}`, "members_add_role": `!no such role`},
		`"aborted":false`, 0,
	},
	{
		"ToolHive composite tools", "publish_release", `{"tag": "v1"}`,
		map[string]string{"release_notes": `{"text": "better"}`, "status": `"green"`, "publish": `{"url": "https://repo.example/v1"}`},
		`{"url":"https://repo.example/v1"}`, 1,
	},
}

// sectionOrBlock is a heading of a section, or a block of code, in which a line may look like one.
var sectionOrBlock = regexp.MustCompile("(?ms)^## ([^\n]+)$|^```\\w+\n(.*?)^```$")

// Each graph of docs/coming-from.md is without findings and gives what its section says.
func TestComingFrom(t *testing.T) {
	t.Parallel()
	src, err := os.ReadFile(filepath.Join("..", "docs", "coming-from.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := map[string][]string{} // by section
	section := ""
	for _, m := range sectionOrBlock.FindAllStringSubmatch(string(src), -1) {
		if m[1] != "" {
			section = m[1]
			continue
		}
		blocks[section] = append(blocks[section], m[2])
	}
	dir := t.TempDir()
	registered := filepath.Join(dir, "servers.json")
	if err := os.WriteFile(registered, []byte(`{"mcpServers": {"github": {"command": "github-server"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	opts := config.Options{AssumeEnv: true, Registries: []string{registered}}
	for _, c := range comingFrom {
		all := blocks[c.section]
		graph := all[len(all)-1]
		args := c.args
		if args == "" { // the request of the section is the arguments
			args = all[0]
		}
		got, asked := comesFrom(t, filepath.Join(dir, "graph.yaml"), graph, opts, c.tool, args, c.answers)
		if !strings.Contains(got, c.want) || asked != c.asked {
			t.Errorf("%s: %s, expected %s, asked %d times", c.section, got, c.want, asked)
		}
	}
	for name, all := range blocks {
		if len(all) < 2 && name != "async-pipeline" {
			t.Errorf("%s has %d blocks, expected the other system and Toolgraph", name, len(all))
		}
	}

	older, current := blocks["mcpGraph"][0], blocks["mcpGraph"][1]
	for _, src := range []string{older, current} {
		if got, _ := comesFrom(t, filepath.Join(dir, "graph.yaml"), src, opts, "count_files", comingFrom[0].args, comingFrom[0].answers); got != comingFrom[0].want {
			t.Errorf("%s gives %s", src, got)
		}
	}
	imported, err := importing.ContextPipe(importing.Pipes{Path: "pipes.json", Src: []byte(blocks["Context Pipe"][0])}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := comesFrom(t, filepath.Join(dir, "graph.yaml"), string(imported.Graph), opts, "sorted-notes", comingFrom[1].args, comingFrom[1].answers); got != comingFrom[1].want {
		t.Errorf("the imported pipe gives %s\n%s", got, imported.Graph)
	}
}

// comesFrom runs a tool of a graph file with the answers of its servers, and returns the result as
// JSON and how often the user was asked.
func comesFrom(t *testing.T, path, src string, opts config.Options, tool, args string, answers map[string]string) (string, int) {
	t.Helper()
	p, err := project.Parse(t.Context(), path, []byte(src), opts)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	if errs, _ := p.Warnings.Split(); errs != nil {
		t.Errorf("%v\n%s", errs, src)
	}
	g, err := p.Graph(tool)
	if err != nil {
		t.Fatal(err)
	}
	v, err := value.Decode([]byte(args))
	if err != nil {
		t.Fatal(err)
	}
	g, v, err = p.ForRun(t.Context(), g, v, offering(answers))
	if err != nil {
		t.Fatal(err)
	}
	user := &agrees{}
	caller := execution.CallerFunc(func(_ context.Context, c execution.Call) (value.Value, error) {
		answer, known := answers[c.Tool]
		if !known {
			t.Errorf("%s.%s was called", c.Server, c.Tool)
		}
		if message, fails := strings.CutPrefix(answer, "!"); fails {
			return nil, errors.New(message)
		}
		return value.Decode([]byte(answer))
	})
	result, err := execution.New(caller, execution.WithUser(user)).Run(t.Context(), g, v)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	text, err := value.Encode(result.Value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text), user.asked
}

// offering are servers that offer the tools for which there is an answer.
type offering map[string]string

func (a offering) Offers(_ context.Context, _, tool string) (offers, known bool) {
	_, offers = a[tool]
	return offers, true
}

func (offering) List(context.Context, string) ([]plan.Listed, error) { return nil, nil }
