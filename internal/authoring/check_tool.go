package authoring

import (
	"context"
	"errors"
	"slices"

	"toolgraph/config"
	"toolgraph/graph/flow"
	"toolgraph/internal/project"
)

// checkedTool is what there is to say about a tool, or a whole file.
type checkedTool struct {
	Valid       bool      `json:"valid"` // nothing in it is an error
	Diagnostics []finding `json:"diagnostics"`
}

// checkGraphTool tells the mistakes in the tool that is named or given, or in the whole
// file when neither is.
func checkGraphTool(ctx context.Context, k *Toolkit, v *view, a arguments) (any, error) {
	name := ""
	if a.text("toolName") != "" || a.get("toolDefinition") != nil {
		held, named, err := v.subject(a)
		var found config.Diagnostics
		switch {
		case errors.As(err, &found):
			return told(v, found, ""), nil
		case err != nil:
			return nil, err
		}
		v, name = held, named
	}
	p, err := v.checked(ctx)
	var found config.Diagnostics
	switch {
	case errors.As(err, &found):
		return told(v, found, name), nil
	case err != nil:
		return nil, err
	}
	if name != "" {
		if _, err := graphOf(p, name); err != nil {
			return nil, err
		}
	}
	if found, err = k.remarks(ctx, p, name); err != nil {
		return nil, err
	}
	return told(v, found, name), nil
}

// remarks are what is not right with a file that can be used all the same, and what goes
// wrong in a run of the tool of this name, or of any when there is none. The error is the
// cause of ctx's end.
func (k *Toolkit) remarks(ctx context.Context, p *project.Project, name string) (config.Diagnostics, error) {
	found := slices.Clone(p.Warnings)
	known := k.knownTools()
	for _, g := range p.Graphs {
		if name == "" || g.Tool.Name.Value == name {
			more, err := flow.Check(ctx, g, known)
			if err != nil {
				return nil, err
			}
			found = append(found, more...)
			found = append(found, known.unknownTools(g)...)
		}
	}
	found.Sort()
	return found, nil
}

func told(v *view, found config.Diagnostics, name string) checkedTool {
	findings := v.findings(found, name)
	if findings == nil {
		findings = []finding{}
	}
	return checkedTool{Valid: found.Err() == nil, Diagnostics: findings}
}
