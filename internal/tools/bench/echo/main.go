// Echo is a bare mcp-go server with one tool that gives its argument back. It is the
// floor that a server on that library can reach.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

func main() {
	s := server.NewMCPServer("echo", "1.0.0")
	s.AddTool(mcp.NewTool("echo",
		mcp.WithDescription("Gives msg back."),
		mcp.WithString("msg", mcp.Required()),
	), echo)
	if err := server.ServeStdio(s); err != nil {
		fmt.Fprintln(os.Stderr, "echo:", err)
		os.Exit(1)
	}
}

func echo(_ context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	msg, err := request.RequireString("msg")
	if err != nil {
		return mcp.NewToolResultError(err.Error()), nil
	}
	return mcp.NewToolResultJSON(map[string]string{"msg": msg})
}
