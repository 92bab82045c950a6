// Package clients calls the program from MCP clients of others: the TypeScript SDK,
// the Inspector's command line, and, for comparison, mcpgraph beside it; and it drives
// the debugger's page in a browser. The tests
// install the clients from npm into the user's cache, so they run only where Node is
// and TOOLGRAPH_CLIENTS is 1.
package clients
