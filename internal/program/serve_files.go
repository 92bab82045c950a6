package program

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"toolgraph/internal/base/wording"
	"toolgraph/internal/project"
	"toolgraph/internal/runtime"
)

// serveFiles gives a process its graph files: one, or several, or those of directories as they are each time. Without files
// it has that of -g.
func serveFiles(o *runtime.Options, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	for _, path := range paths {
		if isDirectory(path) {
			o.Directories = append(o.Directories, path)
		}
	}
	if len(paths) == 1 && len(o.Directories) == 0 {
		o.Graph = paths[0]
		return nil
	}
	o.Graphs = func() ([]runtime.GraphFile, error) { return graphFiles(paths) }
	_, err := GraphFiles(paths)
	return err
}

// GraphFiles returns the graph files of paths, at least one. The only one of a path that is a file has no name.
func GraphFiles(paths []string) ([]runtime.GraphFile, error) {
	if len(paths) == 1 && !isDirectory(paths[0]) {
		return []runtime.GraphFile{{Path: paths[0]}}, nil
	}
	files, err := graphFiles(paths)
	if err == nil && len(files) == 0 {
		err = Usagef("%s has no graph file; a graph file ends in .yaml or .yml and has the keys version, server and tools", strings.Join(paths, ", "))
	}
	return files, err
}

// graphFiles returns the graph files of paths, with their names: the path below its directory without the ending.
func graphFiles(paths []string) (all []runtime.GraphFile, err error) {
	byName := map[string]string{}
	for _, path := range paths {
		found, err := project.Find(context.Background(), project.NotGraphs, path)
		if err != nil {
			return nil, err
		}
		base := filepath.Dir(path)
		if isDirectory(path) {
			base = path
		}
		for _, file := range found.Files {
			name, err := nameOf(base, file)
			switch other, taken := byName[name]; {
			case err != nil:
				return nil, err
			case taken && other != file:
				return nil, Usagef("%s and %s would both be served at /%s/mcp; rename one of them", other, file, name)
			case taken:
				continue
			}
			byName[name] = file
			all = append(all, runtime.GraphFile{Name: name, Path: file})
		}
	}
	return all, nil
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// nameOf returns the name of a file below a directory.
func nameOf(base, file string) (string, error) {
	below, err := filepath.Rel(base, file)
	if err != nil {
		return "", err
	}
	name := filepath.ToSlash(strings.TrimSuffix(below, filepath.Ext(below)))
	for _, c := range name {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && !strings.ContainsRune("-_./", c) {
			return "", Usagef("%s has %s in its name, and its name is a part of the path at which it is served; expected letters, digits, -, _ and .", wording.Quote(file), wording.Quote(string(c)))
		}
	}
	return name, nil
}
