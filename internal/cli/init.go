package cli

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

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
		Example: `  toolgraph init
  toolgraph init tools/notes.yaml`,
		Args: args(0, 1, "at most one file name"),
		RunE: func(_ *cobra.Command, args []string) error {
			path := "graph.yaml"
			if len(args) == 1 {
				path = args[0]
			}
			err := createFile(path, startingAt(path))
			if errors.Is(err, fs.ErrExist) {
				return fmt.Errorf("%s is there already, and init writes over nothing; name a file that is not", path)
			}
			if err != nil {
				return err
			}
			schema := filepath.Join(filepath.Dir(path), schemaFile)
			wrote := path + " and " + schema
			err = createFile(schema, config.Schema())
			switch {
			case errors.Is(err, fs.ErrExist):
				wrote = path + " (and left " + schema + " as it was)"
			case err != nil:
				return err
			}
			fmt.Fprintf(std.err, "wrote %s; try: toolgraph run %s find_large_files directory=.\n", wrote, shellWord(path))
			return nil
		},
	}
}

// startingAt is the starter, with the file's own name in the commands that it tells.
func startingAt(path string) []byte {
	return bytes.ReplaceAll(starter, []byte("graph.yaml"), []byte(shellWord(filepath.Base(path))))
}

// shellWord is a word as it is typed: in quotes where it has more in it than names do.
func shellWord(word string) string {
	if !strings.ContainsFunc(word, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("'\"`$&|;<>()*?[]#!\\{}~", r) }) {
		return printable(word)
	}
	return "'" + strings.ReplaceAll(printable(word), "'", `'\''`) + "'"
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
