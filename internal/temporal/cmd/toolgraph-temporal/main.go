// Command toolgraph-temporal makes the runs of graph files on Temporal.
package main

import (
	"os"

	"toolgraph/internal/temporal"
)

func main() { os.Exit(temporal.Main()) }
