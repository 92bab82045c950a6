package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/internal/authoring/graphtest"
	"toolgraph/internal/authoring/proposal"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/interop/importer"
	"toolgraph/internal/program"
	"toolgraph/internal/project"
)

type importRunFlags struct {
	importFlags
	name      string
	arguments []string
	test      bool
	history   program.HistoryFlags
}

func newImportRun(std program.Streams) *cobra.Command {
	flags := importRunFlags{}
	cmd := &cobra.Command{
		Use:   "run RUN",
		Short: "Write a tool from a plan that was run",
		Long: `Write a graph file with a tool that does what a plan of a client did: its steps and return
are those of the plan. --argument NAME=PATH makes an argument of a literal among the
args of a call, such as path=steps[0].args.path; a literal whose name looks secret becomes
one by itself. The schemas of arguments and result are those of the recorded values.

With --test a test beside the graph repeats the run on its recorded answers, which toolgraph
test runs without servers. The servers are those of the registry; -m names a file that
has them. Clients see the tool when their server serves the file: serve --watch notices a
changed file, and toolgraph lock adds what the tool calls to the lock.`,
		Example: `  toolgraph import run last --as first_lines --argument directory='steps[0].args.path' -o lines.yaml --test
  toolgraph import run 4NUF2K --as stamp -m .mcp.json`,
		Args: program.Args(1, 1, "a run, or last"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.test && (flags.out == "" || flags.out == "-") {
				return program.Usagef("--test writes files beside the graph; name it with -o")
			}
			return flags.run(cmd.Context(), std, args[0])
		},
	}
	flags.register(cmd)
	program.ServersFlag(cmd, &flags.servers)
	cmd.Flags().StringVar(&flags.name, "as", "planned", "`name` of the tool")
	cmd.Flags().StringArrayVar(&flags.arguments, "argument", nil, "`NAME=PATH` of a literal that becomes an argument; may be repeated")
	cmd.Flags().BoolVar(&flags.test, "test", false, "also write a test with the recorded answers beside the graph; requires -o")
	flags.history.Register(cmd)
	return cmd
}

// argumentsOf reads NAME=PATH.
func argumentsOf(given []string) (all []proposal.Argument, err error) {
	for _, text := range given {
		name, path, has := strings.Cut(text, "=")
		if !has || path == "" {
			return nil, program.Usagef("--argument is %q, expected NAME=PATH, such as path=steps[0].args.path", text)
		}
		all = append(all, proposal.Argument{Name: name, Path: path})
	}
	return all, nil
}

func (f *importRunFlags) run(ctx context.Context, std program.Streams, id string) error {
	arguments, err := argumentsOf(f.arguments)
	if err != nil {
		return err
	}
	var run journal.Run
	var events []execution.Event
	err = f.history.Read(func(store *journal.Store) (err error) {
		if run, err = store.Run(ctx, id); err == nil {
			events, err = store.Load(ctx, run.ID)
		}
		return err
	})
	if err != nil {
		return err
	}
	if run.Tool != config.RunPlan || run.Status != journal.Finished {
		return program.Usagef("run %s is of the tool %q and its status is %s, expected a plan that has finished: toolgraph runs list --tool %s", run.ID, run.Tool, wording.Status(run.Status), config.RunPlan)
	}
	plan := proposal.Plan{Request: events[0].Start.Args, Result: events[len(events)-1].End.Value}
	made, err := proposal.New(plan, f.name, "", arguments)
	if err != nil {
		return program.Usagef("%w", err)
	}
	file, err := f.file(ctx, run, plan, made, events)
	if err != nil {
		return err
	}
	return f.write(ctx, std, file)
}

