package flow

// Upstreams tells what is known of the tools that a graph calls.
type Upstreams interface {
	// Tool is the tool of a server; false when nothing is known of it.
	Tool(server, tool string) (Tool, bool)
}

// Tool is what is known of an upstream tool.
type Tool struct {
	InputSchema  []byte // JSON Schema; empty: unknown
	OutputSchema []byte // JSON Schema of the call's value; empty: unknown
	ReadOnly     *bool  // what its annotations say; nil: nothing
	Learned      bool   // OutputSchema was made of answers, and not declared
	From         string // where this is known from, for people: "graph.lock.yaml"; may be empty
}

// knownTool is the tool, empty when nothing is known of it; up may be nil.
func knownTool(up Upstreams, server, tool string) Tool {
	if up == nil {
		return Tool{}
	}
	t, _ := up.Tool(server, tool)
	return t
}
