package authoring

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"log/slog"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/project"
	"toolgraph/internal/server"
	"toolgraph/mcpclient"
)

//go:embed tools.yaml
var definitions []byte

//go:embed instructions.md
var instructions string

// Skill is what an agent reads before it builds a graph: the workflow, the language in
// short, and the mistakes that are often made.
//
//go:embed SKILL.md
var Skill string

// Options of New. Graph is required.
type Options struct {
	Graph      string // path of the graph file
	Servers    string // path of a file with more servers; "" for none
	AllowWrite bool   // the graph file may be changed
	AllowRun   bool   // graphs may be run, and tools of servers called
	Version    string // ours, as clients are told

	Logger *slog.Logger // nil: nothing is logged

	// NewPool makes the pool of the servers of a file. The toolkit closes it.
	NewPool func(*project.Project) *mcpclient.Pool
	// Run makes one run of a graph of the project, whose servers are in the pool; nil: an
	// engine that keeps nothing does.
	Run func(ctx context.Context, p *project.Project, pool *mcpclient.Pool, g *graph.Graph, args value.Value, opts ...execution.Option) (*execution.Result, error)
	// Runs are the kept runs; nil: none are kept.
	Runs *journal.Store
}

// Toolkit answers the operations on one graph file. Safe for concurrent use.
type Toolkit struct {
	opts    Options
	pools   mcpclient.Shared
	writing chan struct{} // holds one token: who has it may change the file
}

// New makes a toolkit. It reads and starts nothing.
func New(opts Options) *Toolkit {
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	if opts.NewPool == nil {
		opts.NewPool = func(p *project.Project) *mcpclient.Pool { return mcpclient.NewPool(p.File.Servers) }
	}
	if opts.Run == nil {
		opts.Run = runPlainly
	}
	return &Toolkit{opts: opts, writing: make(chan struct{}, 1)}
}

func runPlainly(ctx context.Context, _ *project.Project, pool *mcpclient.Pool, g *graph.Graph, args value.Value, opts ...execution.Option) (*execution.Result, error) {
	return execution.New(execution.PoolCaller(pool)).Run(ctx, g, args, opts...)
}

// lease returns the pool for the servers of a project, for one operation, and done to give
// it back.
func (k *Toolkit) lease(of *project.Project) (pool *mcpclient.Pool, done func()) {
	return k.pools.Lease(of.File.Servers, "", func() *mcpclient.Pool { return k.opts.NewPool(of) })
}

// Close ends the servers that were started and returns when they are gone. Nothing may
// be going on any more.
func (k *Toolkit) Close() { k.pools.Close() }

// Serve answers one client until its input ends.
func (k *Toolkit) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	tools, err := k.tools()
	if err != nil {
		return err
	}
	srv, err := server.New(server.Options{
		Info: server.Info{
			Name: "toolgraph-toolkit", Version: k.opts.Version, Title: "Toolgraph toolkit", Instructions: instructions,
		},
		Tools: tools, Logger: k.opts.Logger,
	})
	if err != nil {
		return err
	}
	return srv.ServeStdio(ctx, in, out)
}

// tools are the operations with their definitions.
func (k *Toolkit) tools() ([]server.Tool, error) {
	file, err := config.Parse("tools.yaml", definitions, config.Options{})
	if err != nil {
		return nil, err
	}
	var tools []server.Tool
	for _, def := range file.Tools {
		name := def.Name.Value
		op, known := operations[name]
		if !known {
			return nil, fmt.Errorf("tool %q has a definition and no operation", name)
		}
		tools = append(tools, server.Tool{Def: def, Run: k.answer(name, op)})
	}
	return tools, nil
}
