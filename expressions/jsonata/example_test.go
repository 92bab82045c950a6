package jsonata_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"
)

const orders = `{"orders": [
	{"id": 1, "customer": "Ada", "lines": [{"price": 3, "quantity": 2}, {"price": 10, "quantity": 1}]},
	{"id": 2, "customer": "Grace", "lines": [{"price": 5, "quantity": 1}]}
]}`

// An expression is compiled once and evaluated over any value, by several goroutines if wanted.
func Example() {
	ctx := context.Background()
	expr, err := jsonata.Compile(ctx, `orders.{"customer": customer, "total": $sum(lines.(price * quantity))}`)
	if err != nil {
		fmt.Println(err)
		return
	}
	data, err := value.Decode([]byte(orders))
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := expr.EvalAt(ctx, nil, data)
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := value.Encode(v)
	fmt.Println(string(out), err)
	// Output: [{"customer":"Ada","total":16},{"customer":"Grace","total":5}] <nil>
}

// A scope has the data and values of variables.
func ExampleExpression_Eval() {
	ctx := context.Background()
	expr, err := jsonata.Compile(ctx, `price * (1 + $tax)`)
	if err != nil {
		fmt.Println(err)
		return
	}
	scope := jsonata.NewScope(map[string]any{"price": 100.0}, nil)
	scope.Variables = map[string]jsonata.Value{"tax": 0.2}
	fmt.Println(expr.Eval(ctx, scope))
	// Output: 120 <nil>
}

// Options limit an evaluation and add functions of the host.
func ExampleOptions() {
	ctx := context.Background()
	options := jsonata.Options{
		Time:  10 * time.Second,
		Heap:  64 << 20,
		Steps: 100_000,
		Functions: map[string]jsonata.Function{
			"slug": func(_ context.Context, args []jsonata.Value) (jsonata.Value, error) {
				text, ok := args[0].(string)
				if !ok {
					return nil, errors.New("expected a string")
				}
				return strings.ReplaceAll(strings.ToLower(text), " ", "-"), nil
			},
		},
	}
	for _, source := range []string{`["A Title", "Another"] ~> $map($slug)`, `$slug(1)`, `($f := function($n) {$n > 0 ? $f($n - 1)}; $f(1000000))`} {
		expr, err := jsonata.Compile(ctx, source, options)
		if err != nil {
			fmt.Println(err)
			continue
		}
		v, err := expr.EvalAt(ctx, nil, nil)
		fmt.Println(v, err)
	}
	// Output:
	// [a-title another] <nil>
	// <nil> $slug: expected a string
	// <nil> the work takes more than 100000 steps; make it do less, or split it over several nodes
}

// A source that does not compile has the byte of its error, and one remedy when there is one.
func ExampleSyntaxError() {
	_, err := jsonata.Compile(context.Background(), `$sumn(orders.total)`)
	var syntax *jsonata.SyntaxError
	if errors.As(err, &syntax) {
		fmt.Printf("byte %d: %s; %s\n", syntax.Offset, syntax.Message, syntax.Hint)
	}
	// Output: byte 0: unknown function $sumn; did you mean "$sum"?
}

// An evaluation that fails has JSONata's code, and no values of the data in its text.
func ExampleError() {
	ctx := context.Background()
	expr, err := jsonata.Compile(ctx, `orders[0].customer * 2`)
	if err != nil {
		fmt.Println(err)
		return
	}
	data, err := value.Decode([]byte(orders))
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = expr.EvalAt(ctx, nil, data)
	var failed *jsonata.Error
	if errors.As(err, &failed) {
		fmt.Println(failed.Code, failed.Offset, failed)
	}
	// Output: T2001 19 the left side of an arithmetic operator is not a number
}

// References are the paths that an expression reads.
func ExampleExpression_References() {
	expr, err := jsonata.Compile(context.Background(), `orders[total > limits.most].customer & $vars.suffix`)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range expr.References() {
		fmt.Println(r.Offset, r.Path)
	}
	for _, v := range expr.Variables() {
		fmt.Println(v.Offset, "$"+v.Name, v.Path)
	}
	// Output:
	// 0 [orders customer]
	// 39 $vars [suffix]
}
