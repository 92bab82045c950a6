package cli

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/serving/server"
)

type serveFlags struct {
	sessionFlags
	watch, resume bool
	http          httpFlags
}

func (f *serveFlags) register(cmd *cobra.Command) {
	f.registerRuns(cmd, "warn")
	f.registerGrace(cmd)
	f.registerPipeline(cmd)
	f.audit.register(cmd)
	f.history.serves = true
	if f.elsewhere != nil {
		f.history.registerRecorded(cmd)
	} else {
		f.history.register(cmd)
		cmd.Flags().BoolVar(&f.resume, "resume", false, "resume interrupted runs of this file in the background, those of other processes too")
	}
	f.http.register(cmd)
	choiceFlag(cmd, &f.logFormat, "log-format", "", "log format", "text", "json")
	cmd.Flags().BoolVar(&f.watch, "watch", false, "reload changed files while serving; a file with errors is reported and skipped")
	cmd.Flags().BoolVar(&f.metric, "metrics", false, "serve Prometheus metrics at /metrics (with --http)")
}

func newServe(std streams) *cobra.Command { return serveCommand(std, &serveFlags{}) }

func serveCommand(std streams, flags *serveFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve FILE",
		Short: "Serve the graphs of a file as MCP tools",
		Long: `Serve the graphs of a file as MCP tools over stdio; this is the command that MCP hosts
start. Standard output carries only the protocol; the log goes to standard error. The
servers that the graphs call are started at their first use.

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
  toolgraph serve graph.yaml --http :8080
  toolgraph serve graph.yaml --http 0.0.0.0:8080 --http-allow-remote --http-token-file token
  toolgraph serve graph.yaml --http :8080 --oauth-issuer https://login.example.com --oauth-resource https://tools.example.com/mcp`,
		Args: onlyGraph, SuggestFor: []string{"start"},
		RunE: func(cmd *cobra.Command, _ []string) error {
			return flags.run(cmd.Context(), std)
		},
	}
	flags.register(cmd)
	return takesGraph(cmd, &flags.graph)
}

func (f *serveFlags) run(ctx context.Context, std streams) error {
	saveMemory()
	listen, err := f.http.listener()
	switch {
	case err != nil:
		return err
	case f.metric && listen == nil:
		return usagef("--metrics requires --http ADDR")
	case f.resume && f.history.off:
		return usagef("--resume requires the run history, and --no-history disables it; remove one of them")
	}
	f.asker = ClientAsker{}
	var changes *watcher
	if f.watch { // before the file is loaded, so that no later change is missed
		if changes, err = newWatcher(f.files); err != nil {
			return fmt.Errorf("--watch: %w", err)
		}
		defer changes.close()
	}
	l, err := f.load(ctx, std)
	if err != nil {
		return err
	}
	defer l.close()
	p := l.Project
	logFindings(l.log, p.Warnings)
	warnUnlisted(l)
	warnPrograms(l)
	grace := f.grace
	if listen != nil {
		grace = f.http.grace
	}
	if listen == nil { // the client has gone
		l.endRuns(ctx, 0, f.grace)
	} else { // runs get half of the grace to finish, and the server itself waits for the rest
		l.endRuns(ctx, f.http.grace/2, 0)
	}
	var current atomic.Pointer[loaded]
	current.Store(l)
	tools, err := l.tools()
	if err != nil {
		return err
	}
	opts := server.Options{
		Info: server.Info{
			Name: p.File.Server.Name.Value, Version: p.File.Server.Version.Value,
			Title: p.File.Server.Title.Value, Instructions: p.File.Server.Instructions.Value,
			Icons: p.File.Server.Icons,
		},
		Tools: tools, Logger: l.log, Secrets: p.File.Secrets,
		ToolHints: func(upstream, tool string) (server.Hints, bool) { return current.Load().hints(upstream, tool) },
		WindDown:  f.grace + finishTime,
	}
	if resources := l.newReadable(l, current.Load); resources != nil {
		opts.Resources = resources
	}
	if listen != nil {
		opts.Grace = grace
	}
	if l.telemetry != nil {
		opts.Observer = l.telemetry
	}
	l.share(&opts, listen != nil)
	srv, err := server.New(opts)
	if err != nil {
		return err
	}
	if l.fleet != nil {
		l.fleet.server = srv
	}
	if f.resume {
		resuming, err := l.use(p)
		if err != nil {
			return err
		}
		defer newResumer(resuming, grace).start(ctx)()
	}
	if f.watch {
		l.follow(ctx, changes, func(next *loaded) (<-chan struct{}, error) {
			tools, err := next.tools()
			if err != nil {
				return nil, err
			}
			ended, err := srv.Replace(tools, next.File.Secrets)
			if err != nil {
				return nil, err
			}
			logFindings(next.log, next.Warnings)
			if introduction(next.File) != introduction(current.Swap(next).File) {
				next.log.Warn("server: has changed, which takes effect at the next start")
			}
			next.log.Info("the graph file has changed; serving the new version", "file", next.File.Path, "tools", len(next.Listed()))
			warnUnlisted(next)
			warnPrograms(next)
			return ended, nil
		}, logRejected)
	}
	if listen != nil {
		listen.listening = l.listens(ctx, &listen.options)
		return listen.serve(ctx, srv, std, p, l.log)
	}
	out, err := std.protocol("serving %s of %s", wording.Count(len(p.Listed()), "tool"), p.File.Path)
	if err != nil {
		return err
	}
	return srv.ServeStdio(ctx, std.in, out)
}

// introduction is what clients learned about the server when they connected.
func introduction(file *config.File) [5]string {
	s := file.Server
	return [5]string{s.Name.Value, s.Version.Value, s.Title.Value, s.Instructions.Value, string(s.Icons.JSON())}
}
