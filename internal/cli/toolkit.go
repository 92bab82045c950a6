package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/authoring"
	"toolgraph/internal/program"
	"toolgraph/internal/project"
	"toolgraph/internal/runtime"
	"toolgraph/mcpclient"
)

type toolkitFlags struct {
	sessionFlags
	allowWrite, allowRun, skill bool
}

func newToolkit(std program.Streams) *cobra.Command {
	flags := toolkitFlags{}
	cmd := &cobra.Command{
		Use:   "toolkit [FILE]",
		Short: "Serve tools with which an agent builds graphs",
		Long: `Serve an MCP server over stdio with which an agent reads the graphs of a file and the
tools of its servers, tries calls and expressions, checks and tests graphs, and saves
them. A change is saved only when the whole file is valid with it; the comments and the
style of the rest are preserved.

Without --allow-write the graph file is never changed, and without --allow-run no tool of
a server is called; servers are only started to list their tools. With --skill, print the
guide for agents instead.`,
		Example: `  toolgraph toolkit graph.yaml -m mcp.json --allow-write --allow-run
  toolgraph toolkit --skill > .claude/skills/toolgraph/SKILL.md`,
		Args: program.OnlyGraph,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if flags.skill {
				_, err := fmt.Fprint(std.Out, authoring.Skill)
				return err
			}
			if flags.Graph == "" {
				return program.NeedsGraph(cmd)
			}
			return flags.run(cmd.Context(), std)
		},
	}
	cmd.Flags().BoolVar(&flags.allowWrite, "allow-write", false, "allow agents to add, update and delete tools of the graph file")
	cmd.Flags().BoolVar(&flags.allowRun, "allow-run", false, "allow agents to run graphs and to call any tool of the servers")
	cmd.Flags().BoolVar(&flags.skill, "skill", false, "print the guide for agents, SKILL.md")
	flags.Register(cmd, "warn")
	flags.RegisterExec(cmd)
	flags.History.Register(cmd)
	return program.TakesGraph(cmd, &flags.Graph)
}

func (f *toolkitFlags) run(ctx context.Context, std program.Streams) error {
	secrets, err := f.secrets()
	if err != nil {
		return err
	}
	f.Asker = runtime.ClientAsker{}
	s, err := f.open(ctx, std, secrets)
	if err != nil {
		return err
	}
	defer s.Close()
	kit := authoring.New(authoring.Options{
		Graph: f.Graph, Servers: f.Servers, AllowWrite: f.allowWrite, AllowRun: f.allowRun,
		Version: program.VersionText(), Logger: s.Log, Runs: s.History,
		NewPool: func(p *project.Project) *mcpclient.Pool { return s.NewPool(p) },
		Run: func(ctx context.Context, p *project.Project, pool *mcpclient.Pool, g *graph.Graph, args value.Value, more ...execution.Option) (*execution.Result, error) {
			l := s.WithPool(p, pool)
			return l.Run(ctx, l.Engine(), g, args, more...)
		},
	})
	defer kit.Close()
	out, err := std.Protocol("the toolkit of %s", f.Graph)
	if err != nil {
		return err
	}
	return kit.Serve(ctx, std.In, out)
}
