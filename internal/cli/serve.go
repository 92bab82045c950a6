package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/internal/observe"
	"toolgraph/internal/project"
	"toolgraph/internal/server"
	"toolgraph/internal/wording"
	"toolgraph/mcpclient"
)

type serveFlags struct {
	graph, servers      string
	logLevel, logFormat string
	watch, resume       bool
	grace               time.Duration
	locked              lockedFlag
	http                httpFlags
	observe             observeFlags
	history             historyFlags
}

func (f *serveFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&f.servers, "mcp", "m", "", `a file with more servers, {"mcpServers": {…}}, as hosts write it`)
	cmd.Flags().StringVar(&f.logLevel, "log-level", "warn", "debug, info, warn or error; the log goes to stderr")
	cmd.Flags().StringVar(&f.logFormat, "log-format", "text", "text or json")
	cmd.Flags().BoolVar(&f.watch, "watch", false, "take changes of the files while serving; a file with errors is told and left out")
	f.locked.register(cmd)
	cmd.Flags().BoolVar(&f.resume, "resume", false, "resume, in the background, runs of this file whose process has died; they are looked for every 10 seconds")
	graceFlag(cmd, &f.grace)
	f.http.register(cmd)
	f.observe.register(cmd)
	f.history.register(cmd)
}

func newServe(std streams) *cobra.Command {
	flags := serveFlags{}
	cmd := &cobra.Command{
		Use:   "serve FILE",
		Short: "Serve the graphs of a file as MCP tools over stdio, or HTTP",
		Long: `Serve the graphs of a file as MCP tools over stdio: what a host starts. Standard output
carries the protocol and nothing else; the log goes to standard error. The servers
that the graphs call are started at their first use.

With --http they are served over streamable HTTP at http://ADDR/mcp, to any number of
hosts at once; http://ADDR/healthz tells load balancers that the process lives. Requests
stand for themselves, so several processes can serve the same hosts. The address is one
of this machine alone unless --http-allow-remote is given, which wants a bearer token:
in a file (--http-token-file) or in the environment (` + tokenVariable + `).`,
		Example: `  toolgraph serve graph.yaml --watch
  toolgraph serve graph.yaml --http :8080
  toolgraph serve graph.yaml --http 0.0.0.0:8080 --http-allow-remote --http-token-file token`,
		Args: onlyGraph, SuggestFor: []string{"start"},
		RunE: func(cmd *cobra.Command, _ []string) error {
			return flags.run(cmd.Context(), std)
		},
	}
	flags.register(cmd)
	return takesGraph(cmd, &flags.graph)
}

func (f *serveFlags) run(ctx context.Context, std streams) error {
	face, err := f.http.face()
	if err != nil {
		return err
	}
	collectOften()
	loaded := f.fingerprint() // before, so that no change after it goes unnoticed
	p, err := load(ctx, f.graph, f.servers)
	if err != nil {
		return err
	}
	log, err := f.logger(std, p)
	if err != nil {
		return usageError{err}
	}
	locked, err := f.locked.load(p)
	if err != nil {
		return err
	}
	told(log, p.Warnings)
	plugged := &plugs{}
	defer plugged.close()
	if err := f.observe.plug(ctx, plugged, face, log); err != nil {
		return err
	}
	if f.resume && f.history.off {
		return usagef("--resume wants runs that are kept, and --no-history keeps none; leave one out")
	}
	if err := f.history.plug(plugged, log); err != nil {
		return err
	}
	release := f.endRuns(ctx, plugged, log)
	defer release()
	users := newPoolUsers(p, locked, log, askUser)
	defer users.close()
	plugged.hints = users.hints
	opts := server.Options{
		Info: server.Info{
			Name: p.File.Server.Name.Value, Version: p.File.Server.Version.Value,
			Title: p.File.Server.Title.Value, Instructions: p.File.Server.Instructions.Value,
		},
		Tools:  tools(p, plugged, users.pool(), log),
		Logger: log, Secrets: p.File.Secrets, ToolHints: users.hints, WindDown: f.grace + lastWords,
	}
	if face != nil {
		opts.Grace = f.http.grace
	}
	srv, err := server.New(opts)
	if err != nil {
		return err
	}
	if f.watch {
		w := &watcher{flags: f, std: std, server: srv, plugged: plugged, users: users, served: p, seen: loaded}
		stop, err := w.start(ctx, log)
		if err != nil {
			return err
		}
		defer stop()
	}
	if f.resume {
		grace := f.grace
		if face != nil {
			grace = f.http.grace
		}
		defer newResumer(p, plugged, users, log, grace).start(ctx)()
	}
	if face != nil {
		return face.serve(ctx, srv, std, p)
	}
	out, err := protocolOutput(std.out)
	if err != nil {
		return err
	}
	if isTerminal(std.in) {
		fmt.Fprintf(std.err, "toolgraph: serving %s of %s; waiting for an MCP client on standard input (Ctrl-C ends)\n",
			wording.Count(len(p.Graphs), "tool"), p.File.Path)
	}
	return srv.ServeStdio(ctx, std.in, out)
}

