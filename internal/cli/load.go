package cli

import (
	"fmt"
	"io"

	"toolgraph/config"
	"toolgraph/graph"
	"toolgraph/internal/project"
)

// load reads, builds and checks a graph file.
func load(path, serversFile string) (*project.Project, error) {
	return project.Load(path, config.Options{ServersFile: serversFile})
}

// graphOf is the graph of a tool that the command line names.
func graphOf(p *project.Project, tool string) (*graph.Graph, error) {
	g, err := p.Graph(tool)
	if err != nil {
		return nil, usageError{err}
	}
	return g, nil
}

// printDiagnostics writes one finding a line.
func printDiagnostics(w io.Writer, found config.Diagnostics) {
	for _, d := range found {
		fmt.Fprintln(w, d)
	}
}
