package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/graph"
	"toolgraph/internal/program"
	"toolgraph/internal/project"
)

func newGraph(std program.Streams) *cobra.Command {
	var format, file, servers string
	var anyEnv, compiled bool
	cmd := &cobra.Command{
		Use:   "graph FILE [TOOL]",
		Short: "Draw the graphs of a file as Mermaid, DOT or JSON",
		Long: `Draw the graphs of a file. A tool of steps is its entry, a box with its steps, an arrow for
each read, and its exit. With --compiled, dashed arrows (waits in JSON) show the order that the
engine adds: a step that changes something as its effect says, or asks the user, waits for all
steps above, and those below wait for it. Arrows that follow from others are left out.`,
		Example: `  toolgraph graph graph.yaml count_files          Mermaid, which GitHub renders
  toolgraph graph graph.yaml --format dot | dot -Tsvg > graph.svg`,
		Args: program.Args(0, 1, "a graph file and a tool"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := project.Load(cmd.Context(), file, config.Options{ServersFile: servers, AssumeEnv: anyEnv})
			if err != nil {
				return err
			}
			graphs := p.Graphs
			if len(args) == 1 {
				one, err := program.GraphOf(cmd.Context(), p, args[0])
				if err != nil {
					return err
				}
				graphs = []*graph.Graph{one}
			}
			if compiled {
				graphs = slices.Clone(graphs)
				for i, g := range graphs {
					if order := execution.OrderOf(g, execution.DeclaredChanges(cmd.Context(), g), nil); order != nil {
						graphs[i] = g.Ordered(order.Needs)
					}
				}
			}
			return renderers[format](std.Out, graphs)
		},
	}
	program.ChoiceFlag(cmd, &format, "format", "f", "output format", "mermaid", "dot", "json")
	program.JSONFlag(cmd, &format)
	cmd.Flags().BoolVar(&compiled, "compiled", false, "also show the order in which the engine runs steps that do not read each other")
	program.ServersFlag(cmd, &servers)
	program.AnyEnvFlag(cmd, &anyEnv)
	return program.TakesGraph(cmd, &file)
}

var renderers = map[string]func(io.Writer, []*graph.Graph) error{
	"mermaid": each(graph.Mermaid),
	"dot":     each(graph.DOT),
	"json":    each(graph.JSON),
}

// each writes the renderings with an empty line between them.
func each(render func(*graph.Graph) string) func(io.Writer, []*graph.Graph) error {
	return func(w io.Writer, graphs []*graph.Graph) error {
		for i, g := range graphs {
			if i > 0 {
				if _, err := fmt.Fprintln(w); err != nil {
					return err
				}
			}
			if _, err := fmt.Fprintln(w, strings.TrimRight(render(g), "\n")); err != nil {
				return err
			}
		}
		return nil
	}
}
