// Package mcpclient speaks to upstream MCP servers. The servers of a graph file go
// in, a Pool comes out: it starts each server at first use, calls its tools, lists
// them, starts a dead one again, and ends every process that it started.
//
// It must not know what a graph or a run is: execution gets its calls through
// execution.PoolCaller. It owns mcp-go's client module, with
// a stdio transport of its own (conn.go) because the library's one ties a child to a
// request's context, blocks on a child that does not read, and hides why it died.
//
// From the outside in: pool.go → upstream.go (one server: start, restart, limits) →
// session.go (one connection: era, ids, calls) → conn.go over process.go (stdio) or
// remote.go (HTTP). output.go turns a result into a value, error.go a failure into
// words.
//
// Beside that way: catalog.go keeps what a server lists, by which offer.go refuses
// calls that cannot succeed and toolcheck.go calls of tools that are not what they
// were; elicit.go passes questions of a server on to the caller, turns.go finds
// the call that a question on a pipe is of, and watch.go stops the call's time meanwhile; authorize.go gives requests their token, which login.go
// gets and token_file.go keeps.
package mcpclient
