package cli

import (
	"errors"
	"fmt"
	"io"

	"toolgraph/config"
	"toolgraph/graph"
	"toolgraph/internal/server"
)

// project is a graph file, loaded, built and checked.
type project struct {
	file     *config.File
	graphs   []*graph.Graph
	warnings config.Diagnostics
}

// load reads and builds a graph file. Findings that are errors come as
// config.Diagnostics, with the warnings among them: those of the file and, as far as
// it was understood, those of the graphs.
func load(path, serversFile string) (*project, error) {
	file, err := config.Load(path, config.Options{ServersFile: serversFile})
	var found config.Diagnostics
	if err != nil && !errors.As(err, &found) || file == nil {
		return nil, err
	}
	if err == nil {
		found = append(found, file.Warnings...)
	}
	graphs, more := graph.Build(file)
	found = append(found, more...)
	found = append(found, server.CheckSchemas(file.Tools)...)
	found = append(found, server.CheckPortability(file)...)
	found.Sort()
	if found.Err() != nil {
		return nil, found
	}
	return &project{file: file, graphs: graphs, warnings: found}, nil
}

// tool is the graph of this name.
func (p *project) tool(name string) (*graph.Graph, error) {
	var names []string
	for _, g := range p.graphs {
		if g.Tool.Name.Value == name {
			return g, nil
		}
		names = append(names, g.Tool.Name.Value)
	}
	hint := ""
	if near := config.DidYouMean(name, names); near != "" {
		hint = fmt.Sprintf(": did you mean %q?", near)
	}
	return nil, usagef("%s has no tool %q%s (it has %s)", p.file.Path, name, hint, list(names))
}

// printDiagnostics writes one finding a line.
func printDiagnostics(w io.Writer, found config.Diagnostics) {
	for _, d := range found {
		fmt.Fprintln(w, d)
	}
}

func list(names []string) string {
	const shown = 12
	text := ""
	for i, name := range names {
		switch {
		case i == shown:
			return text + fmt.Sprintf(" and %d more", len(names)-shown)
		case i > 0:
			text += ", "
		}
		text += name
	}
	return text
}
