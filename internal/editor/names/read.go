package names

import (
	"path/filepath"
	"slices"
	"strings"

	"toolgraph/config"
)

// Source is the text of a file.
type Source struct {
	Path string
	Text []byte
}

// file is a file that was read. Other files than graph files belong to one.
type file struct {
	path  string
	src   []byte
	root  *config.Data // nil when the text cannot be read
	older bool
	graph *graphFile
}

// graphFile is what a graph file defines.
type graphFile struct {
	file
	tools   map[string]*tool
	shared  *tool // the nodes in a list of the whole file, in the older language
	servers map[string]*config.Data
	vars    map[string]bool
	imports map[string]string // name to path
}

// tool is a tool of a graph file, with the names of its nodes.
type tool struct {
	name  string
	of    *graphFile
	nodes map[string]*config.Data
	data  *config.Data // the tool itself; nil for shared nodes
}

// Read returns the index of files: graph files, and the tests, cassettes and locks beside them, by
// their paths. A file that cannot be read has no names.
func Read(sources []Source) *Index {
	x := &Index{graphs: map[string]*graphFile{}, texts: map[string][]byte{}, expressions: map[string][]config.Text{}}
	var others []*file
	for _, s := range sources {
		s.Path = filepath.Clean(s.Path)
		if _, again := x.texts[s.Path]; again {
			continue
		}
		x.texts[s.Path] = s.Text
		f := &file{path: s.Path, src: s.Text}
		if strings.HasSuffix(s.Path, config.CassetteEnding) {
			others = append(others, f)
			continue
		}
		if f.root, f.older = config.ParseWritten(s.Path, s.Text); f.root == nil {
			x.unread = append(x.unread, s.Path)
			continue
		}
		if isTest(f) || strings.HasSuffix(s.Path, config.LockEnding) {
			others = append(others, f)
			continue
		}
		x.graphs[s.Path] = declare(f)
	}
	r := reader{Index: x}
	for _, path := range sortedKeys(x.graphs) {
		r.graphFile(x.graphs[path])
	}
	for _, f := range others {
		r.other(f)
	}
	slices.SortFunc(x.all, compareOccurrences)
	x.all = slices.CompactFunc(x.all, func(a, b Occurrence) bool { return compareOccurrences(a, b) == 0 })
	return x
}

func isTest(f *file) bool {
	return strings.HasSuffix(f.path, config.TestEnding) || f.root.Get("tests") != nil && f.root.Get("tools") == nil
}

// declare returns what a graph file defines.
func declare(f *file) *graphFile {
	g := &graphFile{file: *f, tools: map[string]*tool{}, servers: map[string]*config.Data{}, vars: map[string]bool{}, imports: map[string]string{}}
	g.shared = declareNodes("", g, f.root.Get("nodes"))
	for _, t := range items(f.root.Get("tools")) {
		name := word(t, "name")
		nodes := declareNodes(name, g, t.Get("nodes"))
		if t.Get("nodes") == nil && len(g.shared.nodes) > 0 {
			nodes = g.shared
		}
		if name != "" && g.tools[name] == nil {
			if nodes != g.shared {
				nodes.data = t
			}
			g.tools[name] = nodes
		}
	}
	for _, key := range []string{"mcpServers", "servers"} {
		each(f.root.Get(key), func(name config.Text, server *config.Data) { g.servers[name.Value] = server })
	}
	each(f.root.Get("vars"), func(name config.Text, _ *config.Data) { g.vars[name.Value] = true })
	each(f.root.Get("imports"), func(name config.Text, path *config.Data) {
		if path.Text.Value != "" {
			g.imports[name.Value] = besides(f.path, path.Text.Value)
		}
	})
	return g
}

func declareNodes(name string, g *graphFile, list *config.Data) *tool {
	t := &tool{name: name, of: g, nodes: map[string]*config.Data{}}
	for _, n := range items(list) {
		if id := word(n, "id"); id != "" && t.nodes[id] == nil {
			t.nodes[id] = n
		}
	}
	return t
}

// besides returns a path that a file names.
func besides(path, named string) string {
	if filepath.IsAbs(named) {
		return filepath.Clean(named)
	}
	return filepath.Join(filepath.Dir(path), filepath.FromSlash(named))
}

// items returns the items of a list; none of anything else.
func items(d *config.Data) []*config.Data {
	if d == nil || d.Kind != config.KindArray {
		return nil
	}
	return d.Items
}

// each calls f for each key of a mapping.
func each(d *config.Data, f func(key config.Text, value *config.Data)) {
	if d == nil || d.Kind != config.KindObject {
		return
	}
	for i, key := range d.Keys {
		f(key, d.Items[i])
	}
}

// text returns the text under a key; it is not set when there is none.
func text(d *config.Data, key string) config.Text {
	if of := d.Get(key); of != nil {
		return of.Text
	}
	return config.Text{}
}

func word(d *config.Data, key string) string { return text(d, key).Value }
