package authoring

import (
	"context"
	"errors"
	"fmt"

	"toolgraph/config"
	"toolgraph/internal/authoring/inspect"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/project/lock"
)

// graphServer is the server that the graph file defines.
type graphServer struct {
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
	Depth      int   `json:"maxDepth,omitempty"`
	Calls      int   `json:"maxCalls,omitempty"` // left out: no limit
}

func (r *request) getGraphServer(_ context.Context, file *config.File) (any, error) {
	s := file.Server
	return graphServer{
		Name: s.Name.Value, Version: s.Version.Value, Title: s.Title.Value, Instructions: s.Instructions.Value,
		File: file.Path, Tools: len(file.Tools), AllowWrite: r.opts.AllowWrite, AllowRun: r.opts.AllowRun,
		Limits: limits{
			Executions: file.Limits.MaxNodeExecutions, Time: file.Limits.MaxExecutionTime.Milliseconds(),
			Depth: file.Limits.MaxDepth, Calls: file.Limits.MaxCalls,
		},
	}, nil
}

// toolSummary is a tool in a list.
type toolSummary struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Hidden      bool   `json:"hidden,omitempty"` // only graphs and tests call it
}

func (r *request) listGraphTools(_ context.Context, file *config.File) (any, error) {
	var items []toolSummary
	for _, t := range file.Tools {
		items = append(items, toolSummary{Name: t.Name.Value, Description: t.Description.Value, Hidden: t.Hidden})
	}
	return listOf(items), nil
}

func (r *request) getGraphTool(_ context.Context, file *config.File) (any, error) {
	name := r.Text("toolName")
	tool, err := ownTool(file, name)
	if err != nil {
		return nil, err
	}
	root, _ := config.ParseData(r.path, r.src) // as much of it as there is
	return definitionOf(tool, root), nil
}

func (r *request) explainGraphTool(ctx context.Context) (any, error) {
	held, name, err := r.subject()
	if err != nil {
		return nil, r.notStarted(err)
	}
	p, err := held.checked(ctx)
	if err != nil {
		return nil, fmt.Errorf("the tool cannot be explained while the graph file has errors; checkGraphTool lists them: %w", err)
	}
	g, err := graphOf(p, name)
	if err != nil {
		return nil, err
	}
	up := r.upstreams()
	up.offline, _ = lock.NewOffline(up.lock, p.File, p.Graphs)
	return inspect.Explain(ctx, g, up, up.believed(p.File))
}

// definition is a tool as addGraphTool and updateGraphTool take it, in the current form
// of the language.
type definition struct {
	Name         string       `json:"name"`
	Title        string       `json:"title,omitempty"`
	Description  string       `json:"description"`
	Hidden       bool         `json:"hidden,omitempty"`
	Prompt       bool         `json:"prompt,omitempty"`
	InputSchema  *config.Data `json:"inputSchema"`
	OutputSchema *config.Data `json:"outputSchema,omitempty"`
	Annotations  *config.Data `json:"annotations,omitempty"`
	Icons        *config.Data `json:"icons,omitempty"`
	Meta         *config.Data `json:"_meta,omitempty"`
	Result       string       `json:"result,omitempty"` // text; left out: json
	Limits       *config.Data `json:"executionLimits,omitempty"`
	Allow        *config.Data `json:"allow,omitempty"`
	Nodes        []node       `json:"nodes,omitzero"` // nil: the tool has steps
	Steps        *config.Data `json:"steps,omitempty"`
	Return       string       `json:"return,omitempty"`
}

type node struct {
	ID         string          `json:"id"`
	Type       config.NodeType `json:"type"`
	Server     string          `json:"server,omitempty"`
	Tool       string          `json:"tool,omitempty"`
	Args       *config.Data    `json:"args,omitempty"`
	Message    *config.Data    `json:"message,omitempty"`
	Schema     *config.Data    `json:"schema,omitempty"`
	ForEach    *config.Data    `json:"forEach,omitempty"`
	TimeoutMs  int64           `json:"timeoutMs,omitempty"`
	Retry      *config.Data    `json:"retry,omitempty"`
	Transform  *transform      `json:"transform,omitempty"`
	Conditions []condition     `json:"conditions,omitempty"`
	Branches   *config.Data    `json:"branches,omitempty"`
	OnError    *config.Data    `json:"onError,omitempty"`
	Help       string          `json:"help,omitempty"`
	Effect     string          `json:"effect,omitempty"`
	Confirm    *bool           `json:"confirm,omitempty"`
	OnCrash    string          `json:"onCrash,omitempty"`
	Next       string          `json:"next,omitempty"`
}

type transform struct {
	Expr string `json:"expr"`
}

type condition struct {
	Rule *config.Data `json:"rule,omitempty"`
	Next string       `json:"next"`
}

