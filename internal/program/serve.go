package program

import (
	"context"
	"log/slog"

	"github.com/spf13/cobra"

	"toolgraph/internal/runtime"
)

// The choices of --views.
const (
	viewsGraph  = "graph"
	viewsValues = "values"
	viewsOff    = "off"
)

// ServeFlags are the flags of serve.
type ServeFlags struct {
	Session
	Views         runtime.Views // what hosts show of runs; nil: nothing
	watch, resume bool
	show          string // what views show
	http          httpFlags
}

// Register adds the flags, apart from -g.
func (f *ServeFlags) Register(cmd *cobra.Command) {
	f.RegisterRuns(cmd, "warn")
	f.RegisterGrace(cmd)
	f.RegisterPipeline(cmd)
	f.Audit.Register(cmd)
	f.History.serves = true
	if f.elsewhere != nil {
		f.History.RegisterRecorded(cmd)
	} else {
		f.History.Register(cmd)
		cmd.Flags().BoolVar(&f.resume, "resume", false, "resume interrupted runs of this file in the background, those of other processes too")
	}
	f.http.register(cmd)
	ChoiceFlag(cmd, &f.logFormat, "log-format", "", "log format", "text", "json")
	cmd.Flags().BoolVar(&f.watch, "watch", false, "reload changed files while serving; a file with errors is reported and skipped")
	if f.Views != nil {
		ChoiceFlag(cmd, &f.show, "views", "", "what hosts may show of runs, in views (MCP Apps): the graph with what ran, also the values and expressions, or nothing", viewsGraph, viewsValues, viewsOff)
	}
	cmd.Flags().BoolVar(&f.metric, "metrics", false, "serve Prometheus metrics at /metrics (with --http)")
}

// NewServe returns the command serve. connect connects to where runs are made, once the file is loaded; nil: they are made
// in this process. views is what hosts show of runs; nil: nothing.
func NewServe(std Streams, connect func(ctx context.Context, log *slog.Logger) (_ runtime.Elsewhere, end func(), err error), views runtime.Views) *cobra.Command {
	flags := &ServeFlags{Views: views}
	flags.elsewhere = connect
	cmd := &cobra.Command{
		Use:   "serve FILE|DIRECTORY …",
		Short: "Serve the graphs of files as MCP tools",
		Long: `Serve the graphs of a file as MCP tools over stdio; this is the command that MCP hosts
start. Standard output carries only the protocol; the log goes to standard error. The
servers that the graphs call are started at their first use.

Several files, or the graph files of a directory, are one server over stdio, so their tools
need different names. With --http each file has an endpoint of its own, /NAME/mcp for
NAME.yaml, and with --http-together /mcp has the tools of all of them. They share the run
history and the servers that they define alike. With --watch, files of a directory
come and go; one with errors leaves its last version serving.

With --http, serve streamable HTTP at http://ADDR/mcp to any number of clients; /healthz says
whether the process lives, and /readyz whether it takes calls. Several processes with the same
--state can serve the same clients behind a balancer: any of them answers any request, and
with --resume they go on with the runs of one that dies or stops. The address must be on the
loopback interface unless --http-allow-remote is given, which requires a bearer token from
--http-token-file or $` + tokenVariable + `, or OAuth.

With --oauth-issuer, clients log in at an OAuth authorization server and send its access
tokens, which must be for the URL of --oauth-resource. Sessions and open questions belong to
the subject of the token.`,
		Example: `  toolgraph serve graph.yaml --watch
  toolgraph serve graphs/ --http :8080 --watch
  toolgraph serve graph.yaml --http :8080
  toolgraph serve graph.yaml --http 0.0.0.0:8080 --http-allow-remote --http-token-file token
  toolgraph serve graph.yaml --http :8080 --oauth-issuer https://login.example.com --oauth-resource https://tools.example.com/mcp`,
		SuggestFor: []string{"start"},
		RunE: func(cmd *cobra.Command, files []string) error {
			if len(files) == 0 {
				return NeedsGraph(cmd)
			}
			return flags.Run(cmd.Context(), std, files...)
		},
	}
	flags.Register(cmd)
	return TakesGraphs(cmd)
}

// Run serves graph files, or those of directories, until the client or the process ends. Without files it serves that of -g.
func (f *ServeFlags) Run(ctx context.Context, std Streams, files ...string) error {
	listen, err := f.http.listener()
	switch {
	case err != nil:
		return err
	case f.metric && listen == nil:
		return Usagef("--metrics requires --http ADDR")
	case f.resume && f.History.Off:
		return Usagef("--resume requires the run history, and --no-history disables it; remove one of them")
	}
	f.Asker = runtime.ClientAsker{}
	o, err := f.Process(std)
	if err == nil {
		err = serveFiles(&o, files)
	}
	if err != nil {
		return err
	}
	if f.show != viewsOff {
		o.Views, o.ViewValues = f.Views, f.show == viewsValues
	}
	how := runtime.Service{Watch: f.watch, Resume: f.resume, Transport: stdio{std}, Together: o.Graphs != nil}
	if listen != nil {
		listen.std = std
		how.Together = o.Graphs != nil && f.http.together
		how.HTTP, how.HTTPGrace, how.Transport = true, f.http.grace, listen
	}
	return runtime.Serve(ctx, o, how)
}

// stdio serves the client on standard streams.
type stdio struct{ std Streams }

// Serve serves until the input or ctx ends.
func (t stdio) Serve(ctx context.Context, s *runtime.Served) error {
	out, err := t.std.Protocol("serving %s", s.Title)
	if err != nil {
		return err
	}
	return s.Server.ServeStdio(ctx, t.std.In, out)
}
