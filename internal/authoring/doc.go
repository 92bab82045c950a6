// Package authoring is the MCP server with which agents build graphs: it shows a graph
// file and the servers that it can call, evaluates expressions, makes single calls, runs
// and tests whole tools, and saves them.
//
// In go the paths of a graph file and of a file of servers, and what is allowed; out
// comes a server with one MCP tool for each operation. The tools are described in
// tools.yaml. Each operation reads the files as they are at that moment, and a tool is
// only saved when the whole file has no error with it.
//
// It must not know what a terminal is, nor how YAML is written: edits are config's. It
// owns no third-party module.
package authoring
