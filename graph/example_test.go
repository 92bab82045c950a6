package graph_test

import (
	"context"
	"errors"
	"fmt"

	"toolgraph/config"
	"toolgraph/graph"
)

const rain = `version: "1.0"
server: {name: weather, version: 1.0.0}
mcpServers: {weather: {command: weather-server}}
tools:
  - name: umbrella
    description: Says whether to take an umbrella.
    inputSchema: {type: object, properties: {city: {type: string}}, required: [city]}
    nodes:
      - {id: entry, type: entry, next: forecast}
      - {id: forecast, type: mcp, server: weather, tool: forecast, args: {city: {expr: $.entry.city}}, next: advice}
      - {id: advice, type: transform, transform: {expr: '{"take": $.forecast.rain > 0.3}'}, next: exit}
      - {id: exit, type: exit}
`

// Build compiles every tool of a file. A Graph says what it calls, and can be drawn.
func ExampleBuild() {
	file, err := config.Parse("graph.yaml", []byte(rain), config.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	graphs, found, err := graph.Build(context.Background(), file)
	if err := errors.Join(err, found.Err()); err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range graphs[0].Calls() {
		fmt.Println("calls", c.Server, c.Tool)
	}
	fmt.Print(graph.Mermaid(graphs[0]))
	// Output:
	// calls weather forecast
	// flowchart TD
	//     n0(["entry"])
	//     n1[["forecast<br/>weather.forecast"]]
	//     n2["advice<br/>{#34;take#34;: $.forecast.rain #62; 0.3}"]
	//     n3(["exit"])
	//     n0 --> n1
	//     n1 --> n2
	//     n2 --> n3
}
