// Package flow tells what happens in a graph without running it: which nodes have run
// when a node's turn comes, what their outputs can look like, and what is therefore
// certain to go wrong, or may.
//
// In go a Graph and what is known of the tools that it calls; out come a Flow, node by
// node, for who explains graphs, and Diagnostics with their places for who checks them.
// What is not known is taken for anything, and nothing is found where it matters.
//
// It must not know how a graph is run, where the upstream tools were learned from, or
// who asks. Serving and running never come here: a finding keeps no graph from being
// used. It owns no third-party module.
package flow
