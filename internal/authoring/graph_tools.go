package authoring

import (
	"context"

	"toolgraph/config"
)

// about is the server that the graph file makes.
type about struct {
	Name         string `json:"name"`
	Version      string `json:"version"`
	Title        string `json:"title"`
	Instructions string `json:"instructions,omitempty"`
	File         string `json:"file"`
	Tools        int    `json:"tools"`
	Limits       limits `json:"executionLimits"`
	AllowWrite   bool   `json:"allowWrite"`
	AllowRun     bool   `json:"allowRun"`
}

type limits struct {
	Executions int   `json:"maxNodeExecutions"`
	Time       int64 `json:"maxExecutionTimeMs"`
}

func getGraphServer(_ context.Context, k *Toolkit, v *view, _ arguments) (any, error) {
	file, err := v.file()
	if err != nil {
		return nil, err
	}
	s := file.Server
	return about{
		Name: s.Name.Value, Version: s.Version.Value, Title: s.Title.Value, Instructions: s.Instructions.Value,
		File: file.Path, Tools: len(file.Tools), AllowWrite: k.opts.AllowWrite, AllowRun: k.opts.AllowRun,
		Limits: limits{Executions: file.Limits.MaxNodeExecutions, Time: file.Limits.MaxExecutionTime.Milliseconds()},
	}, nil
}

// toolSummary is a tool in a list.
type toolSummary struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

func listGraphTools(_ context.Context, _ *Toolkit, v *view, _ arguments) (any, error) {
	file, err := v.file()
	if err != nil {
		return nil, err
	}
	var items []toolSummary
	for _, t := range file.Tools {
		items = append(items, toolSummary{Name: t.Name.Value, Description: t.Description.Value})
	}
	return listOf(items), nil
}

func getGraphTool(_ context.Context, _ *Toolkit, v *view, a arguments) (any, error) {
	file, err := v.file()
	if err != nil {
		return nil, err
	}
	name := a.text("toolName")
	tool := toolOf(file, name)
	if tool == nil {
		return nil, noTool(file, name)
	}
	return definitionOf(tool), nil
}

// definition is a tool as addGraphTool and updateGraphTool take it, in the current form
// of the language.
type definition struct {
	Name         string       `json:"name"`
	Title        string       `json:"title,omitempty"`
	Description  string       `json:"description"`
	InputSchema  *config.Data `json:"inputSchema"`
	OutputSchema *config.Data `json:"outputSchema,omitempty"`
	Annotations  *config.Data `json:"annotations,omitempty"`
	Result       string       `json:"result,omitempty"` // text; left out: json
	Nodes        []node       `json:"nodes"`
}

type node struct {
	ID         string          `json:"id"`
	Type       config.NodeType `json:"type"`
	Server     string          `json:"server,omitempty"`
	Tool       string          `json:"tool,omitempty"`
	Args       *config.Data    `json:"args,omitempty"`
	OnCrash    string          `json:"onCrash,omitempty"`
	Transform  *transform      `json:"transform,omitempty"`
	Conditions []condition     `json:"conditions,omitempty"`
	Next       string          `json:"next,omitempty"`
}

type transform struct {
	Expr string `json:"expr"`
}

type condition struct {
	Rule *config.Data `json:"rule,omitempty"`
	Next string       `json:"next"`
}

func definitionOf(t *config.Tool) definition {
	d := definition{
		Name: t.Name.Value, Title: t.Title.Value, Description: t.Description.Value,
		InputSchema: t.InputSchema, OutputSchema: t.OutputSchema, Annotations: t.Annotations, Nodes: []node{},
	}
	if t.Result == config.TextResult {
		d.Result = string(t.Result)
	}
	for _, n := range t.Nodes {
		d.Nodes = append(d.Nodes, nodeOf(n))
	}
	return d
}

func nodeOf(n *config.Node) node {
	told := node{
		ID: n.ID.Value, Type: n.Type, Server: n.Server.Value, Tool: n.Tool.Value, Args: n.Args,
		OnCrash: string(n.OnCrash), Next: n.Next.Value,
	}
	if n.Type == config.TransformNode {
		told.Transform = &transform{Expr: n.Expr.Value}
	}
	for _, c := range n.Conditions {
		told.Conditions = append(told.Conditions, condition{Rule: c.Rule, Next: c.Next.Value})
	}
	return told
}
