package cli

import (
	"github.com/spf13/cobra"

	"toolgraph/internal/program"
)

func newMCP(std program.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Manage the servers that graph files take by name",
		Long: `Manage the registries: the user's servers, and those of the project in this directory
(.toolgraph/servers.json). A graph file takes a server of a registry by its name:

  mcpServers:
    github: {registry: true}`,
		SuggestFor: []string{"servers", "registry"},
	}
	program.OnlyCommands(cmd)
	cmd.AddCommand(newMCPAdd(std), newMCPList(std), newMCPRemove(std), newMCPSync(std), newMCPTools(std), newMCPInfo(std), newMCPCall(std), newMCPImport(std))
	return cmd
}
