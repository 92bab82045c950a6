package authoring

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/base/files"
	"toolgraph/internal/project"
	"toolgraph/internal/serving/server"
	"toolgraph/internal/serving/toolset"
	"toolgraph/mcpclient"
)

//go:embed tools.yaml
var description []byte

// Skill is the guide that an agent reads before it builds a graph: the workflow, the
// language in short, and common mistakes. Markdown.
//
//go:embed SKILL.md
var Skill string

// Options of New. Graph is required.
type Options struct {
	Graph      string // path of the graph file
	Servers    string // path of a file with more servers; "" for none
	AllowWrite bool   // the graph file may be changed
	AllowRun   bool   // graphs may be run, and tools of servers called
	Version    string // of the program, for clients

	Logger *slog.Logger // nil: nothing is logged

	// NewPool makes the pool of the servers of a file; nil: a pool without options. The
	// toolkit closes it.
	NewPool func(*project.Project) *mcpclient.Pool
	// Run makes one run of a graph of the project, whose servers are in the pool; nil: an
	// engine without a journal does.
	Run func(ctx context.Context, p *project.Project, pool *mcpclient.Pool, g *graph.Graph, args value.Value, opts ...execution.Option) (*execution.Result, error)
	// Runs has the recorded runs; nil: runs are not recorded.
	Runs *journal.Store
}

// Toolkit answers the operations on one graph file. Safe for concurrent use.
type Toolkit struct {
	opts    Options
	pools   mcpclient.Shared
	writing chan struct{} // has room for one: the operation that changes the file
}

// New returns a toolkit. It reads and starts nothing.
func New(opts Options) *Toolkit {
	if opts.NewPool == nil {
		opts.NewPool = func(p *project.Project) *mcpclient.Pool { return mcpclient.NewPool(p.File.Servers) }
	}
	if opts.Run == nil {
		opts.Run = func(ctx context.Context, _ *project.Project, pool *mcpclient.Pool, g *graph.Graph, args value.Value, more ...execution.Option) (*execution.Result, error) {
			return execution.New(pool).Run(ctx, g, args, more...)
		}
	}
	return &Toolkit{opts: opts, writing: make(chan struct{}, 1)}
}

// lease returns the pool for the servers of a file, for one operation, and done to give it
// back.
func (k *Toolkit) lease(file *config.File) (pool *mcpclient.Pool, done func()) {
	return k.pools.Lease(file.Servers, "", func() *mcpclient.Pool { return k.opts.NewPool(&project.Project{File: file}) })
}

// Close ends the servers that were started and returns when their processes are gone. No
// operation may be in progress.
func (k *Toolkit) Close() { k.pools.Close() }

// Serve answers one MCP client until its input ends.
func (k *Toolkit) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	tools, err := k.tools()
	if err != nil {
		return err
	}
	return tools.Serve(ctx, in, out, server.Options{Logger: k.opts.Logger})
}

func (k *Toolkit) tools() (*toolset.Set, error) {
	handlers := map[string]toolset.Handler{}
	for name, op := range operations {
		handlers[name] = k.handler(name, op)
	}
	return toolset.New(description, k.opts.Version, handlers)
}

// permission is what an operation needs that not every toolkit has.
type permission int

const (
	toRead  permission = iota // always granted
	toWrite                   // Options.AllowWrite
	toRun                     // Options.AllowRun
)

// operation is one tool of the toolkit. The result of do is encoded as JSON.
type operation struct {
	needs permission
	do    func(*request, context.Context) (any, error)
}

