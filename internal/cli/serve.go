package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/project/lock"
	"toolgraph/internal/project/registry"
	"toolgraph/internal/runtime/results"
	"toolgraph/internal/serving/server"
	"toolgraph/internal/telemetry/audit"
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
	f.asks, f.user = askUser, hostUser{}
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
	l.endRuns(ctx, f)
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
	l.share(ctx, &opts, listen)
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
		listen.options.Metrics = l.metrics
		return listen.serve(ctx, srv, std, p, l.log)
	}
	out, err := std.protocol("serving %s of %s", wording.Count(len(p.Listed()), "tool"), p.File.Path)
	if err != nil {
		return err
	}
	return srv.ServeStdio(ctx, std.in, out)
}

// files returns the files whose changes count.
func (f *sessionFlags) files() []string {
	files := []string{f.graph}
	if file, _ := config.Load(f.graph, config.Options{AssumeEnv: true}); file != nil { // its errors are reported when it is loaded for use
		files = file.Sources()
		if slices.ContainsFunc(file.Servers, func(u *config.Upstream) bool { return u.Registry }) {
			files = append(files, registry.Paths(f.graph)...)
		}
	}
	if f.servers != "" {
		files = append(files, f.servers)
	}
	if f.locked {
		files = append(files, lock.Path(f.graph))
	}
	return files
}

// introduction is what clients learned about the server when they connected.
func introduction(file *config.File) [5]string {
	s := file.Server
	return [5]string{s.Name.Value, s.Version.Value, s.Title.Value, s.Instructions.Value, string(s.Icons.JSON())}
}

// logFindings logs findings of a graph file.
func logFindings(log *slog.Logger, found config.Diagnostics) {
	for _, d := range found {
		level := slog.LevelError
		if d.Severity == config.Warning {
			level = slog.LevelWarn
		}
		log.Log(context.Background(), level, d.Message, "at", d.Pos.String(), "code", d.Code, "hint", d.Hint)
	}
}

// logRejected logs why a changed file is not served.
func logRejected(served *loaded, err error) {
	var found config.Diagnostics
	if errors.As(err, &found) {
		logFindings(served.log, found)
		err = errors.New("the file has errors")
	}
	served.log.Error("reload failed; still serving the previous version", "error", err)
}

// warnUnlisted warns of a file whose tools are all hidden: clients get an empty list.
func warnUnlisted(l *loaded) {
	if len(l.Listed()) == 0 && len(l.Graphs) > 0 {
		l.log.Warn("all tools of the graph file are hidden, so clients see no tool; remove hidden: true from those that clients may call", "file", l.File.Path)
	}
}

// warnPrograms warns of servers whose programs no call may start.
func warnPrograms(l *loaded) {
	for _, u := range l.File.Servers {
		if u.Transport == config.Exec && !l.flags.allowExec {
			l.log.Warn("programs are off: calls of this server fail with not-allowed; if you trust its programs, add --allow-exec", "server", u.Name.Value)
		}
	}
}

// finishTime is how long a run may take to end once its calls have.
const finishTime = 2 * time.Second

// endRuns makes runs end softly after SIGTERM. Over stdio their client has gone, so they are
// suspended after the call in flight. Over HTTP they first get half of the grace to finish.
func (l *loaded) endRuns(ctx context.Context, f *serveFlags) {
	before := time.Duration(0)
	if f.http.address != "" {
		before, l.grace = f.http.grace/2, 0 // the server itself waits for the grace
	}
	stop, release := stopping(ctx, before, func() {
		l.log.Info("stopping: runs are suspended after the call in flight")
	})
	l.options = append(l.options, execution.WithStop(stop))
	l.closers = append(l.closers, release)
}

