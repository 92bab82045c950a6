package authoring

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/project"
	"toolgraph/internal/project/registry"
)

// snapshot is the files as they were when an operation began.
type snapshot struct {
	path    string
	servers string // the file of more servers, or ""
	src     []byte
	secrets *config.Secrets
}

// read reads the files. Errors in them are for the operation to report.
func (k *Toolkit) read() (*snapshot, error) {
	src, err := config.ReadFile(k.opts.Graph)
	if err != nil {
		return nil, err
	}
	s := &snapshot{path: k.opts.Graph, servers: k.opts.Servers, src: src, secrets: &config.Secrets{}}
	if file, _ := config.Parse(s.path, src, config.Options{ServersFile: s.servers, Registries: registry.Paths(s.path)}); file != nil { // only for the secrets
		s.secrets = file.Secrets
	}
	return s, nil
}

// with returns the snapshot with another text of the graph file.
func (s *snapshot) with(src []byte) *snapshot {
	other := *s
	other.src = src
	return &other
}

// file returns the graph file as far as it can be understood, errors in it or not, as if
// its variables were set.
func (s *snapshot) file() (*config.File, error) {
	file, err := config.Parse(s.path, s.src, config.Options{ServersFile: s.servers, Registries: registry.Paths(s.path), AssumeEnv: true})
	if file == nil {
		return nil, err
	}
	return file, nil
}

// checked returns the file with its graphs, as if its variables were set. Its errors are
// config.Diagnostics.
func (s *snapshot) checked(ctx context.Context) (*project.Project, error) {
	return project.Parse(ctx, s.path, s.src, config.Options{ServersFile: s.servers, AssumeEnv: true})
}

// holding returns the snapshot with a tool in it, in the place of the one of its name or
// after all others, and the name.
func (s *snapshot) holding(tool *config.Data) (*snapshot, string, error) {
	name, _ := tool.Get("name").Value().(string)
	if name == "" {
		return nil, "", errors.New("the tool has no name, expected a string under name")
	}
	file, err := s.file()
	if err != nil {
		return nil, "", err
	}
	var src []byte
	if own := toolOf(file, name); own != nil && own.File == file {
		src, err = config.ReplaceTool(s.path, s.src, name, tool)
	} else {
		src, err = config.AddTool(s.path, s.src, tool)
	}
	return s.with(src), name, err
}

// subject returns the tool that the operation is about, the one that toolName names or
// toolDefinition gives, by its name, and the files with it.
func (r *request) subject() (*snapshot, string, error) {
	name, definition := r.Text("toolName"), r.Get("toolDefinition")
	switch {
	case name != "" && definition != nil:
		return nil, "", errors.New("toolName and toolDefinition are both given; give one of them")
	case definition != nil:
		return r.holding(DataOf(definition))
	case name == "":
		return nil, "", errors.New("neither toolName nor toolDefinition is given; give one of them, listGraphTools lists the names")
	}
	return r.snapshot, name, nil
}

// graphOf returns the graph of a tool by its name.
func graphOf(p *project.Project, name string) (*graph.Graph, error) {
	i := slices.IndexFunc(p.Graphs, func(g *graph.Graph) bool { return g.Tool.Name.Value == name })
	if i < 0 {
		return nil, noTool(p.File, name)
	}
	return p.Graphs[i], nil
}

func toolOf(file *config.File, name string) *config.Tool {
	for _, t := range file.Tools {
		if t.Name.Value == name {
			return t
		}
	}
	return nil
}

// ownTool returns a tool that the graph file itself defines: those of its imports belong to other files.
func ownTool(file *config.File, name string) (*config.Tool, error) {
	tool := toolOf(file, name)
	if tool == nil {
		return nil, noTool(file, name)
	}
	if tool.File != file {
		return nil, fmt.Errorf("tool %q is defined in %s, which %s imports; explainGraphTool explains it, and a toolkit of that file changes it",
			name, tool.File.Path, file.Path)
	}
	return tool, nil
}

func noTool(file *config.File, name string) error {
	var names []string
	for _, t := range file.Tools {
		names = append(names, t.Name.Value)
	}
	return notFound(fmt.Sprintf("tool %q", name), name, names, "listGraphTools lists the tools")
}

// notFound is the error about a name that does not exist, with the name that was probably
// meant, else with a hint.
func notFound(what, name string, known []string, hint string) error {
	return fmt.Errorf("%s not found; %s", what, cmp.Or(wording.DidYouMean(name, known), hint))
}

// DataOf returns a value as a piece of a file, without places.
func DataOf(v value.Value) *config.Data {
	switch v := v.(type) {
	case value.Object:
		d := &config.Data{Kind: config.KindObject}
		for _, key := range v.Keys() {
			item, _ := v.Get(key)
			d.Keys, d.Items = append(d.Keys, config.Text{Value: key}), append(d.Items, DataOf(item))
		}
		return d
	case []any:
		d := &config.Data{Kind: config.KindArray}
		for _, item := range v {
			d.Items = append(d.Items, DataOf(item))
		}
		return d
	case string:
		return &config.Data{Scalar: v, Text: config.Text{Value: v}}
	case bool, float64, json.Number:
		return &config.Data{Scalar: v}
	}
	return &config.Data{}
}
