package pipeline

import (
	"context"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/serving/callable"
)

// The ids of nodes that are no steps: ids of steps begin with a letter.
const (
	entryID  = "_entry"
	exitID   = "_exit"
	ifPrefix = "_if_"
)

// Compile returns the graph of a request, and the arguments for its run: those of the request, with
// the full names of the tools of servers, so that the same graph can be compiled from them again.
// offers may be nil: nothing is known then, and a tool of a server needs its full name. The error is
// a *Refusal, or the cause of ctx's end.
func (t *Tool) Compile(ctx context.Context, args value.Value, offers Offers) (*graph.Graph, value.Value, error) {
	steps, err := t.check(ctx, args, offers)
	if err != nil {
		return nil, nil, err
	}
	returns := returnOf(args, steps)
	nameNodes(steps, returns)
	tool := *t.Graph.Tool
	tool.Nodes = t.nodes(steps, returns)
	references := graph.References{}
	for _, s := range steps {
		references[s.name()] = s.node
	}
	g, found, err := graph.Extend(ctx, t.file, t.graphs, &tool, references, t.Graph)
	if err != nil {
		return nil, nil, err
	}
	if errs, _ := found.Split(); len(errs) > 0 { // what check does not know
		if returns != nil {
			return nil, nil, refusal(steps, returns.refused(errs[0]))
		}
		return nil, nil, refusal(steps, &graph.Problem{Code: CodeInvalid, Message: errs[0].Message})
	}
	g.Result = func(executed []graph.Outcome, failed *graph.Problem) value.Value {
		if returns != nil && failed == nil {
			return returns.value(steps, executed)
		}
		return result(steps, executed, failed)
	}
	return g, t.fullNames(args, steps), nil
}

// nodes returns entry, a call for each step, behind a switch when it has an if, and exit.
func (t *Tool) nodes(steps []*step, returns *returned) []*config.Node {
	pos := t.file.Pipeline.Pos
	heads := make([]string, len(steps)+1) // where each step begins
	for i, s := range steps {
		heads[i] = s.node
		if s.condition != "" {
			heads[i] = ifPrefix + s.node
		}
	}
	if heads[len(steps)] = exitID; returns != nil && returns.path == nil {
		heads[len(steps)] = returnID
	}
	nodes := []*config.Node{callable.Node(pos, entryID, config.EntryNode, heads[0])}
	for i, s := range steps {
		if s.condition != "" {
			choice := callable.Node(pos, heads[i], config.SwitchNode, heads[i+1])
			choice.Conditions = []config.Condition{{Pos: pos, Rule: textData(unbraced(s.condition)), Next: config.Text{Value: s.node, Pos: pos}}}
			nodes = append(nodes, choice)
		}
		n := callable.Node(pos, s.node, config.GraphNode, heads[i+1])
		if s.server != "" {
			n.Type, n.Server = config.MCPNode, config.Text{Value: s.server, Pos: pos}
		}
		n.Tool = config.Text{Value: s.tool, Pos: pos}
		if s.args != nil {
			n.Args = dataOf(s.args, pos)
		}
		if s.continues {
			n.OnError = anyFailure(pos)
		}
		nodes = append(nodes, n)
	}
	if heads[len(steps)] == returnID {
		nodes = append(nodes, returns.node(pos))
	}
	return append(nodes, callable.Node(pos, exitID, config.ExitNode, ""))
}

// nameNodes gives each step its node: by its id, or by the name of its result where JSONata reads that.
func nameNodes(steps []*step, returns *returned) {
	for _, s := range steps {
		if s.node = s.id; returns != nil && returns.path == nil {
			s.node = s.name()
		}
	}
}

// anyFailure takes all failures that an onError can take, and yields nothing.
func anyFailure(pos config.Pos) *config.OnError {
	o := &config.OnError{Pos: pos, Value: &config.Data{Pos: pos, Kind: config.KindExpression, Expr: config.Text{Value: "{}.none", Pos: pos}}}
	for _, code := range config.FailureCodes {
		o.Codes = append(o.Codes, config.Text{Value: string(code), Pos: pos})
	}
	return o
}

// dataOf returns a value as data of a file.
func dataOf(v value.Value, pos config.Pos) *config.Data {
	data := &config.Data{Pos: pos}
	if object, isObject := value.ObjectOf(v); isObject {
		data.Kind = config.KindObject
		for _, key := range object.Keys() {
			item, _ := object.Get(key)
			data.Keys = append(data.Keys, config.Text{Value: key, Pos: pos})
			data.Items = append(data.Items, dataOf(item, pos))
		}
		return data
	}
	switch v := v.(type) {
	case []any:
		data.Kind = config.KindArray
		for _, item := range v {
			data.Items = append(data.Items, dataOf(item, pos))
		}
	case string:
		data.Scalar, data.Text = v, config.Text{Value: v, Pos: pos}
	default:
		if v != value.Null {
			data.Scalar = v
		}
	}
	return data
}

// fullNames returns the arguments with the full name of each tool of a server.
func (t *Tool) fullNames(args value.Value, steps []*step) value.Value {
	same := true
	listed := make([]value.Value, len(steps))
	items, _ := member(args, "steps").([]any)
	for i, s := range steps {
		full := s.server + "." + s.tool
		if listed[i] = items[i]; s.server == "" || s.written == full {
			continue
		}
		same = false
		object, _ := value.ObjectOf(items[i])
		renamed := value.NewMap()
		for _, key := range object.Keys() {
			item, _ := object.Get(key)
			renamed.Set(key, item)
		}
		renamed.Set("tool", full)
		listed[i] = renamed
	}
	if same {
		return args
	}
	out := value.NewMap()
	out.Set("steps", listed)
	if source := member(args, "return"); source != nil {
		out.Set("return", source)
	}
	return out
}
