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
	"syscall"
	"unicode"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/internal/wording"
)

//go:embed starter.yaml
var starter []byte

// schemaFile is the name that the starter's first line gives the schema.
const schemaFile = "toolgraph.schema.json"

func newInit(std streams) *cobra.Command {
	return takesGraphs(&cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a commented graph to start from, and its schema for the editor",
		Long: `Write a commented graph that runs as it is, and beside it the JSON Schema that its first
line names, so that an editor completes and checks it. The folder is made when it is
missing; a file that exists is never overwritten.`,
		Example: `  toolgraph init
  toolgraph init tools/notes.yaml`,
		Args: args(0, 1, "at most one file name"), SuggestFor: []string{"new", "create"},
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
				wrote = path + " (and left " + schema + " as it was)"
			case err != nil:
				return err
			}
			fmt.Fprintf(std.err, "wrote %s; try: toolgraph run %s find_large_files directory=.\n", wrote, shellWord(path))
			return nil
		},
	})
}

// createGraph writes the starter, in a folder that it makes when it is missing.
func createGraph(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a directory; name a file in it: toolgraph init %s", path, shellWord(filepath.Join(path, "graph.yaml")))
	}
	folder := filepath.Dir(path)
	err := os.MkdirAll(folder, 0o755) //nolint:gosec // as mkdir makes it: what is in it is no secret
	if err == nil {
		err = createFile(path, startingAt(path))
	} else if inTheWay := new(fs.PathError); errors.As(err, &inTheWay) && errors.Is(err, syscall.ENOTDIR) {
		return fmt.Errorf("the folder %s cannot be made: %s is not a directory; name another folder", folder, inTheWay.Path)
	}
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s already exists; init never overwrites a file", path)
	}
	return err
}

// startingAt is the starter, with the file's own name in the commands that it tells.
func startingAt(path string) []byte {
	return bytes.ReplaceAll(starter, []byte("graph.yaml"), []byte(shellWord(filepath.Base(path))))
}

// shellWord is a word as it is typed: in quotes where it has more in it than names do.
func shellWord(word string) string {
	if !strings.ContainsFunc(word, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("'\"`$&|;<>()*?[]#!\\{}~", r) }) {
		return wording.Printable(word)
	}
	return "'" + strings.ReplaceAll(wording.Printable(word), "'", `'\''`) + "'"
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
