package graphtest

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/graph"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/project"
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

// WithDrafts allows cases without an expectation, so that Report.Update can write it.
func WithDrafts() Option { return func(r *reader) { r.drafts = true } }

// WithGraph sets the path of the graph file for a test file that names none.
func WithGraph(path string) Option { return func(r *reader) { r.graph = path } }

// Load reads a test file of at most 1 MiB. The error is config.Diagnostics when the file has
// errors; the suite comes with them, as far as it was understood.
func Load(path string, opts ...Option) (*Suite, error) {
	src, err := config.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, src, opts...)
}

// Parse is Load for bytes that were read before; path is their name, to which paths in them
// are relative.
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

// graphBeside returns the graph file that a test file belongs to by its name, or "".
func graphBeside(path string) string {
	if name, ok := strings.CutSuffix(path, config.TestEnding); ok {
		return name + ".yaml"
	}
	return ""
}

// Cassette returns the path of the suite's cassette: beside the test file, by its name.
func (s *Suite) Cassette() string {
	name, ok := strings.CutSuffix(s.Path, config.TestEnding)
	if !ok {
		name = strings.TrimSuffix(s.Path, filepath.Ext(s.Path))
	}
	return name + config.CassetteEnding
}

// Find returns the test files that paths name, sorted and without repetitions: a file itself,
// for a graph file the test file beside it, for a directory every test file below it.
// Directories whose names begin with a dot, and node_modules, are skipped.
func Find(paths ...string) ([]string, error) {
	var found []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: %w; name a test file, a graph file or a directory", path, fs.ErrNotExist)
		}
		if err != nil {
			return nil, err
		}
		below := []string{path}
		if info.IsDir() {
			if below, err = walk(path); err == nil && len(below) == 0 {
				err = fmt.Errorf("%s has no test file, expected files *%s in it or below", path, config.TestEnding)
			}
		} else {
			below[0], err = testFile(path)
		}
		if err != nil {
			return nil, err
		}
		found = append(found, below...)
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

// testFile returns the test file beside a graph file; any other file itself.
func testFile(path string) (string, error) {
	ext := filepath.Ext(path)
	if strings.HasSuffix(path, config.TestEnding) || ext != ".yaml" && ext != ".yml" {
		return path, nil
	}
	beside := strings.TrimSuffix(path, ext) + config.TestEnding
	if _, err := os.Stat(beside); err == nil {
		return beside, nil
	}
	if isGraph(path) {
		return "", fmt.Errorf("%s is a graph file without tests; write them into %s", path, beside)
	}
	return path, nil
}

// isGraph reports whether a file is a graph file. Load reports why one cannot be read.
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
		case !d.IsDir() && strings.HasSuffix(name, config.TestEnding):
			found = append(found, path)
		}
		return nil
	})
	return found, err
}

