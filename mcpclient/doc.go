// Package mcpclient calls upstream MCP servers. The servers of a graph file go in, a Pool
// comes out: it starts each server at its first use, calls its tools, lists them, starts a
// dead server again, and ends every process that it started.
//
// It must not know graphs or runs: a Pool is an execution.ToolCaller by the type of a call, which
// package execution/call has for both. It owns the client module of mcp-go, with a stdio transport
// of its own (conn.go) because the library's one ties a child to a request's context,
// blocks on a child that does not read, and hides why it died.
//
// From the outside in: pool.go → upstream.go (one server: start, restart, limits) and
// call.go → session.go (one connection: era, ids) → conn.go over process.go (stdio) or
// remote.go (HTTP; httpclient.go decides which addresses it dials, exchange.go which
// answers it uses). output.go turns a result into a value; error.go is the failure that
// callers see.
//
// Beside that way: catalog.go holds the tools that a server lists, by which offer.go refuses
// calls that cannot succeed; elicit.go passes questions of a server on to the caller, and
// watch.go pauses the call's time limit meanwhile; task.go waits for the task with which a server
// answers a call, and task_state.go reads what it says of it; authorize.go gives requests their token,
// which login.go gets and token_file.go stores; notes.go logs, redacted. shared.go lends
// one Pool to several users.
package mcpclient
