// Package server is our MCP face: it turns tools into one MCP server
// and answers clients.
//
// In go tools, each with a Run function; out come protocol lines. It lists the
// tools with their whole schemas, checks arguments before a run and values after
// it, shapes results, reports progress, and cancels runs. It speaks both protocol
// eras over stdio: initialize (up to 2025-11-25) and server/discover with _meta on
// each request (2026-07-28).
//
// It must not know how a run is made, what an expression is, or how an upstream
// server is reached.
//
// It owns github.com/mark3labs/mcp-go/server (the handshakes and whatever is
// neither tools/list, tools/call nor ping).
package server
