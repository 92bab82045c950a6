package names

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"toolgraph/config"
)

// Files are the files that Gather may look at.
type Files struct {
	Read func(path string) (text []byte, ok bool) // the text of a file, as the editor has it; not ok when there is none
	List func(directory string) []string          // the names of the files in a directory
}

// mostFiles bounds how many files Gather reads.
const mostFiles = 500

// Gather returns the files that the names of a file concern, itself included: its graph file, the
// imports of that, the graph files in its directory that import one of these, and the test files,
// cassettes and locks beside all of them. A file that may be one of these and cannot be read is a source
// without names.
func Gather(path string, files Files) []Source {
	g := gatherer{Files: files, read: map[string]*file{}}
	path = filepath.Clean(path)
	f := g.file(path)
	if f == nil {
		return nil
	}
	g.graph(graphPath(f), 0)
	for more := true; more; {
		more = false
		for _, other := range g.siblings(path) {
			if f := g.file(other); f != nil && !slices.Contains(g.found, other) && g.importsAny(f) {
				g.graph(other, 0)
				more = true
			}
		}
	}
	if !slices.Contains(g.found, path) {
		g.found = append(g.found, path)
	}
	var sources []Source
	for _, path := range g.found {
		sources = append(sources, Source{Path: path, Text: g.read[path].src})
	}
	if g.over != "" {
		sources = append(sources, Source{Path: g.over})
	}
	return sources
}

type gatherer struct {
	Files
	read  map[string]*file // nil for one that cannot be read
	found []string
	over  string // a file that was not read, because there are too many
}

// file returns a file with its content; nil when there is none.
func (g *gatherer) file(path string) *file {
	if f, known := g.read[path]; known {
		return f
	}
	g.read[path] = nil
	if len(g.read) > mostFiles {
		g.over = path
		return nil
	}
	text, ok := g.Read(path)
	if !ok {
		return nil
	}
	f := &file{path: path, src: text}
	if !strings.HasSuffix(path, config.CassetteEnding) {
		f.root, _ = config.ParseWritten(path, text)
	}
	g.read[path] = f
	return f
}

// add adds a file that exists.
func (g *gatherer) add(path string) *file {
	f := g.file(path)
	if f != nil && !slices.Contains(g.found, path) {
		g.found = append(g.found, path)
	}
	return f
}

// graphPath returns the path of the graph file that a file belongs to, or is.
func graphPath(f *file) string {
	for _, ending := range []string{config.CassetteEnding, config.LockEnding} {
		if name, ok := strings.CutSuffix(f.path, ending); ok {
			return name + ".yaml"
		}
	}
	name, isTest := strings.CutSuffix(f.path, config.TestEnding)
	if graph := word(f.root, "graph"); graph != "" && f.root.Get("tools") == nil {
		return besides(f.path, graph)
	}
	if isTest {
		return name + ".yaml"
	}
	return f.path
}

// siblings returns the graph and test files in the directory of a file.
func (g *gatherer) siblings(path string) []string {
	dir := filepath.Dir(path)
	var paths []string
	for _, name := range g.List(dir) {
		if ext := filepath.Ext(name); (ext == ".yaml" || ext == ".yml") && !strings.HasSuffix(name, config.LockEnding) {
			paths = append(paths, filepath.Join(dir, name))
		}
	}
	return paths
}

// graph adds a graph file with what belongs to it, and its imports.
func (g *gatherer) graph(path string, depth int) {
	if slices.Contains(g.found, path) || depth > deepest {
		return
	}
	f := g.add(path)
	if f == nil {
		return
	}
	base := strings.TrimSuffix(path, filepath.Ext(path))
	for _, ending := range []string{config.LockEnding, config.CassetteEnding} {
		g.add(base + ending)
	}
	for _, other := range append(g.siblings(path), base+config.TestEnding) {
		if test := g.file(other); test != nil && other != path && isTest(test) && graphPath(test) == path {
			g.test(test)
		}
	}
	each(f.root.Get("imports"), func(_ config.Text, of *config.Data) {
		if of.Text.Value != "" {
			g.graph(besides(path, of.Text.Value), depth+1)
		}
	})
}

// test adds a test file and its cassettes.
func (g *gatherer) test(f *file) {
	g.add(f.path)
	if name, ok := strings.CutSuffix(f.path, config.TestEnding); ok {
		g.add(name + config.CassetteEnding)
	}
	for _, test := range items(f.root.Get("tests")) {
		if cassette := word(test, "cassette"); cassette != "" {
			g.add(besides(f.path, cassette))
		}
	}
}

// importsAny reports whether a graph file imports one that was found; of one that is no YAML at the moment,
// whether it may.
func (g *gatherer) importsAny(f *file) bool {
	if f.root == nil {
		return bytes.Contains(f.src, []byte("imports")) && slices.ContainsFunc(g.found, func(path string) bool {
			return bytes.Contains(f.src, []byte(filepath.Base(path)))
		})
	}
	imports := false
	each(f.root.Get("imports"), func(_ config.Text, of *config.Data) {
		imports = imports || slices.Contains(g.found, besides(f.path, of.Text.Value))
	})
	return imports
}
