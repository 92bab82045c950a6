package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/authoring/inspect"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/program"
	"toolgraph/internal/project"
	"toolgraph/internal/runtime"
	"toolgraph/internal/serving/server"
)

type inspectFlags struct {
	sessionFlags
	args     string
	allowRun bool
}

func newInspect(std program.Streams) *cobra.Command {
	flags := inspectFlags{}
	cmd := &cobra.Command{
		Use:   "inspect FILE [QUESTION [key=value …]]",
		Short: "Answer questions about a graph file and its runs, as an MCP server or once",
		Long: `Serve an MCP server over stdio with which an agent inspects a graph file and its recorded
runs: list_tools, graph, explain_tool, capabilities, metadata, list_runs, stats, suggest_tools,
read_run, explain_run, diff_inputs and doctor. Recorded runs are also resources, run://ID. No
server is started, and nothing is changed; with --allow-run, run_tool runs a tool once.

With a QUESTION, which is one of these names, print the answer as JSON instead.`,
		Example: `  toolgraph inspect graph.yaml                 the command that a host starts
  toolgraph inspect graph.yaml explain_tool tool=count_files
  toolgraph inspect graph.yaml list_runs status=error limit=10
  toolgraph inspect graph.yaml doctor`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return flags.run(cmd.Context(), std, args)
		},
	}
	cmd.Flags().StringVar(&flags.args, "args", "", "arguments of the question as a `JSON` object, or - to read it from standard input")
	cmd.Flags().BoolVar(&flags.allowRun, "allow-run", false, "allow run_tool, which calls servers")
	flags.Register(cmd, "warn")
	flags.History.Register(cmd)
	return program.TakesGraph(cmd, &flags.Graph)
}

func (f *inspectFlags) run(ctx context.Context, std program.Streams, args []string) error {
	secrets, err := f.secrets()
	if err != nil {
		return err
	}
	if len(args) == 0 {
		f.Asker = runtime.ClientAsker{}
	}
	s, err := f.open(ctx, std, secrets)
	if err != nil {
		return err
	}
	defer s.Close()
	i := &inspect.Inspector{
		File: f.Graph, Options: f.FileOptions(), Store: s.History, Version: program.VersionText(),
		Command: commandPath,
	}
	if f.allowRun {
		i.Run = func(ctx context.Context, p *project.Project, g *graph.Graph, with value.Value) (*execution.Result, error) {
			l, err := s.Use(p)
			if err != nil {
				return nil, err
			}
			defer l.Release()
			return l.Run(ctx, l.Engine(), g, with)
		}
	}
	if len(args) > 0 {
		return f.ask(ctx, std, i, secrets, args[0], args[1:])
	}
	out, err := std.Protocol("the inspector of %s", f.Graph)
	if err != nil {
		return err
	}
	return i.Serve(ctx, std.In, out, secrets, s.Log)
}

// ask prints the answer to one question.
func (f *inspectFlags) ask(ctx context.Context, std program.Streams, i *inspect.Inspector, secrets *config.Secrets, name string, pairs []string) error {
	questions, err := i.Questions(true)
	if err != nil {
		return err
	}
	tool := questions.Tool(name)
	if tool == nil {
		names := questions.Names()
		return program.Usagef("unknown question %q (known: %s)%s", name, strings.Join(names, ", "), wording.Suggest(name, names))
	}
	args, err := program.ArgumentsOf(ctx, std.In, f.args, tool.Def.InputSchema, pairs)
	if err != nil {
		return err
	}
	if args, err = server.Arguments(ctx, tool.Def, args); err != nil {
		return program.Usagef("%w", err)
	}
	answer, err := tool.Run(ctx, args, server.Watch{})
	if answer.Value == nil {
		return err
	}
	return errors.Join(printValue(std.Out, answer.Value, secrets), err)
}
