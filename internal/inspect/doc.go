// Package inspect answers questions about a graph file and its kept runs: a question
// goes in, a struct comes out whose JSON is the answer.
//
// The command line and the MCP server of toolgraph inspect ask the same functions, so
// that a person and an agent are told the same. Nothing here starts a server, evaluates
// an expression or changes a file; the one exception is a run, which somebody has to
// allow and to hand in.
//
// The package must not know how a command line is read or a terminal is written. It
// owns no third-party module.
package inspect
