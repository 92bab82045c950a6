package execution_test

import (
	"context"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

var stepTools = flag.Int("steptools", 150, "how many random tools of steps are compared with the model")

// Random tools of steps have the values and the effects that the model has, whatever runs at the same time.
func TestRandomSteps(t *testing.T) {
	failed, wrote := 0, 0
	for seed := range uint64(*stepTools) {
		r := &randomSteps{Rand: rand.New(rand.NewPCG(seed, 7)), writes: true}
		steps := r.block(5+r.IntN(4), 2, []string{"args", "args.n"}, nil, false)
		names := []string{"args"}
		for _, s := range steps {
			names = append(names, s.(map[string]any)["id"].(string))
		}
		tool := map[string]any{"name": "tool", "description": "a tool", "inputSchema": map[string]any{"type": "object"}, "steps": steps, "return": "[" + strings.Join(names, ", ") + "]"}
		src, _ := json.Marshal(map[string]any{"tools": []any{tool}})
		body := strings.TrimSuffix(strings.TrimPrefix(string(src), "{"), "}")
		g := build(t, strings.Replace(body, `"tools":`, "tools: ", 1)+"\n")
		args := decode(t, `{"n": 3, "list": [1, 2], "name": "a1"}`)

		expected := &world{counts: r.writes}
		m := &model{t, expected}
		want, wantErr := m.steps(steps, tool["return"], scope{context: map[string]any{"args": args}, vars: map[string]value.Value{}})
		for _, sequential := range []bool{true, false} {
			got, w, err := runSteps(t, g, args, sequential, r.writes)
			slices.Sort(w.wrote[:min(len(w.wrote), len(w.wrote)*boolInt(!r.writes))])
			wanted := slices.Clone(expected.wrote)
			if !r.writes {
				slices.Sort(wanted)
			}
			if (err != nil) != (wantErr != nil) {
				t.Fatalf("seed %d: %v, the model: %v\n%s", seed, err, wantErr, src)
			}
			if err == nil && encode(t, orNull(got)) != encode(t, orNull(want)) {
				t.Fatalf("seed %d: %s, the model: %s\n%s", seed, encode(t, got), encode(t, orNull(want)), src)
			}
			if (err == nil || r.writes) && !slices.Equal(w.wrote, wanted) {
				t.Fatalf("seed %d: wrote %q, the model: %q\n%s", seed, w.wrote, wanted, src)
			}
		}
		failed += boolInt(wantErr != nil)
		wrote += boolInt(len(expected.wrote) > 0)
	}
	t.Logf("%d tools, %d fail, %d write", *stepTools, failed, wrote)
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func runSteps(t *testing.T, g *graph.Graph, args value.Value, sequential, counts bool) (value.Value, *world, error) {
	w := &world{counts: counts}
	opts := []execution.Option{execution.WithReads(func(_ context.Context, _, tool string) bool { return tool == "get" })}
	if sequential {
		opts = append(opts, execution.WithSequentialParts())
	}
	caller := callerFunc(func(_ context.Context, _, tool string, args value.Value) (value.Value, error) {
		return w.call(t, tool, args)
	})
	result, err := execution.New(caller).Run(t.Context(), g, args, opts...)
	if err != nil {
		return nil, w, err
	}
	return result.Value, w, nil
}
