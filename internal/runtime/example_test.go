package runtime_test

import (
	"context"
	"fmt"

	"toolgraph/expressions/value"
	"toolgraph/internal/runtime"
)

// A process without a command line makes a run.
func ExampleLoad() {
	ctx := context.Background()
	l, err := runtime.Load(ctx, runtime.Options{Graph: "testdata/greet.yaml"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer l.Close()
	result, err := l.Run(ctx, l.Engine(), l.Graphs[0], value.NewObject([]string{"name"}, []value.Value{"Ada"}))
	fmt.Println(result.Value, err)
	// Output: Hello, Ada <nil>
}
