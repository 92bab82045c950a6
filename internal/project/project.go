// Package project loads a graph file for the doors: a path goes in, a checked File
// with its compiled graphs comes out, or everything that is wrong with it at once.
//
// It puts together what config, graph and the server each have to say of a file, so
// that every door refuses the same files with the same words. It runs nothing and
// starts no server.
package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"toolgraph/config"
	"toolgraph/graph"
	"toolgraph/internal/wording"
)

// Project is a graph file, loaded, built and checked. It is not changed after Load.
type Project struct {
	File     *config.File
	Graphs   []*graph.Graph     // in file order
	Warnings config.Diagnostics // sorted; never errors
}

// Load reads and builds a graph file. Findings that are errors come as
// config.Diagnostics, with the warnings among them: those of the file and, as far as
// it was understood, those of the graphs; other errors are those of reading, and the
// cause of ctx's end. When the file was understood well enough to look for more that is
// wrong, the Project comes with the Diagnostics; it must not be run then.
func Load(ctx context.Context, path string, opts config.Options) (*Project, error) {
	file, err := config.Load(path, opts)
	return build(ctx, file, err)
}

// Parse is Load for bytes in hand; path is what they are called.
func Parse(ctx context.Context, path string, src []byte, opts config.Options) (*Project, error) {
	file, err := config.Parse(path, src, opts)
	return build(ctx, file, err)
}

func build(ctx context.Context, file *config.File, err error) (*Project, error) {
	var found config.Diagnostics
	if err != nil && !errors.As(err, &found) || file == nil {
		return nil, err
	}
	if err == nil {
		found = append(found, file.Warnings...)
	}
	graphs, more, ended := graph.Build(ctx, file)
	if ended != nil {
		return nil, ended
	}
	found = append(found, more...)
	found = append(found, checkHeaders(file.Tools)...)
	found = append(found, checkPortability(file)...)
	found.Sort()
	p := &Project{File: file, Graphs: graphs, Warnings: found}
	if found.Err() != nil {
		_, p.Warnings = found.Split()
		return p, found
	}
	return p, nil
}

// Graph is the graph of the tool of this name. The error names the tools there are.
func (p *Project) Graph(tool string) (*graph.Graph, error) {
	var names []string
	for _, g := range p.Graphs {
		if g.Tool.Name.Value == tool {
			return g, nil
		}
		names = append(names, g.Tool.Name.Value)
	}
	has := cmp.Or(wording.List(names), "none")
	if tool == "" {
		return nil, fmt.Errorf("no tool given; %s has %s", p.File.Path, has)
	}
	return nil, fmt.Errorf("%s has no tool %q (it has %s)%s", p.File.Path, tool, has, wording.Suggest(tool, names))
}
