// Package plan is the tools with which a client that has many calls to make finds them, search_tools, and sends
// them as steps, run_plan.
//
// Input: a graph file that has a plan, what is known of the tools of its servers, and the arguments of a request.
// Output: a graph of that request, which the engine runs like any other, or a Refusal with all that is wrong, each with
// its path, before anything is called. The package runs nothing and starts no server.
package plan
