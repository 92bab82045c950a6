// Command embedding runs one tool of a graph file: embedding FILE TOOL ARGUMENTS.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/mcpclient"
)

func main() {
	if err := run(context.Background(), os.Args[1], os.Args[2], os.Args[3]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, path, tool, arguments string) error {
	file, err := config.Load(path, config.Options{})
	if err != nil {
		return err
	}
	graphs, found, err := graph.Build(ctx, file)
	if err := errors.Join(err, found.Err()); err != nil {
		return err
	}
	pool := mcpclient.NewPool(file.Servers) // starts each server at its first call
	defer pool.Close()                      // and ends all of them

	args, err := value.Decode([]byte(arguments))
	if err != nil {
		return err
	}
	for _, g := range graphs {
		if g.Tool.Name.Value == tool {
			result, err := execution.New(pool).Run(ctx, g, args)
			if err != nil {
				return err
			}
			out, err := value.Encode(result.Value)
			fmt.Println(string(out))
			return err
		}
	}
	return fmt.Errorf("%s has no tool %q", path, tool)
}
