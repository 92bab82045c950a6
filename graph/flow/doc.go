// Package flow finds out what happens in a graph without running it: which nodes have run
// before each node, what their outputs can look like, and what will fail, or may.
//
// In go a Graph and what is known of the upstream tools that it calls. Out come a Flow, node by
// node, for tools that explain graphs, and Diagnostics with places. An unknown value has any
// shape, and an unknown shape gives no finding.
//
// It must not know how a graph is run, or where the descriptions of upstream tools come from.
// Serving and running do not use it: a graph with findings of this package can be run. It owns
// no third-party module.
package flow
