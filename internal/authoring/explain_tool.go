package authoring

import (
	"context"
	"fmt"

	"toolgraph/internal/inspect"
)

func explainGraphTool(ctx context.Context, k *Toolkit, v *view, a arguments) (any, error) {
	held, name, err := v.subject(a)
	if err != nil {
		return nil, notStarted(v, err)
	}
	p, err := held.checked(ctx)
	if err != nil {
		return nil, fmt.Errorf("the tool cannot be explained before it is right; checkGraphTool tells what is wrong: %w", err)
	}
	g, err := graphOf(p, name)
	if err != nil {
		return nil, err
	}
	return inspect.Explain(ctx, g, k.knownTools())
}
