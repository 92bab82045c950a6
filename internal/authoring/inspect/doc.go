// Package inspect answers questions about a graph file and its recorded runs: a question
// goes in, a struct comes out whose JSON is the answer.
//
// The command line and the MCP server of toolgraph inspect call the same functions, so
// that people and agents get the same answers. The package starts no server, evaluates no
// expression and changes no file; the one exception is run_tool, which the caller has to
// allow and to provide.
//
// It must not know how a command line is read or a terminal is written. It owns no
// third-party module.
package inspect
