package program

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolgraph/execution"
	"toolgraph/graph"
	"toolgraph/internal/runtime"
)

// Calling has the flags of a command that has the call of one tool of a graph file made elsewhere:
// now, later or often.
type Calling struct {
	std   Streams
	flags Session
	args  string
	graph *graph.Graph // that Load has found
}

// NewCalling registers the flags, among them -g.
func NewCalling(cmd *cobra.Command, std Streams) *Calling {
	c := &Calling{std: std}
	GraphFlag(cmd, &c.flags.Graph)
	ServersFlag(cmd, &c.flags.Servers)
	c.flags.Vars.Register(cmd)
	c.flags.RegisterPipeline(cmd)
	cmd.Flags().StringVar(&c.args, "args", "", "tool arguments as a `JSON` object, or - to read it from standard input")
	return c
}

// Load loads the graph file, and returns the call that words ask for: the name of a tool, then arguments
// key=value. The arguments are complete and valid. An ID and a subject are the caller's to set.
func (c *Calling) Load(ctx context.Context, words []string) (r runtime.Remote, err error) {
	if c.flags.Graph == "" {
		return r, Usagef("no graph file; name it with -g FILE")
	}
	if len(words) == 0 || strings.Contains(words[0], "=") {
		return r, Usagef("no tool; name one of %s", c.flags.Graph)
	}
	p, err := c.flags.Project(ctx)
	if err != nil {
		return r, err
	}
	listed, err := p.Graph(words[0]) // the file's own: no worker is needed for one call of a server
	if err != nil {
		return r, usageError{err}
	}
	if listed.Tool.Hidden {
		return r, Usagef("tool %q is hidden, so that only other tools of the file can call it", words[0])
	}
	args, err := ArgumentsOf(ctx, c.std.In, c.args, listed.Tool.InputSchema, words[1:])
	if err != nil {
		return r, err
	}
	g, args, err := p.ForRun(ctx, listed, args, nil)
	if err == nil {
		args, err = execution.Arguments(ctx, g, args)
	}
	if err != nil {
		return r, usageError{fmt.Errorf("%s: %w", words[0], err)}
	}
	c.graph = g
	return runtime.Remote{Tool: listed.Tool.Name.Value, Graph: listed.HashWith(nil), Args: args}, nil
}

// Asks returns the nodes of the tool, and of those that it calls, that put a question to the user.
func (c *Calling) Asks() (nodes []string) {
	for _, reached := range c.graph.Reached() {
		for _, node := range reached.Nodes {
			_, asks := node.(*graph.Ask)
			if call, isCall := node.(*graph.MCP); isCall {
				asks = slices.ContainsFunc(reached.Allow, func(a *graph.Allow) bool { return a.Confirms(call.Effect) })
				if call.Confirm != nil {
					asks = *call.Confirm
				}
			}
			if asks {
				nodes = append(nodes, node.ID())
			}
		}
	}
	return nodes
}
