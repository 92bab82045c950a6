package tests

import (
	"fmt"
	"strings"
)

// each serves every one of these tools of the fake server as a tool of its own, with
// its arguments handed through; server is the rest of the server's entry.
func each(server string, tools ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "version: \"1.0\"\nserver: {name: test, version: 1.0.0}\nmcpServers: {up: {command: $FAKE%s}}\ntools:\n", server)
	for _, tool := range tools {
		fmt.Fprintf(&b, `- name: %[1]s
  description: calls %[1]s
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: up, tool: %[1]s, next: exit,
     args: {n: {expr: $.entry.n}, ms: {expr: $.entry.ms}, code: {expr: $.entry.code}, message: {expr: $.entry.message}, text: {expr: $.entry.text}}}
  - {id: exit, type: exit}
`, tool)
	}
	return b.String()
}
