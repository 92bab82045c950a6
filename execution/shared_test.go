package execution_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// Two hundred runs at once share one compiled graph and one engine, and none sees
// another's data.
func TestManyRunsShareOneGraph(t *testing.T) {
	g := build(t, mixed)
	caller := callerFunc(func(_ context.Context, _, _ string, args value.Value) (value.Value, error) {
		return args, nil
	})
	engine := execution.New(caller)
	var running sync.WaitGroup
	for i := range 200 {
		running.Go(func() {
			start := -float64(i)
			args := value.NewObject([]string{"n"}, []value.Value{start})
			result, err := engine.Run(context.Background(), g, args)
			if err != nil {
				t.Error(err)
				return
			}
			// The loop counts by one from start until 10; each round is one call.
			got, want := encode(t, result.Value), fmt.Sprintf(`{"n":10,"seen":%d,"by":{"n":10,"seen":%d}}`, i+10, i+10)
			if got != want {
				t.Errorf("run %d: got %s, want %s", i, got, want)
			}
		})
	}
	running.Wait()
}
