package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"toolgraph/config"
	"toolgraph/execution/journal"
	"toolgraph/graph"
	"toolgraph/internal/project"
)

// load reads, builds and checks a graph file.
func load(ctx context.Context, path, serversFile string) (*project.Project, error) {
	return project.Load(ctx, path, config.Options{ServersFile: serversFile})
}

// graphOf is the graph of a tool that the command line names.
func graphOf(p *project.Project, tool string) (*graph.Graph, error) {
	g, err := p.Graph(tool)
	if err != nil {
		return nil, usageError{err}
	}
	return g, nil
}

// toolOf is the graph of the tool that the first word names, and the other words.
func toolOf(p *project.Project, words []string) (*graph.Graph, []string, error) {
	tool := ""
	if len(words) > 0 {
		tool, words = words[0], words[1:]
	}
	g, err := graphOf(p, tool)
	return g, words, err
}

// loadKept is the graph of a kept run as it is now: in the file at path, or when that is
// empty in the file that the run was started from.
func loadKept(ctx context.Context, kept journal.Run, path, serversFile string) (*project.Project, *graph.Graph, error) {
	if path == "" {
		path = kept.File
	}
	p, err := load(ctx, path, serversFile)
	if err != nil {
		return nil, nil, err
	}
	g, err := graphOf(p, kept.Tool)
	return p, g, err
}

// printDiagnostics writes one finding a line.
func printDiagnostics(w io.Writer, found config.Diagnostics) {
	for _, d := range found {
		fmt.Fprintln(w, d)
	}
}

// lookForSecrets reads the files once, for what must not be logged. A file with mistakes
// is what somebody may be there to mend; one that is not there is none.
func lookForSecrets(graph, servers string) (*config.Secrets, error) {
	file, err := config.Load(graph, config.Options{ServersFile: servers})
	var found config.Diagnostics
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%w; toolgraph init writes a file to start from", err)
	case err != nil && !errors.As(err, &found):
		return nil, err
	case file == nil:
		return &config.Secrets{}, nil
	}
	return file.Secrets, nil
}
