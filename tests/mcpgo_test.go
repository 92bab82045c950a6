package tests

import (
	"path/filepath"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"toolgraph/tests/testbin"
)

// mcp-go's client lists and calls an example over stdio.
func TestMCPGoClient(t *testing.T) {
	t.Parallel()
	binary := testbin.Build(t, "toolgraph")
	graph, err := filepath.Abs(filepath.Join("..", "examples", "01-count-files.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	c := client.NewClient(transport.NewStdio(binary, nil, "-g", graph))
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
	list, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
	if err != nil || len(list.Tools) != 1 || list.Tools[0].Name != "count_files" {
		t.Fatalf("got %v, %v", list, err)
	}
	var call mcp.CallToolRequest
	call.Params.Name, call.Params.Arguments = "count_files", map[string]any{"directory": "."}
	result, err := c.CallTool(t.Context(), call)
	if err != nil || result.IsError {
		t.Fatalf("got %v, %v", result, err)
	}
	if value, ok := result.StructuredContent.(map[string]any); !ok || value["files"] == nil {
		t.Errorf("got %v", result.StructuredContent)
	}
}
