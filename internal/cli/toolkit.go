package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/authoring"
	"toolgraph/internal/observe"
	"toolgraph/internal/project"
	"toolgraph/mcpclient"
)

type toolkitFlags struct {
	graph, servers       string
	allowWrite, allowRun bool
	skill                bool
	logLevel             string
	history              historyFlags
}

func newToolkit(std streams) *cobra.Command {
	flags := toolkitFlags{}
	cmd := &cobra.Command{
		Use:   "toolkit [FILE]",
		Short: "Serve tools with which an agent builds the graphs of a file",
		Long: `Serve the toolkit over stdio: MCP tools with which an agent looks at the graphs of a file
and at the servers that they can call, tries calls and expressions, checks and tests
graphs, and saves what works. A change is saved only when the whole file is good with it;
comments and style of the rest are kept.

Unless it is allowed, the toolkit changes nothing (--allow-write) and calls no tool of a
server (--allow-run); servers are started to tell what tools they have. With --skill it
prints the guide for agents instead.`,
		Example: `  toolgraph toolkit graph.yaml -m mcp.json --allow-write --allow-run
  toolgraph toolkit --skill > .claude/skills/toolgraph/SKILL.md`,
		Args: onlyGraph,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if flags.skill {
				_, err := fmt.Fprint(std.out, authoring.Skill)
				return err
			}
			if flags.graph == "" {
				return needsGraph(cmd)
			}
			return flags.run(cmd.Context(), std)
		},
	}
	cmd.Flags().StringVarP(&flags.servers, "mcp", "m", "", `a file with more servers, {"mcpServers": {…}}, as hosts write it`)
	cmd.Flags().BoolVar(&flags.allowWrite, "allow-write", false, "let agents add, update and delete tools of the graph file")
	cmd.Flags().BoolVar(&flags.allowRun, "allow-run", false, "let agents run graphs and call tools of servers, whatever these do")
	cmd.Flags().BoolVar(&flags.skill, "skill", false, "print the guide for agents, SKILL.md")
	cmd.Flags().StringVar(&flags.logLevel, "log-level", "warn", "debug, info, warn or error; the log goes to stderr")
	flags.history.register(cmd)
	return takesGraph(cmd, &flags.graph)
}

func (f *toolkitFlags) run(ctx context.Context, std streams) error {
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
	opts := authoring.Options{
		Graph: f.graph, Servers: f.servers, AllowWrite: f.allowWrite, AllowRun: f.allowRun, Version: versionText(), Logger: log, Runs: plugged.history,
		NewPool: func(p *project.Project) *mcpclient.Pool { return newPool(p, log, mcpclient.WithElicitor(askUser)) },
		Run: func(ctx context.Context, p *project.Project, pool *mcpclient.Pool, g *graph.Graph, args value.Value, more ...execution.Option) (*execution.Result, error) {
			own := *plugged
			own.hints = hintsOf(pool, nil)
			return own.run(ctx, own.engine(p, pool), g, args, log, more...)
		},
	}
	kit := authoring.New(opts)
	defer kit.Close()
	out, err := protocolOutput(std.out)
	if err != nil {
		return err
	}
	if isTerminal(std.in) {
		fmt.Fprintf(std.err, "toolgraph: the toolkit of %s; waiting for an MCP client on standard input (Ctrl-C ends)\n", f.graph)
	}
	return kit.Serve(ctx, std.in, out)
}
