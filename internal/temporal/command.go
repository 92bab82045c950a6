package temporal

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolgraph/internal/base/wording"
	"toolgraph/internal/program"
)

// Main runs the program with the arguments and standard streams of the process, and returns its exit
// code.
func Main() int { return program.Main(newRoot) }

func newRoot(std program.Streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "toolgraph-temporal",
		Short: "Make the runs of graph files on Temporal",
		Long: `Serve graph files as MCP tools whose runs survive any process: each is a workflow on a
Temporal server, and workers make it. The graph files are those of toolgraph, unchanged.`,
	}
	root.AddCommand(newServe(std), newWorker(std), newSchedule(std), newCodec(std))
	return program.OnlyCommands(root)
}

// toolsText names tools, each once.
func toolsText(tools map[string]string) string {
	names := slices.Compact(slices.Sorted(maps.Values(tools)))
	return wording.Count(len(names), "tool") + ": " + strings.Join(names, ", ")
}