// tools returns the graphs of the file as the server offers them, without hidden ones: for the
// server these do not exist. Where results can be too large, there is a tool that reads them.
func (l *loaded) tools() ([]server.Tool, error) {
	engine := l.engine()
	graphs := l.Listed()
	offered := make([]server.Tool, len(graphs), len(graphs)+1)
	for i, g := range graphs {
		offered[i] = server.Tool{Def: g.Tool, Run: l.runner(engine, g), Calls: upstreamsOf(g), Input: g.Input, Output: g.Output}
	}
	of := l.resultsFile()
	if len(of.Limits) == 0 {
		return offered, nil
	}
	reader, err := l.large.Tool(of)
	return append(offered, reader), err
}

// upstreamsOf returns the upstream tools that a run of a graph can call, those of called graphs
// too, each once for each effect.
func upstreamsOf(g *graph.Graph) (all []server.Upstream) {
	for _, reached := range g.Reached() {
		for _, node := range reached.CallNodes() {
			if n, isMCP := node.(*graph.MCP); isMCP {
				call := server.Upstream{Server: n.Server, Tool: n.Tool, Effect: n.Effect}
				if !slices.Contains(all, call) {
					all = append(all, call)
				}
			}
		}
	}
	return all
}

// runner runs one graph on the engine, and reports its events to the client.
func (l *loaded) runner(engine *execution.Engine, g *graph.Graph) server.Run {
	passesOn := canPassOn(g)
	return func(ctx context.Context, args value.Value, watch server.Watch) (server.Answer, error) {
		started()
		ctx, release := lasting(ctx, l.grace)
		defer release()
		ctx = audit.WithSubject(ctx, server.SubjectOf(ctx))
		var details *resultDetails // nil: not kept
		if passesOn {
			details = new(resultDetails)
			ctx = context.WithValue(ctx, resultDetailsKey{}, details)
		}
		var report *reporter // nil: the client does not listen
		if watch.Step != nil {
			report = newReporter(watch)
			if watch.Progress != nil {
				ctx = hearing(ctx, report.heard)
			}
		}
		var result *execution.Result
		var err error
		if l.elsewhere != nil {
			result, err = l.runElsewhere(ctx, engine, g, args, report)
		} else {
			result, err = l.answerCall(ctx, engine, g, args, report)
			err = again(ctx, result, err)
		}
		if result == nil { // the arguments are invalid, so there was no run
			return refusedAnswer(err), err
		}
		answer, err := l.answer(ctx, g, result, err)
		if err == nil && details != nil {
			answer.Details = details.of(g, result)
		}
		return answer, err
	}
}

// answer returns the answer to a client: the value of the run, or a notice about one that is too
// large.
func (l *loaded) answer(ctx context.Context, g *graph.Graph, result *execution.Result, err error) (server.Answer, error) {
	answer := server.Answer{Value: result.Value}
	spilled := result.Spilled
	if err != nil && !errors.Is(err, execution.ErrSuspended) {
		answer.Value = result.Partial
		if most := g.Limits.MaxResultBytes; most > 0 && result.Partial != nil {
			if size := value.Size(result.Partial); size > most {
				spilled = size
			}
		}
	}
	if used := usedBy(result); used.Calls > 0 { // without calls there is nothing that it could have saved
		answer.Usage = &used
	}
	if spilled > 0 {
		notice, failed := l.large.Put(ctx, l.resultsFile(), results.Result{
			Run: result.RunID, Tool: g.Tool.Name.Value, Value: answer.Value, Bytes: spilled, Typed: g.Output != nil,
		})
		return server.Answer{Notice: notice, Usage: answer.Usage}, failed
	}
	return answer, withRemedy(err)
}

// resultsFile returns the graph file as one whose large results are stored.
func (l *loaded) resultsFile() results.File {
	of := results.File{Path: aboutRuns(l.Project).File, Secrets: l.File.Secrets, Limits: map[string]int{}}
	for _, g := range l.Listed() {
		if most := g.Limits.MaxResultBytes; most > 0 {
			of.Limits[g.Tool.Name.Value] = most
		}
	}
	return of
}

// usedBy returns what a run has used.
func usedBy(r *execution.Result) server.Usage {
	return server.Usage{Run: r.RunID, Calls: r.Usage.Calls, BytesIn: r.Usage.BytesIn, Duration: r.Usage.Duration}
}
