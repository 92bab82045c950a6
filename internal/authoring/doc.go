// Package authoring is the MCP server with which agents build graphs: it lets them look
// at a graph file and at the servers that it can call, try expressions, calls and whole
// tools, and save what works.
//
// In go the paths of a graph file and of a file of servers, and what is allowed; out
// comes a server with one MCP tool per operation. The tools are defined in tools.yaml,
// as those of any graph file, and answered here: one file for each kind of operation.
// Every operation reads the files as they are at that moment, and a tool is only saved
// when the whole file is good with it.
//
// It must not know what a terminal is, nor how YAML is written: edits are config's. It
// owns no third-party module.
package authoring
