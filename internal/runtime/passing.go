package runtime

import (
	"context"
	"encoding/json"
)

type passed struct{ prompts, resources, templates []json.RawMessage }

type passes struct{ prompts, resources bool }

func (p passes) any() bool { return p.prompts || p.resources }

func passesOf(l *Loaded, name string) (of passes) {
	for _, p := range l.File.Passes {
		if p.Server.Value == name {
			of.prompts, of.resources = of.prompts || p.Prompts, of.resources || p.Resources
		}
	}
	return of
}

func (o *offering) askPassed(ctx context.Context, name string, of passes) error { return nil }