// lastWords is how long a run may take to end once its calls have.
const lastWords = 2 * time.Second

// endRuns makes runs end softly after SIGTERM. Over stdio their client has gone, so they are
// suspended after the call in flight. Over HTTP they first get half of the grace to finish.
func (f *serveFlags) endRuns(ctx context.Context, plugged *plugs, log *slog.Logger) (release func()) {
	before := time.Duration(0)
	if plugged.grace = f.grace; f.http.address != "" {
		before, plugged.grace = f.http.grace/2, 0 // the server itself waits for the grace
	}
	stop, release := stopping(ctx, before, func() {
		log.Info("stopping: runs end after the call in flight, and are suspended")
	})
	plugged.options = append(plugged.options, execution.WithStop(stop))
	return release
}

func (f *serveFlags) logger(std streams, p *project.Project) (*slog.Logger, error) {
	return observe.NewLogger(std.err, f.logLevel, f.logFormat, p.File.Secrets)
}

// told logs findings.
func told(log *slog.Logger, found config.Diagnostics) {
	for _, d := range found {
		level := slog.LevelError
		if d.Severity == config.Warning {
			level = slog.LevelWarn
		}
		log.Log(context.Background(), level, d.Message, "at", d.Pos.String(), "code", d.Code, "hint", d.Hint)
	}
}

func newPool(p *project.Project, log *slog.Logger, more ...mcpclient.Option) *mcpclient.Pool {
	opts := append(selfOption(), mcpclient.WithLogger(log), mcpclient.WithSecrets(p.File.Secrets),
		mcpclient.WithClientInfo("toolgraph", versionText()), mcpclient.WithStartNotice(startNotice(os.Stderr)))
	return mcpclient.NewPool(p.File.Servers, append(opts, more...)...)
}

// startNotice tells the user at a terminal which servers are being started, for some take
// long; nil for any other stream. The line takes the place of the one of progress.
func startNotice(stderr io.Writer) func(server string) {
	if !isTerminal(stderr) {
		return nil
	}
	return func(server string) { fmt.Fprintf(stderr, "\r\x1b[2Kstarting %s …\n", wording.OneLine(server)) }
}

// selfOption lets a server's command be toolgraph wherever we are installed.
func selfOption() []mcpclient.Option {
	self, err := os.Executable()
	if err != nil {
		return nil
	}
	return []mcpclient.Option{mcpclient.WithSelf("toolgraph", self)}
}

func closePool(pool *mcpclient.Pool, log *slog.Logger) {
	if err := pool.Close(); err != nil {
		log.Warn("a server did not end well", "error", err)
	}
}

// protocolOutput keeps standard output for the protocol: whatever else in the
// process prints there lands on standard error.
func protocolOutput(out io.Writer) (io.Writer, error) {
	if out != io.Writer(os.Stdout) {
		return out, nil
	}
	return server.GuardStdout()
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// collectOften keeps a server that hosts leave running small: with 512 calls in flight
// it takes a twentieth of the calls a second for a twentieth of the memory. GOGC, when
// it is set, says otherwise.
func collectOften() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(75)
	}
}
