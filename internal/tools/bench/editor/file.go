package main

import (
	"fmt"
	"strconv"
	"strings"
)

const tools = 47

// graphFile returns a graph file whose upstream server is the program itself.
func graphFile(binary string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "version: \"1.0\"\nserver: {name: bench, version: 1.0.0}\nexecutionLimits: {maxResultBytes: 50000}\nmcpServers:\n  files:\n    command: %s\n    args: [demo-server, .]\ntools:\n", strconv.Quote(binary))
	for i := range tools {
		fmt.Fprintf(&b, tool, i, i)
	}
	return b.String()
}

// tool is a tool of 43 lines.
const tool = `  - name: digest_%d
    title: Largest files
    description: Lists the largest files of a directory, number %d.
    inputSchema:
      type: object
      properties:
        directory: {type: string, description: where to look}
        most: {type: integer, default: 10}
      required: [directory]
    nodes:
      - id: entry
        type: entry
        next: list
      - id: list
        type: mcp
        server: files
        tool: list_directory
        args:
          path: {expr: $.entry.directory}
        next: count
      - id: count
        type: switch
        conditions:
          - rule: {">": [{var: $.entry.most}, 3]}
            next: largest
        next: names
      - id: largest
        type: transform
        transform:
          expr: |
            {"found": $count($.list.entries), "largest": [$.list.entries^(>size)[[0..$$.entry.most]].{"name": name, "size": size}]}
        next: exit
      - id: names
        type: mcp
        server: files
        tool: read_file
        forEach: {items: $.list.entries}
        args:
          path: {expr: $item.name}
        onError: {value: ""}
        next: exit
      - id: exit
        type: exit
`
