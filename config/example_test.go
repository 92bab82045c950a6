package config_test

import (
	"errors"
	"fmt"

	"toolgraph/config"
)

// A file is read as a whole, and all of its errors are reported at once, each with its place.
func ExampleParse() {
	file, err := config.Parse("graph.yaml", []byte(`version: "1.0"
server: {name: greeter, version: 1.0.0}
tools:
  - name: greet
    description: Greets someone by name.
    inputSchema: {type: object, properties: {name: {type: string}}, required: [name]}
    nodes:
      - {id: entry, type: entry, next: greeting}
      - {id: greeting, type: transform, transform: {expr: '"Hello, " & $.entry.name'}, next: exit}
      - {id: exit, type: exit}
`), config.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, tool := range file.Tools {
		fmt.Printf("%s: %s (%d nodes, %s)\n", tool.Name.Value, tool.Description.Value, len(tool.Nodes), tool.Name.Pos)
	}
	// Output:
	// greet: Greets someone by name. (3 nodes, graph.yaml:4:11)
}

// The errors of a file are Diagnostics: a place, a code that is explained in docs/diagnostics.md, a message and a hint.
func ExampleDiagnostics() {
	_, err := config.Parse("graph.yaml", []byte(`version: "1.0"
server: {name: greeter, version: 1.0.0}
tools:
  - name: greet
    desc: Greets someone by name.
    inputSchema: {type: object}
    nodes:
      - {id: entry, type: entry, nxt: exit}
      - {id: exit, type: exit}
`), config.Options{})
	var found config.Diagnostics
	if errors.As(err, &found) {
		for _, d := range found {
			fmt.Println(d.Pos, d.Severity, d.Code, "-", d.Hint)
		}
	}
	// Output:
	// graph.yaml:5:5 error unknown-key - did you mean "description"?
	// graph.yaml:8:34 error unknown-key - did you mean "next"?
}