// Files returns the files that the cases read besides the test file, whether they exist or
// not: the graph file and its imports, the file of more servers, the cassettes.
func (s *Suite) Files() []string {
	files := append(config.Sources(s.Graph), s.Cassette())
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

// suiteKeys are the keys of a test file; schema.json describes the same.
var suiteKeys = []string{"graph", "servers", "mocks", "tests"}

// suite reads a whole file.
func (r *reader) suite(path string, data *config.Data) *Suite {
	s := &Suite{Path: path, Graph: r.graph}
	const who = "a test file"
	if !r.object(data, who, suiteKeys...) {
		return s
	}
	if graph := r.text(data, "graph", who); graph.Value != "" {
		s.Graph = relativeTo(path, graph.Value)
	}
	if servers := r.text(data, "servers", who); servers.Value != "" {
		s.Servers = relativeTo(path, servers.Value)
	}
	if s.Graph == "" {
		r.bad(data.Pos, "the file names no graph file", "write graph: PATH, or name the file like its graph: X"+config.TestEnding+" belongs to X.yaml")
	}
	s.Mocks = r.mocks(data.Get("mocks"))
	tests := r.list(data, "tests", who, "a list")
	if len(tests) == 0 {
		r.bad(data.Pos, "found no tests, expected at least one", "write tests: [{name: …, tool: …, args: {…}, expect: {…}}]")
	}
	seen := map[string]config.Pos{}
	for _, item := range tests {
		for _, c := range r.cases(path, item) {
			if first, again := seen[c.Name]; again && c.Name != "" {
				r.bad(c.Pos, fmt.Sprintf("duplicate name %q (first used on line %d)", c.Name, first.Line), "give each test a name of its own")
			}
			seen[c.Name] = c.Pos
			s.Cases = append(s.Cases, c)
		}
	}
	return s
}

// relativeTo returns a path that is relative to the file at path.
func relativeTo(path, named string) string {
	if filepath.IsAbs(named) {
		return named
	}
	return filepath.Join(filepath.Dir(path), filepath.FromSlash(named))
}

//go:embed schema.json
var schemaText []byte

// Schema returns the JSON Schema (draft 2020-12) of test files, for editors. The caller may
// change it.
func Schema() []byte { return bytes.Clone(schemaText) }

// Check reports the names in the test file that its graph file does not have: a case with such
// a name tests nothing. Sorted.
func (s *Suite) Check(p *project.Project) config.Diagnostics {
	var found config.Diagnostics
	calls := map[string]bool{} // that a mock of the file may answer
	tools := map[string]bool{}
	graphs := map[string]*graph.Graph{}
	for _, g := range p.Graphs {
		_, own := namesIn(g)
		maps.Copy(calls, own)
		graphs[g.Tool.Name.Value] = g
		tools[g.Tool.Name.Value] = true
	}
	unknown := func(name string, pos config.Pos, owner, what string, known map[string]bool) {
		addUnknown(&found, name, pos, owner, what, known)
	}
	for _, m := range s.Mocks {
		unknown(m.Name.Value, m.Name.Pos, s.Graph, callable, calls)
	}
	for _, c := range s.Cases {
		g := graphs[c.Tool.Value]
		if g == nil {
			unknown(c.Tool.Value, c.Tool.Pos, s.Graph, "tool", tools)
			continue
		}
		owner := fmt.Sprintf("tool %q", c.Tool.Value)
		nodes, calls := namesIn(g)
		for _, m := range c.Mocks {
			unknown(m.Name.Value, m.Name.Pos, owner, callable, calls)
		}
		for _, id := range c.Expect.nodes() {
			unknown(id.Value, id.Pos, owner, "node", nodes)
		}
		if g.Steps() != nil && c.Expect.Path != nil {
			found.Add(c.Expect.at("path"), "unknown-test-name", owner+" is written as steps, which have no path", "expect executions: {STEP: 1}, nodes or calls")
			continue
		}
		own := map[string]bool{ellipsis: true}
		for _, node := range g.Nodes {
			own[node.ID()] = true
		}
		for i, id := range c.Expect.Path {
			unknown(id, c.Expect.at("path", i), owner, "node", own)
		}
	}
	found.Sort()
	return found
}

// addUnknown reports a name that is not known.
func addUnknown(found *config.Diagnostics, name string, pos config.Pos, owner, what string, known map[string]bool) {
	if name != "" && !known[name] {
		near := wording.Nearest(name, slices.Sorted(maps.Keys(known)))
		found.Add(pos, "unknown-test-name", fmt.Sprintf("%s has no %s %q", owner, what, name), cmp.Or(wording.Meant(near), "write a name that the graph file has")).
			Fixed(config.ReplaceAt(pos, near))
	}
}

// nodes returns the names of nodes in the expectation but for its path, with their places.
func (e *Expect) nodes() []config.Text {
	all := slices.Clone(e.Nothing)
	for _, n := range e.Nodes {
		all = append(all, n.Node)
	}
	for _, n := range e.Executions {
		all = append(all, n.Node)
	}
	for _, call := range e.Calls {
		all = append(all, config.Text{Value: call.Node, Pos: call.Pos})
	}
	return all
}

// callable is what the name of a mock means.
const callable = "mcp node, graph node, ask node or server.tool"
