// Package importer turns what other systems write into graph files: the trace of an agent's calls
// (agent-trace), and Context Pipe's pipes.json (context-pipe). Bytes go in; a File comes out, which
// reads as if a person had written it, with TODO comments where a decision is left to one. The
// package reads no files, starts nothing and does not check the graph: project does.
//
// A trace is read into calls (trace.go, trace_host.go). An index finds the values of arguments in
// earlier results (index.go), origin.go decides where each argument comes from, and
// trace_graph.go writes the nodes, with a test that repeats the trace (trace_test_file.go). Pipes
// are read and written by pipe*.go. What both share is in file.go.
package importer
