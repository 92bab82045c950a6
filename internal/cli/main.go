// Package cli is the command line: argv, environment and standard streams go in, an exit code
// comes out. Each subcommand is one file, which turns flags into a call of another room. What
// other command lines share with this one is in internal/program. The package decides
// nothing about graphs, runs or processes, and internal/base/terminal decides about colours and widths.
package cli

import (
	"context"

	"github.com/spf13/cobra"

	"toolgraph/internal/program"
)

// Main runs the program with the arguments and standard streams of the process, and returns its
// exit code.
func Main() int { return program.Main(newRoot) }

// Root is the command line as a description, for what is made of it, such as manual pages.
func Root() *cobra.Command { return newRoot(program.Streams{}) }

// Run is Main with other arguments and streams. A signal does not end it; ctx does. Safe for concurrent use, but for commands that serve on
// standard output.
func Run(ctx context.Context, args []string, std program.Streams) int {
	return program.Execute(ctx, newRoot(std), args, std)
}

func newRoot(std program.Streams) *cobra.Command {
	serve := program.ServeFlags{Views: views{}}
	root := &cobra.Command{
		Use:   "toolgraph -g FILE",
		Short: "Turn a YAML file into MCP tools",
		Long: `Toolgraph serves graphs as MCP tools. A graph calls the tools of other MCP servers,
transforms their results with JSONata, branches with JSON Logic, loops within limits, and
returns to the agent only what it needs.

"toolgraph -g FILE" is short for "toolgraph serve FILE". Every command that reads a graph
file takes it as the argument FILE or with -g.`,
		Example: `  toolgraph init graph.yaml                      write a commented graph to start from
  toolgraph check graph.yaml                     report all errors in it
  toolgraph run graph.yaml count_files directory=.
  toolgraph config claude-desktop graph.yaml     print the entry for the host's configuration
  toolgraph -g graph.yaml                        serve it, as the host will`,
		Args: program.NoCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if serve.Graph == "" {
				if err := cmd.Help(); err != nil {
					return err
				}
				return program.Usagef("no graph file and no command given; name a file with -g, or use a command")
			}
			return serve.Run(cmd.Context(), std)
		},
	}
	program.GraphFlag(root, &serve.Graph)
	serve.Register(root)
	addGroup(root, "serve", "Serve:", program.NewServe(std, nil, views{}), newToolkit(std), newInspect(std), newDemoServer(std))
	addGroup(root, "write", "Write graphs:", newInit(std), newCheck(std), newExplain(std), newTest(std), newLock(std), newDrift(std), newCapabilities(std), newGraph(std), newEval(std), newSecond(std), newUpgrade(std), newConvert(std), newSchema(std), newLSP(std), newImport(std))
	addGroup(root, "run", "Run and debug:", newRun(std), newPlan(std), newDebug(std), newUI(std), newRuns(std), newStats(std), newRetention(std), newResume(std), newReplay(std), newFork(std), newSuggest(std), newAudit(std))
	addGroup(root, "other", "Set up:", newMCP(std), newConfig(std), newAdopt(std), newBundle(std), newLogin(std), newLogout(std), newDoctor(std), newVersion(std))
	root.SetHelpCommandGroupID("other")
	root.SetCompletionCommandGroupID("other")
	return root
}

// addGroup adds commands under a heading in the help.
func addGroup(root *cobra.Command, id, title string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: id, Title: title})
	for _, c := range commands {
		c.GroupID = id
	}
	root.AddCommand(commands...)
}
