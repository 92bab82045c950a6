// Package demo is a small MCP server of files, confined to one directory: the upstream
// server of the examples, so that they need nothing but toolgraph itself. It only reads,
// unless it is opened for writing. It knows nothing of graphs.
package demo
