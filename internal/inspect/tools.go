package inspect

import (
	"context"
	"encoding/json"

	"toolgraph/config"
	"toolgraph/graph"
)

// Tools are the tools that a file makes.
type Tools struct {
	Tools []Tool `json:"tools"`
}

// Tool is one of them.
type Tool struct {
	Name         string       `json:"name"`
	Title        string       `json:"title,omitempty"`
	Description  string       `json:"description"`
	Line         int          `json:"line"`
	Nodes        int          `json:"nodes"`
	Calls        []Call       `json:"calls"`
	InputSchema  *config.Data `json:"inputSchema"`
	OutputSchema *config.Data `json:"outputSchema,omitempty"`
	Hash         string       `json:"hash"` // of the graph's meaning
}

// Call is an upstream tool that a graph calls.
type Call struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`
}

// ListTools are the tools of the file.
func (i *Inspector) ListTools(ctx context.Context) (*Tools, error) {
	p, err := i.load(ctx)
	if err != nil {
		return nil, err
	}
	told := &Tools{Tools: []Tool{}}
	for _, g := range p.Graphs {
		tool := Tool{
			Name: g.Tool.Name.Value, Title: g.Tool.Title.Value, Description: g.Tool.Description.Value, Line: g.Tool.Pos.Line,
			Nodes: len(g.Nodes), Calls: []Call{}, InputSchema: g.Tool.InputSchema, OutputSchema: g.Tool.OutputSchema, Hash: g.Hash,
		}
		for _, c := range g.Calls() {
			tool.Calls = append(tool.Calls, Call{Server: c.Server, Tool: c.Tool})
		}
		told.Tools = append(told.Tools, tool)
	}
	return told, nil
}

// Graph is the picture of a tool's graph, as toolgraph graph --format json draws it.
func (i *Inspector) Graph(ctx context.Context, tool string) (json.RawMessage, error) {
	_, g, err := i.tool(ctx, tool)
	if err != nil {
		return nil, err
	}
	return json.RawMessage(graph.JSON(g)), nil
}
