package shape

import (
	"context"
	"testing"

	"toolgraph/expressions/jsonata"
)

// After the context has ended, the shape is Any and there are no findings.
func TestV20EndedInference(t *testing.T) {
	e, err := jsonata.Compile(t.Context(), `"a" + 1`)
	if err != nil {
		t.Fatal(err)
	}
	if got, found := Infer(t.Context(), e, tableEnv()); got.IsAny() || len(found) != 1 {
		t.Fatalf("it gives %s, %v", got, found)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, found := Infer(ctx, e, tableEnv()); !got.IsAny() || found != nil {
		t.Errorf("once ended it gives %s, %v", got, found)
	}
}
