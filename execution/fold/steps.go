package fold

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// stepScope returns the scope of the expressions of a step, or of an item or a turn of one: args, the values of
// the steps above, and the variables of items and turns, which bind adds. The whole of the steps of a tool sees all of
// them, as return does.
func (h *History) stepScope(of *graph.Graph, steps *graph.Steps, at execution.Address, bind binding) (*expressions.Scope, error) {
	frame, index, path := at.Split()
	scope := expressions.NewScope(map[string]any{}, nil)
	records := h.Records(frame)
	if args, known := execution.Context(records[:min(index, len(records))])[config.StepsEntry]; known {
		scope.Context["args"] = args
	}
	scope.Variables = maps.Clone(h.ScopeIn(of, nil).Variables)
	if scope.Variables == nil {
		scope.Variables = map[string]value.Value{}
	}
	at = execution.AddressOf(frame, index, "")
	if path == "" {
		h.readAbove(scope, steps, at, "")
		return scope, nil
	}
	var step *graph.Step
	for part := range strings.SplitSeq(path, ".") {
		name, turn, repeated := strings.Cut(part, "@")
		if i, err := strconv.Atoi(name); err == nil && step != nil {
			if err := bind(scope, step, at, i); err != nil {
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

// binding binds the variables of an item of a step in a scope.
type binding func(scope *expressions.Scope, step *graph.Step, at execution.Address, item int) error

// byList binds the item that the list of the step has, which is evaluated again.
func byList(ctx context.Context) binding {
	return func(scope *expressions.Scope, step *graph.Step, at execution.Address, i int) error {
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
}

// Above returns args and the values of the steps above one that have ended, those around its block included, by name; nil
// for a place that is no step. Unlike Scope it evaluates nothing.
func (h *History) Above(g *graph.Graph, at execution.Address) map[string]any {
	of := g.ReachedTool(h.Tool(at.Frame()))
	if of.Steps() == nil || h.NodeID(at) != config.StepsID {
		return nil
	}
	none := func(*expressions.Scope, *graph.Step, execution.Address, int) error { return nil }
	scope, err := h.stepScope(of, of.Steps(), at, none)
	if err != nil {
		return nil
	}
	return scope.Context
}

// StepContext returns what the expressions of a step, an item or a turn see, as an object in the order of the file: args,
// steps, then variables such as $item. It is nil for a place that is no step.
func (h *History) StepContext(ctx context.Context, g *graph.Graph, at execution.Address) (seen value.Value, err error) {
	of := g.ReachedTool(h.Tool(at.Frame()))
	if of.Steps() == nil || h.NodeID(at) != config.StepsID {
		return nil, nil
	}
	scope, err := h.Scope(ctx, g, at)
	if err != nil {
		return nil, err
	}
	var names []string
	var values []value.Value
	add := func(name string, v any) {
		if v != nil && !slices.Contains(names, name) {
			names, values = append(names, name), append(values, v)
		}
	}
	add("args", scope.Context["args"])
	of.Steps().EachStep(func(s *graph.Step) { add(s.ID, scope.Context[s.ID]) })
	for _, name := range slices.Sorted(maps.Keys(scope.Variables)) {
		if name != expressions.VarVars {
			add("$"+name, scope.Variables[name])
		}
	}
	return value.NewObject(names, values), nil
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

// ScopeOfReturn returns the scope of the return of a block whose execution is at an address: that of its expressions,
// and the values of its own steps.
func (h *History) ScopeOfReturn(ctx context.Context, g *graph.Graph, block *graph.Steps, at execution.Address) (*expressions.Scope, error) {
	scope, err := h.Scope(ctx, g, at)
	if err == nil {
		h.readAbove(scope, block, at, "")
	}
	return scope, err
}
