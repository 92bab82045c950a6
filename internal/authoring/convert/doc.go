// Package convert writes a tool of nodes as steps: a graph file and the name of a tool go in,
// the file comes out with that tool written as steps and return, or all reasons why the tool
// stays a graph.
//
// Names in expressions, ids and keys are changed in place; what moves to other keys is moved by
// config, with its comments (config.Restructure). The rest of the file does not change. The
// result is checked before it is returned.
//
// The package reads and writes no file, and runs nothing. It owns no third-party module.
package convert
