// Package server is our MCP face: it turns tools into one MCP server
// and answers clients.
//
// In go tools, each with a Run function; out come protocol messages. It lists the
// tools with their whole schemas, checks arguments before a run and values after
// it, shapes results, reports progress and failures, cancels runs, and changes the
// tools while it serves. It speaks both protocol eras, initialize (up to 2025-11-25)
// and server/discover with _meta on each request (2026-07-28), over stdio and over
// streamable HTTP. Over HTTP each request stands for itself: what a client may do
// does not depend on which process it reaches.
//
// It must not know how a run is made, what an expression is, or how an upstream
// server is reached.
//
// It owns github.com/mark3labs/mcp-go/server (the handshakes and whatever is
// neither tools/list, tools/call nor ping).
package server
