// Command toolgraph turns a YAML file into MCP tools.
package main

import (
	"os"

	"toolgraph/internal/cli"
)

func main() {
	os.Exit(cli.Main())
}
