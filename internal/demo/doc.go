// Package demo is a small MCP server of files, read-only and confined to one
// directory: the upstream server of the examples, so that they need nothing but
// toolgraph itself. It knows nothing of graphs.
package demo