// definitionOf returns the definition of a tool; root is the content of its file. What older forms
// of the language do not have is as the file gives it, without defaults.
func definitionOf(t *config.Tool, root *config.Data) definition {
	raw := named(root.Get("tools"), "name", t.Name.Value)
	d := definition{
		Name: t.Name.Value, Title: t.Title.Value, Description: t.Description.Value, Hidden: t.Hidden, Prompt: t.Prompt,
		InputSchema: t.InputSchema, OutputSchema: t.OutputSchema, Annotations: t.Annotations,
		Icons: t.Icons, Meta: t.Meta,
		Limits: raw.Get("executionLimits"), Allow: raw.Get("allow"), Nodes: []node{},
	}
	if len(t.Suggest) > 0 { // what is suggested is no part of the schema
		d.InputSchema = raw.Get("inputSchema")
	}
	if t.Result == config.TextResult {
		d.Result = string(t.Result)
	}
	if t.StepsAt.IsValid() {
		d.Nodes, d.Steps = nil, raw.Get("steps")
		d.Return, _ = raw.Get("return").Value().(string)
		return d
	}
	for _, n := range t.Nodes {
		given := named(raw.Get("nodes"), "id", n.ID.Value)
		if given == nil { // the oldest form has one list of nodes for all tools
			given = named(root.Get("nodes"), "id", n.ID.Value)
		}
		out := node{
			ID: n.ID.Value, Type: n.Type, Server: n.Server.Value, Tool: n.Tool.Value, Args: n.Args,
			Message: n.Message, Schema: n.Schema, ForEach: given.Get("forEach"), TimeoutMs: n.Timeout.Milliseconds(), Retry: given.Get("retry"),
			Branches: given.Get("branches"), OnError: given.Get("onError"), Help: n.Help.Value,
			Effect: string(n.Effect), Confirm: n.Confirm, OnCrash: string(n.OnCrash), Next: n.Next.Value,
		}
		if n.Type == config.TransformNode {
			out.Transform = &transform{Expr: n.Expr.Value}
		}
		for _, c := range n.Conditions {
			out.Conditions = append(out.Conditions, condition{Rule: c.Rule, Next: c.Next.Value})
		}
		d.Nodes = append(d.Nodes, out)
	}
	return d
}

// named returns the mapping in a list that has this text under a key; nil when there is none.
func named(list *config.Data, key, text string) *config.Data {
	if list == nil {
		return nil
	}
	for _, item := range list.Items {
		if found := item.Get(key); found != nil && found.Scalar == text {
			return item
		}
	}
	return nil
}

// saved is the result of a change of the file.
type saved struct {
	Success  bool      `json:"success"`
	Message  string    `json:"message"`
	Warnings []finding `json:"warnings,omitempty"`
}

func (r *request) addGraphTool(ctx context.Context) (any, error) {
	tool := DataOf(r.Get("tool"))
	src, err := config.AddTool(r.path, r.src, tool)
	name, _ := tool.Get("name").Value().(string)
	return r.save(ctx, src, err, name, fmt.Sprintf("tool %q added to %s", name, r.path)+untilListed)
}

func (r *request) updateGraphTool(ctx context.Context, file *config.File) (any, error) {
	tool, older := DataOf(r.Get("tool")), r.Text("toolName")
	if _, err := ownTool(file, older); err != nil {
		return nil, err
	}
	src, err := config.ReplaceTool(r.path, r.src, older, tool)
	message := fmt.Sprintf("tool %q updated in %s", older, r.path)
	name, _ := tool.Get("name").Value().(string)
	if name != older {
		message += fmt.Sprintf("; its name is now %q", name)
	}
	return r.save(ctx, src, err, name, message)
}

func (r *request) deleteGraphTool(ctx context.Context, file *config.File) (any, error) {
	name := r.Text("toolName")
	if _, err := ownTool(file, name); err != nil {
		return nil, err
	}
	src, err := config.DeleteTool(r.path, r.src, name)
	return r.save(ctx, src, err, name, fmt.Sprintf("tool %q deleted from %s", name, r.path))
}

// save writes the file's new text, or is why it was not made, when the file has no error
// with it.
func (r *request) save(ctx context.Context, src []byte, err error, name, message string) (any, error) {
	if err != nil {
		return nil, notSaved(r.snapshot, err)
	}
	edited := r.with(src)
	p, err := edited.checked(ctx)
	if err != nil {
		return nil, notSaved(edited, err)
	}
	warnings, err := r.warnings(ctx, p, name)
	if err != nil {
		return nil, notSaved(edited, err)
	}
	err = put(r.path, r.src, src)
	if errors.Is(err, ErrChanged) {
		err = errors.New("another program has just changed it; try again")
	}
	if err != nil {
		return nil, fmt.Errorf("nothing was saved: the graph file: %w", err)
	}
	if warnings.Err() != nil {
		message += "; but runs of it will fail: correct the errors among the warnings"
	}
	return saved{Success: true, Message: message, Warnings: edited.findings(warnings, name)}, nil
}

// notSaved is the error with all errors that a change would bring into the file.
func notSaved(s *snapshot, err error) error {
	var found config.Diagnostics
	if !errors.As(err, &found) {
		return fmt.Errorf("nothing was saved: %w", err)
	}
	errs, _ := found.Split()
	return fmt.Errorf("nothing was saved: the graph file would have %s\n%s\nchange the definition and try again; checkGraphTool checks it without saving",
		wording.Count(len(errs), "error"), s.text(errs))
}
