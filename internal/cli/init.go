package cli

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/internal/base/files"
	"toolgraph/internal/program"
)

//go:embed starter.yaml
var starter []byte

// schemaFile is the schema that the first line of the starter names.
const schemaFile = "toolgraph.schema.json"

func newInit(std program.Streams) *cobra.Command {
	return program.TakesGraphs(&cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a commented graph file to start from, and its schema for editors",
		Long: `Write a commented graph file that runs without changes, and beside it the JSON Schema that
its first line names, so that an editor completes and checks it. A missing directory is
created; an existing file is never overwritten.`,
		Example: `  toolgraph init
  toolgraph init tools/notes.yaml`,
		Args: program.Args(0, 1, "at most one file name"), SuggestFor: []string{"new", "create"},
		RunE: func(_ *cobra.Command, args []string) error {
			path := "graph.yaml"
			if len(args) == 1 {
				path = args[0]
			}
			if err := createGraph(path); err != nil {
				return err
			}
			schema := filepath.Join(filepath.Dir(path), schemaFile)
			wrote := path + " and " + schema
			err := createFile(schema, config.Schema())
			switch {
			case errors.Is(err, fs.ErrExist):
				wrote = path + " (" + schema + " already exists)"
			case err != nil:
				return err
			}
			fmt.Fprintf(std.Err, "wrote %s; try: toolgraph run %s find_large_files directory=.\n", wrote, program.ShellWord(path))
			return nil
		},
	})
}

// createGraph writes the starter, and creates its directory when it is missing.
func createGraph(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a directory; name a file in it: toolgraph init %s", path, program.ShellWord(filepath.Join(path, "graph.yaml")))
	}
	directory := filepath.Dir(path)
	err := os.MkdirAll(directory, 0o755) //nolint:gosec // the mode of mkdir: the content is not secret
	if err == nil {
		err = createFile(path, startingAt(path))
	} else if inTheWay := new(fs.PathError); errors.As(err, &inTheWay) && errors.Is(err, syscall.ENOTDIR) {
		return fmt.Errorf("cannot create the directory %s: %s is not a directory; name another directory", directory, inTheWay.Path)
	}
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s already exists; init never overwrites a file", path)
	}
	return err
}

// startingAt returns the starter, with the name of the file in its commands.
func startingAt(path string) []byte {
	return bytes.ReplaceAll(starter, []byte("graph.yaml"), []byte(program.ShellWord(filepath.Base(path))))
}

// followIt is the remedy of a command with --force for a symbolic link.
const followIt = "follow it with --force"

// linkError adds another remedy to the error for a symbolic link that is not followed.
func linkError(err error, remedy string) error {
	var link *files.LinkError
	if !errors.As(err, &link) {
		return err
	}
	return fmt.Errorf("%w, or %s", err, remedy)
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
