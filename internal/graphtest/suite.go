package graphtest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"toolgraph/config"
)

// The endings of the files that belong to a graph file X.yaml.
const (
	testEnding     = ".test.yaml"
	cassetteEnding = ".cassette.json"
)

// Suite is one test file. It is not changed after Load.
type Suite struct {
	Path    string // as given to Load
	Graph   string // path of the graph file
	Servers string // path of a file with more servers, or ""
	Mocks   []*Mock
	Cases   []*Case
}

// Option changes how a test file is read.
type Option func(*reader)

// WithDrafts lets cases expect nothing, so that what they give can be written into
// them.
func WithDrafts() Option { return func(r *reader) { r.drafts = true } }

// WithGraph sets the path of the graph file for a test file that names none.
func WithGraph(path string) Option { return func(r *reader) { r.graph = path } }

// Load reads a test file. The error is config.Diagnostics when the file has mistakes; the
// suite comes with them, as far as it was understood.
func Load(path string, opts ...Option) (*Suite, error) {
	src, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, src, opts...)
}

// Parse is Load for bytes in hand; path is what they are called, and what the paths
// in them are relative to.
func Parse(path string, src []byte, opts ...Option) (*Suite, error) {
	data, err := config.ParseData(path, src)
	if data == nil {
		return nil, err
	}
	r := &reader{graph: graphBeside(path)}
	errors.As(err, &r.found)
	for _, o := range opts {
		o(r)
	}
	s := r.suite(path, data)
	r.found.Sort()
	return s, r.found.Err()
}

// maxTestFile is the most that a test file may have, in bytes: as much as a graph file.
const maxTestFile = 1 << 20

func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	var found config.Diagnostics
	if !info.Mode().IsRegular() {
		found.Add(config.Pos{File: path}, "not-a-regular-file", "this is no regular file, expected a file of tests", "name the test file itself")
		return nil, found
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, maxTestFile+1))
	if err == nil && len(src) > maxTestFile {
		found.Add(config.Pos{File: path}, "file-too-large", "the file is larger than 1 MiB", "split it into several files, with graph: in each")
		return nil, found
	}
	return src, err
}

// graphBeside is the graph file that a test file belongs to by its name.
func graphBeside(path string) string {
	if name, ok := strings.CutSuffix(path, testEnding); ok {
		return name + ".yaml"
	}
	return ""
}

// Cassette is the path of the suite's cassette: beside the test file, by its name.
func (s *Suite) Cassette() string {
	name, ok := strings.CutSuffix(s.Path, testEnding)
	if !ok {
		name = strings.TrimSuffix(s.Path, filepath.Ext(s.Path))
	}
	return name + cassetteEnding
}

// Find is the test files that paths name: files as they are, directories with all
// that is below them, in the order given and without repetitions. Directories whose
// names begin with a dot, and node_modules, are left out.
func Find(paths ...string) ([]string, error) {
	var found []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: %w, expected a test file, a graph file or a directory", path, fs.ErrNotExist)
		}
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			file, err := testFile(path)
			if err != nil {
				return nil, err
			}
			found = append(found, file)
			continue
		}
		below, err := walk(path)
		if err != nil {
			return nil, err
		}
		if len(below) == 0 {
			return nil, fmt.Errorf("%s has no test file, expected files *%s in it or below", path, testEnding)
		}
		found = append(found, below...)
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

// testFile is the test file of a graph file, when that is what was named; else the file
// itself.
func testFile(path string) (string, error) {
	ext := filepath.Ext(path)
	if strings.HasSuffix(path, testEnding) || ext != ".yaml" && ext != ".yml" {
		return path, nil
	}
	beside := strings.TrimSuffix(path, ext) + testEnding
	if _, err := os.Stat(beside); err == nil {
		return beside, nil
	}
	if isGraph(path) {
		return "", fmt.Errorf("%s is a graph file without tests: they belong into %s, which is not there", path, beside)
	}
	return path, nil
}

// isGraph tells a graph file from one of tests. Of a file that cannot be read Load tells
// why.
func isGraph(path string) bool {
	src, err := config.ReadFile(path)
	if err != nil {
		return false
	}
	root, err := config.ParseData(path, src)
	return err == nil && root.Get("tools") != nil && root.Get("tests") == nil
}

func walk(root string) ([]string, error) {
	var found []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case errors.Is(err, fs.ErrPermission) && path != root:
			return fs.SkipDir
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "node_modules"):
			return fs.SkipDir
		case !d.IsDir() && strings.HasSuffix(name, testEnding):
			found = append(found, path)
		}
		return nil
	})
	return found, err
}

// Files are the files that the cases read beside the test file, whether they are there
// or not: the graph file, that of more servers, the cassettes.
func (s *Suite) Files() []string {
	files := []string{s.Graph, s.Cassette()}
	if s.Servers != "" {
		files = append(files, s.Servers)
	}
	for _, c := range s.Cases {
		if c.Cassette != "" {
			files = append(files, c.Cassette)
		}
	}
	return files
}
