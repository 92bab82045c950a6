package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"toolgraph/internal/base/wording"
)

// The bounds of imports. A file that is imported twice counts twice.
const (
	mostImports    = 64
	deepestImports = 8
)

var (
	importName = wording.Pattern(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`)
	importsKey = key{name: "imports", common: true, doc: "Graph files whose tools the graphs of this file call as NAME.TOOL: their paths, relative to this file, by name.", value: value{
		"type": "object", "propertyNames": value{"pattern": "^[A-Za-z_][A-Za-z0-9_-]{0,63}$"},
		"additionalProperties": textValue("./text-tools.yaml"),
	}}
)

// imports decodes the names and paths of imports.
func (d *decoder) imports(file *fields) []*Import {
	it := file.get("imports")
	if it.isNull() {
		return nil
	}
	if it.kind != itemMapping {
		file.wrong("imports", "a mapping of names to paths", "write imports: {NAME: ./FILE.yaml}")
		return nil
	}
	var all []*Import
	for i, name := range it.keys {
		of := it.items[i]
		switch path := of.word(); {
		case !importName().MatchString(name.Value):
			d.found.Add(name.Pos, "bad-import-name", fmt.Sprintf("import %s has no plain name, expected 1 to 64 letters, digits, _ or -, the first of them no digit", wording.Quote(name.Value)),
				"write a name such as text_tools").Over(name).Fixed(PlainName(name))
		case path == "":
			d.found.Add(of.pos, "wrong-type", fmt.Sprintf("import %q is %s, expected the path of a graph file", name.Value, of.describe()), "write "+name.Value+": ./FILE.yaml")
		default:
			all = append(all, &Import{Pos: name.Pos, Name: name, Path: of.text})
		}
	}
	return all
}

// loadImports reads the imports of the file, and their imports, and adds all their tools and servers
// to the graph file.
func (d *decoder) loadImports() {
	for _, imp := range d.file.Imports {
		d.reserve(imp)
	}
	if d.importer != nil {
		d.join(d.root().file)
	}
	own := len(d.file.Servers)
	for _, imp := range d.file.Imports {
		if d.root().imported > mostImports {
			break // and that is reported
		}
		d.loadImport(imp)
	}
	if d.importer == nil {
		shareProcesses(d.file.Servers, own)
	}
}

// root returns the decoder of the graph file itself.
func (d *decoder) root() *decoder {
	for d.importer != nil {
		d = d.importer
	}
	return d
}

// reserve reports tools and servers that have a name of an import. Those of a host's file that no
// node calls are left out instead.
func (d *decoder) reserve(imp *Import) {
	name := imp.Name.Value
	taken := func(what string, by Text) {
		d.found.Add(by.Pos, "name-taken", fmt.Sprintf("%s %s has a name that belongs to import %q (%s:%d)", what, wording.Quote(by.Value), name, filepath.Base(d.path), imp.Pos.Line),
			"rename one of them").Over(by).Fixed(AnotherName(by))
	}
	for _, t := range d.file.Tools {
		if strings.HasPrefix(t.Name.Value, name+".") {
			taken("tool", t.Name)
		}
	}
	d.file.Servers = slices.DeleteFunc(d.file.Servers, func(u *Upstream) bool {
		if !strings.HasPrefix(u.Name.Value+".", name+".") {
			return false
		}
		if u.Name.Pos.File != d.path && !d.calls(u.Name.Value) {
			return true
		}
		taken("server", u.Name)
		return false
	})
}

// loadImport reads one import.
func (d *decoder) loadImport(imp *Import) {
	path := imp.path(d.path)
	if d.mayImport != nil && !d.mayImport(path) {
		d.found.Add(imp.Pos, "import-not-read", fmt.Sprintf("import %q (%s) is not in the saved file and is not read yet, so its tools are unknown", imp.Name.Value, imp.Path.Value),
			"save the file")
		return
	}
	data, info := d.readImport(imp, path)
	if data == nil {
		return
	}
	if !LooksLikeGraph(data) { // whatever it is, nothing of it is shown
		d.found.Add(imp.Pos, "not-a-graph", fmt.Sprintf("import %q (%s) is not a graph file, which has server and tools", imp.Name.Value, imp.Path.Value), "")
		return
	}
	child := &decoder{
		path: path, lookup: d.lookup, read: d.read, noteDefault: d.noteDefault, assume: d.assume, hosts: d.hosts, registries: d.registries, importer: d, info: info,
		file: &File{Path: path, Prefix: d.file.Prefix + imp.Name.Value + "."},
	}
	understood, err := child.parse(data)
	d.found, d.secrets = append(d.found, child.found...), append(d.secrets, child.secrets...)
	switch {
	case err != nil:
		d.found.Add(imp.Pos, "unreadable-import", fmt.Sprintf("import %q: %s", imp.Name.Value, err), "")
		return
	case !understood:
		return
	}
	imp.File = child.file
	if !d.uses(imp) {
		d.found.Warn(imp.Pos, "unused-import", fmt.Sprintf("no tool of this file calls a tool of import %q", imp.Name.Value),
			"call one with a node of type graph and tool: "+imp.Name.Value+".TOOL, or remove the import").Over(imp.Name).Fixed(RemoveKey(imp.Pos))
	}
}

// readImport returns the content of an import; nil when that is reported.
func (d *decoder) readImport(imp *Import, path string) ([]byte, fs.FileInfo) {
	name := fmt.Sprintf("import %q (%s)", imp.Name.Value, imp.Path.Value)
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		if d.read != nil {
			_, _ = d.read(path) // so that who reads for the check knows the path, and checks again when there is a file
		}
		d.found.Add(imp.Pos, "unreadable-import", fmt.Sprintf("import %q: %s", imp.Name.Value, readError(path, err)), "paths are relative to the file that imports")
		return nil, nil
	case info.Mode()&fs.ModeSymlink != 0:
		d.found.Add(imp.Pos, "not-a-regular-file", name+" is a symbolic link, expected a regular file", "name the graph file itself")
		return nil, nil
	}
	if ring := d.ring(info); ring != "" {
		d.found.Add(imp.Pos, "import-ring", fmt.Sprintf("import %q leads back to a file that imports it: %s", imp.Name.Value, ring), "move the tools that both need into a file of their own")
		return nil, nil
	}
	if d.depth() == deepestImports {
		d.found.Add(imp.Pos, "too-many-imports", fmt.Sprintf("import %q is more than %d files deep, which is the limit", imp.Name.Value, deepestImports), "import it in a file nearer to the graph file")
		return nil, nil
	}
	root := d.root()
	if root.imported++; root.imported > mostImports {
		d.found.Add(imp.Pos, "too-many-imports", fmt.Sprintf("import %q is one of more than %d, those of imports included, which is the limit", imp.Name.Value, mostImports), "put the tools of several files into one")
		return nil, nil
	}
	read := d.read
	if read == nil {
		read = ReadFile
	}
	data, err := read(path)
	var found Diagnostics
	switch {
	case errors.As(err, &found):
		d.found.Add(imp.Pos, found[0].Code, name+": "+found[0].Message, found[0].Hint)
	case err != nil:
		d.found.Add(imp.Pos, "unreadable-import", fmt.Sprintf("import %q: %s", imp.Name.Value, err), "")
	case len(data) == 0:
		data = []byte{'\n'}
	}
	return data, info
}

// depth is how many imports lead to the file.
func (d *decoder) depth() int {
	n := 0
	for ; d.importer != nil; d = d.importer {
		n++
	}
	return n
}

// ring returns the names of the files from one to itself when it is the file of the decoder or one
// that imports it, else "".
func (d *decoder) ring(info fs.FileInfo) string {
	names := []string{info.Name()}
	for ; d != nil; d = d.importer {
		own := d.info
		if d.importer == nil {
			own, _ = os.Stat(d.path) // a file that does not exist is in no ring
		}
		names = append(names, filepath.Base(d.path))
		if own != nil && os.SameFile(own, info) {
			slices.Reverse(names)
			return strings.Join(names, " → ")
		}
	}
	return ""
}

// path is where an import of the file at from is.
func (i *Import) path(from string) string {
	if filepath.IsAbs(i.Path.Value) {
		return i.Path.Value
	}
	return filepath.Join(filepath.Dir(from), i.Path.Value)
}

// uses reports whether a graph of the file calls a tool of an import.
func (d *decoder) uses(imp *Import) bool {
	return d.anyNode(func(n *Node) bool {
		return n.Type == GraphNode && strings.HasPrefix(n.Tool.Value, d.file.Prefix+imp.Name.Value+".")
	})
}

// calls reports whether a node of the file calls a server.
func (d *decoder) calls(server string) bool {
	return d.anyNode(func(n *Node) bool { return n.Server.Value == server })
}

// anyNode reports whether the predicate holds for a node of the file, a branch or a step of one.
func (d *decoder) anyNode(holds func(*Node) bool) bool {
	return slices.ContainsFunc(d.file.Tools, func(t *Tool) bool {
		return t.File == d.file && slices.ContainsFunc(t.Nodes, func(n *Node) bool {
			return slices.ContainsFunc(n.All(), holds)
		})
	})
}

// redact sets the secrets of the file and its imports, whose values can meet in one run.
func (f *File) redact(secrets *Secrets) {
	f.Secrets = secrets
	for _, imp := range f.Imports {
		if imp.File != nil {
			imp.File.redact(secrets)
		}
	}
}

// Sources returns the paths that a change of a graph file can concern: File.Sources of it as it is now,
// or its path alone while it cannot be understood. Safe for concurrent use.
func Sources(path string) []string {
	file, _ := Load(path, Options{AssumeEnv: true}) // its errors are reported when it is loaded for use
	if file == nil {
		return []string{path}
	}
	return file.Sources()
}

// Sources returns the path of the file and those of all its imports, of unreadable ones too, each
// once.
func (f *File) Sources() []string {
	paths := []string{f.Path}
	for _, imp := range f.Imports {
		more := []string{imp.path(f.Path)}
		if imp.File != nil {
			more = imp.File.Sources()
		}
		for _, path := range more {
			if !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	return paths
}