// file makes the graph file, and with --test the files of its test.
func (f *importRunFlags) file(ctx context.Context, run journal.Run, plan proposal.Plan, made *proposal.Proposal, events []execution.Event) (*importer.File, error) {
	root := config.NewObject().Set("version", "1.0").Set("server", config.NewObject().Set("name", f.name).Set("version", "1.0.0"))
	notes := map[*config.Data]string{root: fmt.Sprintf("Imported by toolgraph import run from the plan of run %s.", run.ID)}
	var known []string
	for _, e := range events {
		if e.Step != nil && e.Step.Server != "" && !slices.Contains(known, e.Step.Server) {
			known = append(known, e.Step.Server)
		}
	}
	out := &importer.File{}
	servers := config.NewObject()
	for _, call := range proposal.Calls(plan) {
		server, _, dotted := strings.Cut(call, ".")
		for _, name := range known { // of which one may begin with another
			if strings.HasPrefix(call, name+".") && len(name) > len(server) {
				server = name
			}
		}
		switch {
		case !dotted:
			out.Warnings = append(out.Warnings, fmt.Sprintf("the plan calls %s, a tool of %s, which this file does not have; import that file, or add the tool there with proposeTool of the toolkit", call, run.File))
		case servers.Get(server) == nil:
			servers.Set(server, config.NewObject().Set("registry", true))
		}
	}
	if f.servers == "" && len(servers.Items) > 0 {
		notes[servers] = "From the registry of the project or the user: toolgraph mcp add NAME -- COMMAND."
		root.Set("mcpServers", servers)
	}
	root.Set("tools", config.NewList(made.Tool))
	graph, err := config.Format("the graph", root, notes)
	if err != nil {
		return nil, err
	}
	out.Graph = graph
	for _, name := range made.Secrets {
		out.Warnings = append(out.Warnings, fmt.Sprintf("the argument %s is a secret, so that its value is not written; if the server can have it in env or headers, remove it", name))
	}
	if !f.test {
		return out, nil
	}
	out.Test, out.Cassette, err = f.tests(ctx, graph, made, events)
	return out, err
}

const importedTest = "as in the plan"

// tests makes the test of the tool, by a run of it on the recorded answers.
func (f *importRunFlags) tests(ctx context.Context, graph []byte, made *proposal.Proposal, events []execution.Event) (test, cassette []byte, err error) {
	options := config.Options{ServersFile: f.servers, AssumeEnv: true}
	src := graph
	p, err := project.Parse(ctx, f.name+".yaml", src, options)
	if err != nil {
		return nil, nil, fmt.Errorf("the test cannot be made: %w", err)
	}
	g, err := p.Graph(f.name)
	if err != nil {
		return nil, nil, err
	}
	args, err := value.Decode(made.Args.JSON())
	if err != nil {
		return nil, nil, err
	}
	recording := execution.NewRecording(events, 0)
	calls := &capturing{recording: recording}
	result, err := execution.New(calls, execution.WithSequentialParts(), execution.WithSleep(noWait), execution.WithUser(recording),
		execution.WithChanging(events[0].Start.Changing, nil)).Run(ctx, g, args)
	if err != nil {
		return nil, nil, fmt.Errorf("the test cannot be made, because the tool does not do what the plan did: %w", err)
	}
	run := graphtest.RecordedRun{Test: importedTest, Tool: f.name, Calls: calls.all}
	if cassette, err = graphtest.NewCassette(run).Encode(); err != nil {
		return nil, nil, err
	}
	one := config.NewObject().Set("name", importedTest).Set("tool", f.name).Set("args", made.Args)
	expected, err := value.Encode(result.Value)
	if err != nil {
		return nil, nil, err
	}
	data, err := config.ParseData("the result", expected)
	if err != nil {
		return nil, nil, err
	}
	one.Set("expect", config.NewObject().Set("value", data))
	test, err = config.Format("the test", config.NewObject().Set("tests", config.NewList(one)), nil)
	return test, cassette, err
}

// capturing answers calls from a recording, and keeps them.
type capturing struct {
	recording *execution.Recording
	all       []graphtest.Recorded
}

// CallTool answers a call.
func (c *capturing) CallTool(ctx context.Context, call execution.Call) (value.Value, error) {
	v, err := c.recording.CallTool(ctx, call)
	one := graphtest.Recorded{At: call.At(), Node: call.Node, Attempt: call.Attempt, Server: call.Server, Tool: call.Tool, Args: value.JSON{Value: call.Args}}
	if err != nil {
		one.Fail(err)
	}
	one.Result.Value, one.Nothing = v, err == nil && v == nil
	c.all = append(c.all, one)
	return v, err
}
