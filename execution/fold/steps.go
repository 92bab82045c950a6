package fold

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"toolgraph/execution"
	"toolgraph/expressions"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// stepScope returns the scope of the expressions of a step, or of an item or a turn of one: args, the values of
// the steps above, and the variables of items and turns. A list of items is evaluated again.
func (h *History) stepScope(ctx context.Context, of *graph.Graph, steps *graph.Steps, at execution.Address) (*expressions.Scope, error) {
	frame, index, path := at.Split()
	scope := expressions.NewScope(map[string]any{}, nil)
	if entry := h.Records(frame); len(entry) > 0 && entry[0].Output != nil {
		scope.Context["args"] = entry[0].Output
	}
	scope.Variables = maps.Clone(h.ScopeIn(of, nil).Variables)
	if scope.Variables == nil {
		scope.Variables = map[string]value.Value{}
	}
	at = execution.AddressOf(frame, index, "")
	var step *graph.Step
	for part := range strings.SplitSeq(path, ".") {
		name, turn, repeated := strings.Cut(part, "@")
		if i, err := strconv.Atoi(name); err == nil && step != nil {
			if err := bindItem(ctx, scope, step, at, i); err != nil {
				return nil, err
			}
		} else if step = h.readAbove(scope, steps, at, name); step == nil {
			return nil, fmt.Errorf("the tool has no step %q at %s", name, at)
		}
		at += execution.Address("." + name)
		if repeated {
			n, _ := strconv.Atoi(turn)
			scope.Variables["n"] = float64(n)
			if before, known := h.Record(at + execution.Address("@"+strconv.Itoa(n-1))); known {
				scope.Variables["previous"] = before.Output
			}
			at += execution.Address("@" + turn)
		}
		steps, _ = step.Node.(*graph.Steps)
	}
	return scope, nil
}

// readAbove adds the values of the steps above one in its block to the context, and returns that step; nil when
// the block has none of that name.
func (h *History) readAbove(scope *expressions.Scope, block *graph.Steps, at execution.Address, name string) *graph.Step {
	if block == nil {
		return nil
	}
	for _, s := range block.Block {
		if s.ID == name {
			return s
		}
		if rec, ended := h.Record(at + execution.Address("."+s.ID)); ended && rec.Output != nil {
			scope.Context[s.ID] = rec.Output
		}
	}
	return nil
}

// bindItem binds the variables of an item of a step.
func bindItem(ctx context.Context, scope *expressions.Scope, step *graph.Step, at execution.Address, i int) error {
	if step.Each == nil {
		return fmt.Errorf("step %s has no items", at)
	}
	items, err := step.Each.List(ctx, scope)
	if err != nil {
		return err
	}
	if i >= len(items) {
		return fmt.Errorf("step %s has %d items", at, len(items))
	}
	scope.Variables[step.Item()], scope.Variables[expressions.VarIndex] = items[i], float64(i)
	return nil
}
