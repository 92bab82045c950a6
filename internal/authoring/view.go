package authoring

import (
	"context"
	"errors"
	"fmt"

	"toolgraph/config"
	"toolgraph/graph"
	"toolgraph/internal/project"
	"toolgraph/internal/wording"
)

// view is the files as they were when an operation began.
type view struct {
	path    string
	servers string // the file of more servers, or ""
	src     []byte
	secrets *config.Secrets
}

// look reads the files. Mistakes in them are for the operation to tell.
func (k *Toolkit) look() (*view, error) {
	src, err := config.ReadFile(k.opts.Graph)
	if err != nil {
		return nil, err
	}
	v := &view{path: k.opts.Graph, servers: k.opts.Servers, src: src, secrets: &config.Secrets{}}
	if file, _ := config.Parse(v.path, src, config.Options{ServersFile: v.servers}); file != nil { // only for what must not be shown
		v.secrets = file.Secrets
	}
	return v, nil
}

// with is the view of a file that has this text instead.
func (v *view) with(src []byte) *view {
	other := *v
	other.src = src
	return &other
}

// file is the graph file as far as it can be understood, whether or not it is right,
// and whether or not its variables are set.
func (v *view) file() (*config.File, error) {
	file, err := config.Parse(v.path, v.src, v.assumed())
	if file == nil {
		return nil, err
	}
	return file, nil
}

// checked is the file with its graphs, all of it right but for variables.
func (v *view) checked(ctx context.Context) (*project.Project, error) {
	return project.Parse(ctx, v.path, v.src, v.assumed())
}

// live is the file with its graphs, ready to run.
func (v *view) live(ctx context.Context) (*project.Project, error) {
	p, err := project.Parse(ctx, v.path, v.src, config.Options{ServersFile: v.servers})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("nothing was started, because the graph file has mistakes\n%w", err)
	}
	return p, nil
}

func (v *view) assumed() config.Options {
	return config.Options{ServersFile: v.servers, AssumeEnv: true}
}

// holding is the view of the file with a tool in it: in the place of the one of its
// name, or behind all others.
func (v *view) holding(tool *config.Data) (*view, string, error) {
	name, _ := tool.Get("name").Value().(string)
	if name == "" {
		return nil, "", errors.New("the tool has no name, expected a text under name")
	}
	file, err := v.file()
	if err != nil {
		return nil, "", err
	}
	src := v.src
	if tell := toolOf(file, name); tell != nil {
		src, err = config.ReplaceTool(v.path, src, name, tool)
	} else {
		src, err = config.AddTool(v.path, src, tool)
	}
	if err != nil {
		return nil, "", err
	}
	return v.with(src), name, nil
}

// subject is what an operation is about: the tool that toolName names, or the one that
// toolDefinition gives, as if it stood in the file.
func (v *view) subject(a arguments) (*view, string, error) {
	name, definition := a.text("toolName"), a.get("toolDefinition")
	switch {
	case name != "" && definition != nil:
		return nil, "", errors.New("both toolName and toolDefinition were given, expected one of them")
	case definition != nil:
		return v.holding(dataOf(definition))
	case name == "":
		return nil, "", errors.New("neither toolName nor toolDefinition was given, expected one of them; listGraphTools tells the names")
	}
	return v, name, nil
}

// graphOf is the graph of a tool that was asked for by name.
func graphOf(p *project.Project, name string) (*graph.Graph, error) {
	for _, g := range p.Graphs {
		if g.Tool.Name.Value == name {
			return g, nil
		}
	}
	return nil, noTool(p.File, name)
}

func toolOf(file *config.File, name string) *config.Tool {
	for _, t := range file.Tools {
		if t.Name.Value == name {
			return t
		}
	}
	return nil
}

func noTool(file *config.File, name string) error {
	var names []string
	for _, t := range file.Tools {
		names = append(names, t.Name.Value)
	}
	if near := wording.Nearest(name, names); near != "" {
		return fmt.Errorf("tool %q not found: did you mean %q?", name, near)
	}
	return fmt.Errorf("tool %q not found; listGraphTools tells what there is", name)
}
