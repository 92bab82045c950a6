package mcpclient_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/mcpclient"
)

// A pool has the servers of a graph file; it connects to each at its first use. It is an execution.ToolCaller:
// execution.New(pool) runs graphs on it.
func ExamplePool_CallTool() {
	greeter := server.NewMCPServer("greeter", "1.0.0")
	greeter.AddTool(mcp.NewTool("greet", mcp.WithString("name", mcp.Required())), func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("Hello, " + r.GetString("name", "you")), nil
	})
	listening := httptest.NewServer(server.NewStreamableHTTPServer(greeter))
	defer listening.Close()

	servers, err := config.Parse("servers.yaml", []byte(`version: "1.0"
server: {name: example, version: 1.0.0}
mcpServers: {greeter: {url: `+listening.URL+`}}
tools: [{name: t, description: d, inputSchema: {type: object}, nodes: [{id: entry, type: entry, next: exit}, {id: exit, type: exit}]}]
`), config.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	pool := mcpclient.NewPool(servers.Servers)
	defer pool.Close()

	answer, err := pool.CallTool(context.Background(), execution.Call{
		Server: "greeter", Tool: "greet", Args: value.FromPlain(map[string]any{"name": "Ada"}),
	})
	fmt.Println(answer, err)
	// Output: Hello, Ada <nil>
}
