package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/internal/project"
	"toolgraph/internal/wording"
)

// notGraphs are the endings of YAML files beside graph files that check skips.
var notGraphs = map[string]string{".test.yaml": "test file", ".lock.yaml": "lock file"}

// unnamedInput is what standard input is called where no --stdin-path says it.
const unnamedInput = "<stdin>"

// checked is one graph file to check; src are its bytes when they came from standard
// input, else nil.
type checked struct {
	path string
	src  []byte
}

// load loads the file, or the bytes in its place.
func (c checked) load(ctx context.Context, opts config.Options) (*project.Project, error) {
	if c.src == nil {
		return project.Load(ctx, c.path, opts)
	}
	return project.Parse(ctx, c.path, c.src, opts)
}

// files are the files that the paths of the command line stand for, - among them. The
// second value is the summary of those that are skipped, empty when none is.
func (f *checkFlags) files(ctx context.Context, std streams, paths []string) ([]checked, string, error) {
	if err := f.checkInput(paths); err != nil {
		return nil, "", err
	}
	var files []checked
	named := slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return path == "-" })
	if len(named) < len(paths) {
		if isTerminal(std.in) {
			fmt.Fprintln(std.err, "toolgraph: reading the graph file from standard input")
		}
		src, err := readInput(ctx, std.in, config.MaxFileBytes+1) // one more: a longer file is a finding
		if err != nil {
			return nil, "", err
		}
		files = append(files, checked{path: f.stdinPath, src: append([]byte{}, src...)})
	}
	found, err := project.Find(ctx, notGraphs, named...)
	if err != nil {
		return nil, "", err
	}
	for _, path := range found.Files {
		files = append(files, checked{path: path})
	}
	for _, s := range found.Skipped {
		if f.verbose {
			fmt.Fprintf(std.err, "skipped %s: %s\n", wording.Printable(s.Path), s.Why)
		}
	}
	if len(files) == 0 {
		return nil, "", noGraphFiles(named, found)
	}
	if len(found.Skipped) == 0 {
		return files, "", nil
	}
	return files, fmt.Sprintf("; skipped %s (%s)", wording.Count(len(found.Skipped), "YAML file"), found.Why()), nil
}

// checkInput checks what the command line says of standard input.
func (f *checkFlags) checkInput(paths []string) error {
	reads := 0
	for _, path := range paths {
		if path == "-" {
			reads++
		}
	}
	switch {
	case reads > 1:
		return usagef("- is given %d times, and there is one standard input", reads)
	case reads == 0 && f.stdinPath != "":
		return usagef("--stdin-path is given without -: write toolgraph check - --stdin-path %s", shellWord(f.stdinPath))
	case f.stdinPath == "":
		f.stdinPath = unnamedInput
	}
	return nil
}

// noGraphFiles is the error of a command line that names no graph file.
func noGraphFiles(paths []string, found *project.Found) error {
	if len(paths) == 1 && len(found.Skipped) == 1 && filepath.Clean(found.Skipped[0].Path) == filepath.Clean(paths[0]) {
		path, what := paths[0], found.Skipped[0].Why
		if what == notGraphs[".test.yaml"] {
			return usagef("%s is a %s, expected a graph file; to run the tests: toolgraph test %s", path, what, shellWord(path))
		}
		return usagef("%s is a %s, expected a graph file", path, what)
	}
	where, skipped := strings.Join(paths, ", "), ""
	if len(found.Skipped) > 0 {
		skipped = fmt.Sprintf("; skipped %s (%s), -v lists them", wording.Count(len(found.Skipped), "YAML file"), found.Why())
	}
	return usagef("no graph file in %s: expected *.yaml or *.yml files with server and tools%s", where, skipped)
}
