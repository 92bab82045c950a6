package execution_test

import (
	"context"
	"errors"
	"fmt"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

const umbrella = `version: "1.0"
server: {name: weather, version: 1.0.0}
mcpServers: {weather: {command: weather-server}}
tools:
  - name: umbrella
    description: Says whether to take an umbrella.
    inputSchema: {type: object, properties: {city: {type: string}}, required: [city]}
    nodes:
      - {id: entry, type: entry, next: forecast}
      - {id: forecast, type: mcp, server: weather, tool: forecast, args: {city: {expr: $.entry.city}}, next: advice}
      - {id: advice, type: transform, transform: {expr: '{"city": $.entry.city, "take": $.forecast.rain > 0.3}'}, next: exit}
      - {id: exit, type: exit}
`

// compiled returns the only graph of a file.
func compiled(ctx context.Context, src string) (*graph.Graph, error) {
	file, err := config.Parse("graph.yaml", []byte(src), config.Options{})
	if err != nil {
		return nil, err
	}
	graphs, found, err := graph.Build(ctx, file)
	if err := errors.Join(err, found.Err()); err != nil {
		return nil, err
	}
	return graphs[0], nil
}

// An engine runs graphs. Here a function answers the calls; a *mcpclient.Pool makes them to real servers.
func Example() {
	ctx := context.Background()
	g, err := compiled(ctx, umbrella)
	if err != nil {
		fmt.Println(err)
		return
	}
	weather := execution.CallerFunc(func(_ context.Context, c execution.Call) (value.Value, error) {
		args, err := value.Encode(c.Args)
		fmt.Printf("node %s calls %s.%s %s\n", c.Node, c.Server, c.Tool, args)
		return value.FromPlain(map[string]any{"rain": 0.7}), err
	})
	result, err := execution.New(weather).Run(ctx, g, map[string]any{"city": "Bergen"})
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := value.Encode(result.Value)
	fmt.Println(string(out), err)
	// Output:
	// node forecast calls weather.forecast {"city":"Bergen"}
	// {"city":"Bergen","take":true} <nil>
}

// An observer gets each event of a run: here the executions that have ended.
func ExampleWithObserver() {
	ctx := context.Background()
	g, err := compiled(ctx, umbrella)
	if err != nil {
		fmt.Println(err)
		return
	}
	dry := execution.CallerFunc(func(context.Context, execution.Call) (value.Value, error) {
		return value.FromPlain(map[string]any{"rain": 0}), nil
	})
	watch := execution.ObserverFunc(func(e execution.Event) {
		if r := e.Record; r != nil {
			fmt.Println(r.At(), r.NodeType, r.NodeID)
		}
	})
	if _, err := execution.New(dry).Run(ctx, g, map[string]any{"city": "Cairo"}, execution.WithObserver(watch)); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0 entry entry
	// 1 mcp forecast
	// 2 transform advice
	// 3 exit exit
}

// Arguments that the inputSchema does not allow start no run; the error describes each problem.
func ExampleEngine_Run_arguments() {
	ctx := context.Background()
	g, err := compiled(ctx, umbrella)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = execution.New(nil).Run(ctx, g, map[string]any{"town": "Bergen"})
	fmt.Println(err)
	// Output: invalid arguments: arguments.city: required, but missing
}
