// Package server is an MCP server for a set of tools.
//
// In go tools, each with a Run function; out come protocol messages. It lists the
// tools with their schemas, calls Run, writes results, reports progress and failures,
// cancels runs, and replaces the tools while it serves. For a tool without a graph it
// also validates arguments and values. It speaks both protocol eras, initialize (up to
// 2025-11-25) and server/discover with _meta on each request (2026-07-28), over stdio
// and over streamable HTTP. Over HTTP requests are independent: any process can answer
// any of them.
//
// It must not know how a run is made, what an expression is, or how an upstream
// server is reached.
//
// It owns github.com/mark3labs/mcp-go/server (the handshakes, and all methods other than
// tools/list, tools/call, resources and ping) and golang.org/x/net/netutil.
package server
