package lock

import (
	"slices"
	"strings"

	"toolgraph/graph"
)

// Steps are the upstream tools that steps of a pipeline may call. A tool that ends in * is a pattern.
// Nil: there is no pipeline.
type Steps []graph.Call

// StepsOf returns the steps of the graph that stands for all requests of a pipeline. What tools of the
// file call is not among them.
func StepsOf(pipeline *graph.Graph) Steps {
	return slices.DeleteFunc(pipeline.Calls(), func(call graph.Call) bool { return call.Graph != "" })
}

// Call reports whether steps may call a tool of a server.
func (s Steps) Call(server, tool string) bool {
	return slices.ContainsFunc(s, func(call graph.Call) bool { return call.Server == server && matches(call.Tool, tool) })
}

// CallServer reports whether steps may call tools of a server.
func (s Steps) CallServer(name string) bool {
	return slices.ContainsFunc(s, func(call graph.Call) bool { return call.Server == name })
}

func matches(pattern, tool string) bool {
	prefix, open := strings.CutSuffix(pattern, "*")
	return pattern == tool || open && strings.HasPrefix(tool, prefix)
}

// of returns the calls of a server whose tools have these names: for a pattern one for each tool that
// it matches.
func (s Steps) of(server string, names []string) []graph.Call {
	var calls []graph.Call
	seen := map[string]bool{}
	for _, call := range s {
		if call.Server != server {
			continue
		}
		tools := names
		if !strings.HasSuffix(call.Tool, "*") {
			tools = []string{call.Tool} // also one that the server does not have
		}
		for _, tool := range tools {
			if matches(call.Tool, tool) && !seen[tool] {
				seen[tool] = true
				call := call
				call.Tool = tool
				calls = append(calls, call)
			}
		}
	}
	return calls
}
