package jsonlogic_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/jsonlogic"
)

// A rule is compiled once; its variables are JSONata over the data.
func Example() {
	ctx := context.Background()
	var plain any
	if err := json.Unmarshal([]byte(`{"and": [{">": [{"var": "$count(cart.items)"}, 1]}, {"==": [{"var": "user.country"}, "NO"]}]}`), &plain); err != nil {
		fmt.Println(err)
		return
	}
	rule, err := jsonlogic.Compile(ctx, plain)
	if err != nil {
		fmt.Println(err)
		return
	}
	holds, err := rule.Holds(ctx, jsonata.NewScope(map[string]any{
		"cart": map[string]any{"items": []any{"book", "lamp"}},
		"user": map[string]any{"country": "NO"},
	}, nil))
	fmt.Println(holds, err)
	for _, r := range rule.References() {
		fmt.Println("reads", r.Path)
	}
	// Output:
	// true <nil>
	// reads [cart items]
	// reads [user country]
}

// An unknown operator, or a wrong number of arguments, is found when the rule is compiled, with its place.
func ExampleError() {
	_, err := jsonlogic.Compile(context.Background(), map[string]any{"and": []any{true, map[string]any{"equals": []any{1.0, 2.0}}}})
	var failed *jsonlogic.Error
	if errors.As(err, &failed) {
		fmt.Println(failed.Path, failed.Message)
	}
	// Output: [and 1 equals] unknown operator "equals"
}
