package cli

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"toolgraph/config"
)

//go:embed starter.yaml
var starter []byte

// schemaFile is the name that the starter's first line gives the schema.
const schemaFile = "toolgraph.schema.json"

func newInit(std streams) *cobra.Command {
	return &cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a commented graph to start from, and its schema for the editor",
		Long: `Write a commented graph that runs as it is, and beside it the JSON Schema that its first
line names, so that an editor completes and checks it. A file that exists is left
alone.`,
		Args: args(0, 1, "at most one file name"),
		RunE: func(_ *cobra.Command, args []string) error {
			path := "graph.yaml"
			if len(args) == 1 {
				path = args[0]
			}
			if err := createFile(path, starter); err != nil {
				return err
			}
			schema := filepath.Join(filepath.Dir(path), schemaFile)
			wrote := path + " and " + schema
			err := createFile(schema, config.Schema())
			switch {
			case errors.Is(err, fs.ErrExist):
				wrote = path + " (and left " + schema + " as it was)"
			case err != nil:
				return err
			}
			fmt.Fprintf(std.err, "wrote %s; try: toolgraph run %s find_large_files directory=.\n", wrote, path)
			return nil
		},
	}
}

// createFile writes a file that must not exist yet.
func createFile(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}
