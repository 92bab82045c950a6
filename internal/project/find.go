package project

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"toolgraph/config"
)

// Found has the graph files that paths name.
type Found struct {
	Files   []string // in the order of the paths, those of a directory sorted; none twice
	Skipped []Skipped
}

// Skipped is a YAML file that is not a graph file, or a directory that cannot be read, and
// the reason.
type Skipped struct{ Path, Why string }

// NotGraphs are the endings of YAML files beside graph files, which Find skips, and what these files are.
var NotGraphs = map[string]string{config.TestEnding: "test file", config.LockEnding: "lock file"}

// mostEntries bounds how many entries of directories one search looks at.
const mostEntries = 200_000

// Find returns the graph files that paths name: files, and directories with files below
// them. Files whose names have one of the endings in others are skipped; its values say
// what they are. Below a directory, YAML files that do not look like graph files are
// skipped too; hidden directories and node_modules are not entered, and symbolic links to
// directories are not followed. The error names a path that cannot be read, or is the
// cause of ctx's end.
func Find(ctx context.Context, others map[string]string, paths ...string) (*Found, error) {
	f := &finder{others: others, most: mostEntries, seen: map[string]bool{}}
	if err := f.find(ctx, paths); err != nil {
		return nil, err
	}
	return &f.found, nil
}

// finder is one search.
type finder struct {
	others  map[string]string
	most    int // entries of directories
	found   Found
	seen    map[string]bool
	entries int
}

func (f *finder) find(ctx context.Context, paths []string) error {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || !info.IsDir() { // an error of a file is reported when it is loaded
			f.add(path, f.otherFile(path))
			continue
		}
		root := path + string(filepath.Separator) // a named link to a directory is followed
		if err := filepath.WalkDir(root, func(below string, entry fs.DirEntry, err error) error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return f.visit(root, below, entry, err)
		}); err != nil {
			return err
		}
	}
	return nil
}

func (f *finder) visit(root, path string, entry fs.DirEntry, err error) error {
	name := entry.Name()
	if f.entries++; f.entries > f.most {
		return fmt.Errorf("%s has more than %d files and directories; name the directories with graph files in it", root, f.most)
	}
	switch {
	case errors.Is(err, fs.ErrPermission) && path != root:
		f.add(path, "cannot be read")
		return fs.SkipDir
	case err != nil:
		return err
	case entry.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "node_modules"):
		return fs.SkipDir
	case !entry.IsDir() && (strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")):
		f.add(path, f.notGraph(path))
	}
	return nil
}

// add adds a path once: to the files, or to the skipped ones with the reason.
func (f *finder) add(path, why string) {
	clean := filepath.Clean(path)
	switch {
	case f.seen[clean]:
	case why == "":
		f.found.Files = append(f.found.Files, path)
	default:
		f.found.Skipped = append(f.found.Skipped, Skipped{Path: path, Why: why})
	}
	f.seen[clean] = true
}

// otherFile returns the kind of a file with one of the endings in others, else "".
func (f *finder) otherFile(path string) string {
	for ending, what := range f.others {
		if strings.HasSuffix(path, ending) {
			return what
		}
	}
	return ""
}

// notGraph returns the reason why a YAML file below a directory is not a graph file, "" for
// one that may be. A file that cannot be read may be one: its error is reported when it is
// loaded.
func (f *finder) notGraph(path string) string {
	if other := f.otherFile(path); other != "" {
		return other
	}
	if info, err := os.Stat(path); err != nil && errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return "not a file"
	}
	src, err := config.ReadFile(path)
	var found config.Diagnostics
	switch {
	case errors.As(err, &found):
		return "larger than 1 MiB"
	case err == nil && !config.LooksLikeGraph(src):
		return "not a graph file"
	}
	return ""
}

// Why counts the skipped files by the reason: "lock file: 1, test file: 2".
func (f *Found) Why() string {
	counts := map[string]int{}
	for _, s := range f.Skipped {
		counts[s.Why]++
	}
	var parts []string
	for why, n := range counts {
		parts = append(parts, fmt.Sprintf("%s: %d", why, n))
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}
