package tests

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"toolgraph/tests/testbin"
)

// inspector is toolgraph inspect as an agent sees it.
func inspector(t *testing.T, binary string, args ...string) *client.Client {
	t.Helper()
	c := client.NewClient(transport.NewStdio(binary, nil, append([]string{"inspect"}, args...)...))
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() }) // it ends a child that is well
	var hello mcp.InitializeRequest
	hello.Params.ClientInfo = mcp.Implementation{Name: "test", Version: "1"}
	hello.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	if _, err := c.Initialize(t.Context(), hello); err != nil {
		t.Fatal(err)
	}
	return c
}

// asked is the text of a tool's answer.
func asked(t *testing.T, c *client.Client, question string, args map[string]any) string {
	t.Helper()
	var call mcp.CallToolRequest
	call.Params.Name = question
	if args != nil {
		call.Params.Arguments = args
	}
	result, err := c.CallTool(t.Context(), call)
	if err != nil || result.IsError {
		t.Fatalf("%s: %v, %v", question, result, err)
	}
	return result.Content[0].(mcp.TextContent).Text
}

// output is what the program prints.
func output(t *testing.T, binary string, args ...string) string {
	t.Helper()
	var complaint bytes.Buffer
	cmd := exec.CommandContext(t.Context(), binary, args...)
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, complaint.String())
	}
	return string(out)
}

// compact is JSON without the space between its parts.
func compact(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Compact(&out, []byte(text)); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return out.String()
}

