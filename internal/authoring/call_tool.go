package authoring

import (
	"context"
	"errors"
	"fmt"
	"time"

	"toolgraph/config"
	"toolgraph/expressions"
	"toolgraph/graph"
)

// called is how a call of a server's tool went: its output as a node would have it.
type called struct {
	Output        value    `json:"output"`
	EvaluatedArgs *value   `json:"evaluatedArgs,omitempty"`
	ExecutionTime float64  `json:"executionTime"` // milliseconds
	Error         *failure `json:"error,omitempty"`
}

// probe is the tool that stands for a call that is tried.
const probe = "toolkit_probe"

// testMcpTool calls a tool as an mcp node would: the arguments are compiled by the rules
// of graphs, as those of the one node of a tool that is in no file.
func testMcpTool(ctx context.Context, k *Toolkit, v *view, a arguments) (any, error) {
	began := time.Now()
	node, done, pool, err := k.probeOf(v, a)
	if err != nil {
		return failedCall(began, nil, err), nil
	}
	defer done()
	args, err := node.Args.Eval(ctx, expressions.NewScope(contextOf(a.get("context")), nil))
	if err != nil {
		return failedCall(began, nil, fmt.Errorf("the JSONata in args cannot be evaluated: %w", err)), nil
	}
	var shown *value
	if len(node.Args.Expressions()) > 0 {
		shown = &value{args}
	}
	began = time.Now()
	output, err := pool.CallTool(ctx, node.Server, node.Tool, args, nil)
	if err != nil {
		return failedCall(began, shown, err), nil
	}
	return called{Output: value{output}, EvaluatedArgs: shown, ExecutionTime: since(began)}, nil
}

func failedCall(began time.Time, args *value, err error) called {
	return called{Output: value{expressions.Null}, EvaluatedArgs: args, ExecutionTime: since(began), Error: failureOf(err)}
}

func since(began time.Time) float64 { return float64(time.Since(began)) / float64(time.Millisecond) }

// caller calls a tool of a server.
type caller interface {
	CallTool(ctx context.Context, server, tool string, args expressions.Value, meta map[string]any) (expressions.Value, error)
}

// probeOf is the node that makes the call.
func (k *Toolkit) probeOf(v *view, a arguments) (n *graph.MCP, done func(), pool caller, err error) {
	file, err := config.Parse(v.path, v.src, config.Options{ServersFile: v.servers})
	if file == nil {
		return nil, nil, nil, err
	}
	alone, err := config.Parse("args.yaml", probeFile(a), config.Options{})
	if alone == nil {
		return nil, nil, nil, err
	}
	alone.Servers = file.Servers
	graphs, found := graph.Build(alone)
	if err := errors.Join(err, found.Err()); err != nil {
		return nil, nil, nil, badCall(err)
	}
	leased, done, err := k.upstreams(v)
	if err != nil {
		return nil, nil, nil, err
	}
	return graphs[0].Node("call").(*graph.MCP), done, leased, nil
}

// probeFile is a graph file whose one tool makes the call.
func probeFile(a arguments) []byte {
	text := func(s string) *config.Data { return &config.Data{Scalar: s} }
	object := func(pairs ...any) *config.Data {
		d := &config.Data{Kind: config.KindObject}
		for i := 0; i < len(pairs); i += 2 {
			d = d.With(pairs[i].(string), pairs[i+1].(*config.Data))
		}
		return d
	}
	list := func(items ...*config.Data) *config.Data { return &config.Data{Kind: config.KindArray, Items: items} }
	return config.EncodeData(object(
		"server", object("name", text(probe), "version", text("1")),
		"tools", list(object("name", text(probe), "description", text(probe), "nodes", list(
			object("id", text("entry"), "type", text("entry"), "next", text("call")),
			object("id", text("call"), "type", text("mcp"), "server", text(a.text("server")), "tool", text(a.text("tool")),
				"args", dataOf(a.object("args")), "next", text("exit")),
			object("id", text("exit"), "type", text("exit")),
		))),
	))
}

// badCall tells what is wrong with a call without the places in a file that there is not.
func badCall(err error) error {
	var found config.Diagnostics
	if !errors.As(err, &found) {
		return err
	}
	errs, _ := found.Split()
	return fmt.Errorf("the call cannot be made: %w", tellPlain(errs))
}
