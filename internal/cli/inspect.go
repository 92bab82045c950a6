package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/inspect"
	"toolgraph/internal/observe"
	"toolgraph/internal/project"
	"toolgraph/internal/server"
	"toolgraph/internal/wording"
	"toolgraph/mcpclient"
)

type inspectFlags struct {
	graph, servers, args, logLevel string
	allowRun                       bool
	history                        historyFlags
}

func newInspect(std streams) *cobra.Command {
	flags := inspectFlags{}
	cmd := &cobra.Command{
		Use:   "inspect FILE [QUESTION [key=value …]]",
		Short: "Serve what there is to know of a graph file and its runs to agents, or answer one question",
		Long: `Serve an MCP server over stdio with which an agent looks at a graph file and its kept
runs: list_tools, graph, explain_tool, metadata, list_runs, read_run, diff_inputs and
doctor. Kept runs are also resources, run://ID. Nothing is started, evaluated or changed;
with --allow-run, run_tool runs a tool once.

With a QUESTION, one of these names, the same answer goes to standard output as JSON.`,
		Example: `  toolgraph inspect graph.yaml                 what a host starts
  toolgraph inspect graph.yaml explain_tool tool=count_files
  toolgraph inspect graph.yaml list_runs status=error limit=10
  toolgraph inspect graph.yaml doctor`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return flags.run(cmd.Context(), std, args)
		},
	}
	cmd.Flags().StringVarP(&flags.servers, "mcp", "m", "", `a file with more servers, {"mcpServers": {…}}, as hosts write it`)
	cmd.Flags().StringVar(&flags.args, "args", "", "the question's arguments as a JSON object, or - to read it from standard input")
	cmd.Flags().BoolVar(&flags.allowRun, "allow-run", false, "answer run_tool, which calls servers")
	cmd.Flags().StringVar(&flags.logLevel, "log-level", "warn", "debug, info, warn or error; the log goes to stderr")
	flags.history.register(cmd)
	return takesGraph(cmd, &flags.graph)
}

func (f *inspectFlags) run(ctx context.Context, std streams, args []string) error {
	secrets, err := lookForSecrets(f.graph, f.servers)
	if err != nil {
		return err
	}
	log, err := observe.NewLogger(std.err, f.logLevel, "text", secrets)
	if err != nil {
		return usageError{err}
	}
	plugged := &plugs{}
	defer plugged.close()
	if err := f.history.plug(plugged, log); err != nil {
		return err
	}
	i := &inspect.Inspector{
		File: f.graph, Options: config.Options{ServersFile: f.servers}, Store: plugged.history, Version: versionText(),
		Command: commandPath,
	}
	if f.allowRun {
		user := newTerminal(ctx, std)
		i.Run = func(ctx context.Context, p *project.Project, g *graph.Graph, with value.Value) (*execution.Result, error) {
			asks := mcpclient.WithElicitor(askUser) // of the host
			if len(args) > 0 {
				asks = user.asks(secrets)
			}
			pool := newPool(p, log, asks)
			defer closePool(pool, log)
			own := *plugged
			own.hints = hintsOf(pool, nil)
			return own.run(ctx, own.engine(p, pool), g, with, log)
		}
	}
	if len(args) > 0 {
		return f.ask(ctx, std, i, secrets, args[0], args[1:])
	}
	out, err := protocolOutput(std.out)
	if err != nil {
		return err
	}
	if isTerminal(std.in) {
		fmt.Fprintf(std.err, "toolgraph: the inspector of %s; waiting for an MCP client on standard input (Ctrl-C ends)\n", f.graph)
	}
	return i.Serve(ctx, std.in, out, secrets, log)
}

// ask prints the answer to one question.
func (f *inspectFlags) ask(ctx context.Context, std streams, i *inspect.Inspector, secrets *config.Secrets, name string, pairs []string) error {
	questions, err := inspect.Questions(true)
	if err != nil {
		return err
	}
	var names []string
	for _, q := range questions {
		if names = append(names, q.Def.Name.Value); q.Def.Name.Value != name {
			continue
		}
		args, err := argumentsOf(ctx, std.in, f.args, q.Def.InputSchema, pairs)
		if err != nil {
			return err
		}
		if args, err = server.Arguments(ctx, q.Def, args); err != nil {
			return usageError{err}
		}
		answer, err := q.Ask(ctx, i, args)
		if err != nil {
			return err
		}
		return printValue(std.out, answer, secrets)
	}
	return usagef("unknown question %q (there are %s)%s", name, strings.Join(names, ", "), wording.Suggest(name, names))
}