// A person and an agent get the same answer to every question, byte for byte.
func TestInspect(t *testing.T) {
	t.Parallel()
	binary := testbin.Build(t, "toolgraph")
	graph, err := filepath.Abs(filepath.Join("testdata", "history.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	state := t.TempDir()
	for _, n := range []string{"n=3", "n=4"} {
		output(t, binary, "run", graph, "loop", n, "--state", state)
	}
	var kept struct{ Runs []struct{ ID string } }
	if err := json.Unmarshal([]byte(output(t, binary, "runs", "list", "--format", "json", "--state", state)), &kept); err != nil || len(kept.Runs) != 2 {
		t.Fatal(kept, err)
	}
	second, first := kept.Runs[0].ID, kept.Runs[1].ID
	agent := inspector(t, binary, "-g", graph, "--state", state)
	for _, c := range []struct {
		question string
		args     map[string]any
		pairs    []string
		also     []string // the subcommand that prints the same
		holds    string
	}{
		{"list_tools", nil, nil, nil, `"name":"loop"`},
		{"graph", map[string]any{"tool": "loop"}, []string{"tool=loop"}, []string{"graph", graph, "loop", "--format", "json"}, `"from":"again"`},
		{"explain_tool", map[string]any{"tool": "loop"}, []string{"tool=loop"}, nil, `"result":"{sum: integer}"`},
		{"metadata", nil, nil, nil, `"identity":"toolgraph demo-server ."`},
		{"list_runs", map[string]any{"limit": 1}, []string{"limit=1"}, []string{"runs", "list", "--limit", "1", "--format", "json", "--state", state}, `"next":"` + second},
		{"list_runs", map[string]any{"before": second, "status": "finished"}, []string{"before=" + second, "status=finished"}, []string{"runs", "list", "--before", second, "--status", "finished", "--format", "json", "--state", state}, `"id":"` + first},
		{"stats", map[string]any{"by": "day"}, []string{"by=day"}, []string{"stats", "--by", "day", "--format", "json", "--state", state}, `"total":{"runs":2,`},
		{"read_run", map[string]any{"run": first[:12], "from": 1, "limit": 2}, []string{"run=" + first[:12], "from=1", "limit=2"}, []string{"runs", "show", first, "--from", "1", "--limit", "2", "--format", "json", "--state", state}, `"next":3`},
		{"read_run", map[string]any{"run": first, "from": 1, "limit": 1, "context": 1}, []string{"run=" + first, "from=1", "limit=1", "context=1"}, []string{"runs", "show", first, "--step", "1", "--context", "--format", "json", "--state", state}, `"context":{"entry":{"value":`},
		{"read_run", map[string]any{"run": "last", "valueBytes": 3}, []string{"run=last", "valueBytes=3"}, []string{"runs", "show", "last", "--value-bytes", "3", "--format", "json", "--state", state}, `"beginning":"{\"n"`},
		{"diff_inputs", map[string]any{"a": first, "b": "last"}, []string{"a=" + first, "b=last"}, []string{"runs", "diff", first, second, "--format", "json", "--state", state}, `"path":".n","a":{"value":3`},
		{"explain_run", map[string]any{"run": "last"}, []string{"run=last"}, []string{"runs", "explain", "last", "--json", "--state", state}, `"executions":[{`},
		{"doctor", nil, nil, []string{"doctor", "-g", graph, "--format", "json", "--state", state}, `"healthy":true`},
	} {
		returned := compact(t, asked(t, agent, c.question, c.args))
		if !strings.Contains(returned, c.holds) {
			t.Errorf("%s %v: no %s in %s", c.question, c.args, c.holds, returned)
		}
		line := append([]string{"inspect", "-g", graph, "--state", state, c.question}, c.pairs...)
		if got := compact(t, output(t, binary, line...)); got != returned {
			t.Errorf("%s %v\nprinted %s\nreturned %s", c.question, c.args, got, returned)
		}
		if c.also == nil {
			continue
		}
		if got := compact(t, output(t, binary, c.also...)); got != returned {
			t.Errorf("%v\nprinted %s\nreturned %s", c.also, got, returned)
		}
	}
}

// Runs are resources; running is a tool only if it is allowed, and its run is recorded.
func TestInspectRuns(t *testing.T) {
	t.Parallel()
	binary := testbin.Build(t, "toolgraph")
	graph := filepath.Join("testdata", "history.yaml")
	state := t.TempDir()
	agent := inspector(t, binary, "-g", graph, "--state", state)
	tools, err := agent.ListTools(t.Context(), mcp.ListToolsRequest{})
	if err != nil || len(tools.Tools) != 12 {
		t.Fatal(tools, err)
	}
	for _, tool := range tools.Tools {
		if tool.Annotations.ReadOnlyHint == nil || !*tool.Annotations.ReadOnlyHint {
			t.Errorf("%s is not marked as read-only", tool.Name)
		}
	}
	list, err := agent.ListResources(t.Context(), mcp.ListResourcesRequest{})
	if err != nil || len(list.Resources) != 0 {
		t.Fatal(list, err)
	}
	templates, err := agent.ListResourceTemplates(t.Context(), mcp.ListResourceTemplatesRequest{})
	if err != nil || len(templates.ResourceTemplates) != 1 || templates.ResourceTemplates[0].URITemplate.Raw() != "run://{id}" {
		t.Fatal(templates, err)
	}

	able := inspector(t, binary, "-g", graph, "--state", state, "--allow-run")
	var called struct {
		Run   string
		Value struct{ Sum int }
	}
	answer := asked(t, able, "run_tool", map[string]any{"tool": "loop", "arguments": map[string]any{"n": 3}})
	if err := json.Unmarshal([]byte(answer), &called); err != nil || called.Value.Sum != 6 || called.Run == "" {
		t.Fatal(answer, err)
	}
	list, err = able.ListResources(t.Context(), mcp.ListResourcesRequest{})
	if err != nil || len(list.Resources) != 1 || list.Resources[0].URI != "run://"+called.Run {
		t.Fatal(list, err)
	}
	var read mcp.ReadResourceRequest
	read.Params.URI = "run://" + called.Run
	content, err := agent.ReadResource(t.Context(), read) // which another process has kept
	if err != nil || len(content.Contents) != 1 {
		t.Fatal(content, err)
	}
	text := content.Contents[0].(mcp.TextResourceContents).Text
	if want := asked(t, agent, "read_run", map[string]any{"run": called.Run}); text != want {
		t.Errorf("the resource is %s\nread_run is %s", text, want)
	}
	read.Params.URI = "run://none"
	if _, err := agent.ReadResource(t.Context(), read); err == nil || !strings.Contains(err.Error(), "resource not found") {
		t.Errorf("got %v", err)
	}
	again := output(t, binary, "inspect", "-g", graph, "--state", state, "--allow-run", "run_tool", "tool=loop", `arguments={"n":3}`)
	if err := json.Unmarshal([]byte(again), &called); err != nil || called.Value.Sum != 6 {
		t.Error(again, err)
	}
}
