// Package pipeline is the tool with which a client makes several calls in one request: steps that
// run one after the other, and whose arguments refer to earlier results as {{id.path}}.
//
// Input: a graph file that has a pipeline, and the arguments of a request. Output: a graph of that
// request, which the engine runs like any other: entry, one call node for each step, exit; or a
// Refusal, before anything runs. The result of a request is made of the records of its run. The
// package runs nothing and starts no server.
package pipeline