// operations are the tools by name.
var operations = map[string]operation{
	"getGraphServer":     {toRead, ofFile((*request).getGraphServer)},
	"listGraphTools":     {toRead, ofFile((*request).listGraphTools)},
	"getGraphTool":       {toRead, ofFile((*request).getGraphTool)},
	"listMcpServers":     {toRead, ofFile((*request).listMcpServers)},
	"listMcpServerTools": {toRead, ofFile((*request).listMcpServerTools)},
	"getMcpServerTool":   {toRead, ofFile((*request).getMcpServerTool)},
	"addGraphTool":       {toWrite, (*request).addGraphTool},
	"proposeTool":        {toWrite, (*request).proposeTool},
	"suggestTools":       {toRead, (*request).suggestTools},
	"updateGraphTool":    {toWrite, ofFile((*request).updateGraphTool)},
	"deleteGraphTool":    {toWrite, ofFile((*request).deleteGraphTool)},
	"runGraphTool":       {toRun, (*request).runGraphTool},
	"testMcpTool":        {toRun, (*request).testMcpTool},
	"testJSONata":        {toRead, (*request).testJSONata},
	"testJSONLogic":      {toRead, (*request).testJSONLogic},
	"checkGraphTool":     {toRead, (*request).checkGraphTool},
	"explainGraphTool":   {toRead, (*request).explainGraphTool},
	"testGraphTool":      {toRead, (*request).testGraphTool},
	"listRuns":           {toRead, (*request).listRuns},
	"readRun":            {toRead, (*request).readRun},
}

// request is one call of an operation: the toolkit, the files as they were when it began,
// and the arguments.
type request struct {
	*Toolkit
	*snapshot
	toolset.Arguments
}

// ofFile is an operation on the graph file as far as it can be understood, errors in it or
// not.
func ofFile(do func(*request, context.Context, *config.File) (any, error)) func(*request, context.Context) (any, error) {
	return func(r *request, ctx context.Context) (any, error) {
		file, err := r.file()
		if err != nil {
			return nil, err
		}
		return do(r, ctx, file)
	}
}

// handler makes a tool's handler of an operation. Secrets of the files are redacted from
// the result and from errors.
func (k *Toolkit) handler(name string, op operation) toolset.Handler {
	return func(ctx context.Context, a toolset.Arguments, watch server.Watch) (any, error) {
		if watch.Progress != nil {
			ctx = mcpclient.WithProgress(ctx, watch.Progress)
		}
		if err := k.refusal(name, op.needs); err != nil {
			return nil, err
		}
		if op.needs == toWrite {
			release, err := k.lock(ctx)
			if err != nil {
				return nil, fmt.Errorf("nothing was saved: %w", err)
			}
			defer release()
		}
		s, err := k.read()
		if err != nil {
			return nil, err
		}
		result, err := op.do(&request{k, s, a}, ctx)
		if err != nil {
			return nil, errors.New(s.secrets.Redact(err.Error()))
		}
		raw, err := toolset.JSON(result)
		return json.RawMessage(s.secrets.RedactJSON(raw)), err
	}
}

// refusal is why an operation is not allowed, nil when it is.
func (k *Toolkit) refusal(name string, needs permission) error {
	switch {
	case needs == toWrite && !k.opts.AllowWrite:
		return fmt.Errorf("%s changes the graph file, and the toolkit was started without --allow-write; "+
			"ask the user to add --allow-write to its arguments, or to make the change by hand", name)
	case needs == toRun && !k.opts.AllowRun:
		return fmt.Errorf("%s calls servers, and the toolkit was started without --allow-run; ask the user to add --allow-run to its arguments; "+
			"testJSONata, testJSONLogic, checkGraphTool and testGraphTool work without it", name)
	}
	return nil
}

// lock prevents other operations, and other processes, from changing a file in the
// directory of the graph file until release is called: between reading the file and
// replacing it, another change would be lost. The lock is on the directory, since
// replacing the file would remove a lock on the file itself; where directories cannot be
// locked, it holds for this process only.
func (k *Toolkit) lock(ctx context.Context) (release func(), err error) {
	select {
	case k.writing <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	path := k.opts.Graph
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	unlock, err := files.LockDir(ctx, filepath.Dir(path))
	if errors.Is(err, files.ErrNoLocks) {
		unlock, err = func() {}, nil
	}
	if err != nil {
		<-k.writing
		return nil, err
	}
	return func() {
		unlock()
		<-k.writing
	}, nil
}

// list is how operations return several things.
type list[T any] struct {
	Items []T `json:"items"`
}

func listOf[T any](items []T) list[T] {
	if items == nil {
		items = []T{}
	}
	return list[T]{items}
}
