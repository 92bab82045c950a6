package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/graph"
	"toolgraph/internal/project"
)

func newGraph(std streams) *cobra.Command {
	format, file, servers, anyEnv := "mermaid", "", "", false
	cmd := &cobra.Command{
		Use:   "graph FILE [TOOL]",
		Short: "Draw the graphs of a file as Mermaid, DOT or JSON",
		Example: `  toolgraph graph graph.yaml count_files          Mermaid, as GitHub shows it
  toolgraph graph graph.yaml --format dot | dot -Tsvg > graph.svg`,
		Args: args(0, 1, "a graph file and a tool"),
		RunE: func(cmd *cobra.Command, args []string) error {
			render, known := renderers[format]
			if !known {
				return usagef("--format is %q, expected mermaid, dot or json", format)
			}
			p, err := project.Load(cmd.Context(), file, config.Options{ServersFile: servers, AssumeEnv: anyEnv})
			if err != nil {
				return err
			}
			graphs := p.Graphs
			if len(args) == 1 {
				one, err := graphOf(p, args[0])
				if err != nil {
					return err
				}
				graphs = []*graph.Graph{one}
			}
			return render(std.out, graphs)
		},
	}
	cmd.Flags().StringVarP(&format, "format", "f", format, "mermaid, dot or json")
	cmd.Flags().StringVarP(&servers, "mcp", "m", "", `a file with more servers, {"mcpServers": {…}}`)
	cmd.Flags().BoolVar(&anyEnv, "any-env", false, "take every ${VAR} for set: for looking at a file elsewhere than where it runs")
	return takesGraph(cmd, &file)
}

var renderers = map[string]func(io.Writer, []*graph.Graph) error{
	"mermaid": each(graph.Mermaid),
	"dot":     each(graph.DOT),
	"json":    each(graph.JSON),
}

// each writes one rendering after the other, an empty line between them.
func each(render func(*graph.Graph) string) func(io.Writer, []*graph.Graph) error {
	return func(w io.Writer, graphs []*graph.Graph) error {
		for i, g := range graphs {
			if i > 0 {
				if _, err := fmt.Fprintln(w); err != nil {
					return err
				}
			}
			if _, err := fmt.Fprintln(w, trimNewline(render(g))); err != nil {
				return err
			}
		}
		return nil
	}
}

func trimNewline(s string) string {
	for len(s) > 0 && s[len(s)-1] == '\n' {
		s = s[:len(s)-1]
	}
	return s
}
