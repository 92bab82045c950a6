package config

import (
	"io/fs"
	"slices"
	"strings"

	"toolgraph/internal/base/wording"
)

// decoder turns the items of a graph file into a File.
type decoder struct {
	path    string
	lookup  func(string) (string, bool)
	file    *File
	hosts   string // as Options.ServersFile
	found   Diagnostics
	slips   []slip // texts that end early
	secrets []string
	reads   []string // variables of the server that is being decoded
	assume  bool     // as Options.AssumeEnv
	alone   bool     // imports are not read

	mayImport func(path string) bool            // nil: any
	read      func(path string) ([]byte, error) // of imports; nil: ReadFile

	noteDefault func(name, value string) // as Options.NoteDefault

	importer *decoder    // of the file that imports this one; nil for the graph file itself
	info     fs.FileInfo // of an imported file
	imported int         // files, of the graph file

	registries    []string         // as Options.Registries
	registryRoots map[string]*item // of those that were read, by path; of the graph file
	only          []string         // the servers of a registry to decode; empty: all

	pipelined bool              // as Options.Pipeline
	planned   bool              // as Options.Plan
	inPlan    bool              // steps are those of a plan
	texts     map[string]string // as Options.Vars
	values    map[string]*Data  // as Options.VarValues

	expanded int // bytes of the values of variables
	compared int // known words compared for the nearest one
}

// decodeFile decodes the whole graph file. It returns false when the file is not a graph file,
// so that more checks make no sense.
func (d *decoder) decodeFile(root *item) bool {
	if root.isNull() {
		d.found.Add(root.pos, "empty-file", "the graph file is empty, expected a mapping", "toolgraph init writes a file to start from")
		return false
	}
	if root.kind != itemMapping {
		d.found.Add(root.pos, "not-a-graph", "the graph file is "+root.describe()+", expected a mapping with server and tools", "toolgraph init writes a file to start from")
		return false
	}
	if !slices.ContainsFunc(root.keys, func(k Text) bool { return fileForm().identifies(k.Value) }) {
		d.found.Add(root.pos, "not-a-graph", "not a graph file: it has no version, server, mcpServers or tools", "toolgraph init writes a file to start from")
		return false
	}
	d.file.Older = d.findOlder(root)
	fs := d.open(root.withoutExtensions(), fileForm(), fileForm().name)
	d.version(fs)
	d.vars(fs)
	d.file.Server = d.server(fs)
	if d.importer == nil {
		d.file.Limits = d.limits(fs.get("executionLimits"))
	} else {
		d.file.Limits = d.ownLimits(fs)
	}
	d.file.LimitsAt = placesIn(fs.get("executionLimits"))
	d.file.Allow = d.allow(fs, allowForm())
	d.file.Imports = d.imports(fs)
	for _, key := range []string{"mcpServers", "servers"} {
		if it := fs.get(key); it != nil {
			d.servers(it, key, place{file: d.path})
		}
	}
	d.tools(fs)
	d.file.Pipeline, d.file.Plan = d.pipeline(fs), d.plan(fs)
	d.file.Expose, d.file.Passes = d.exposed(fs)
	return true
}

// withoutExtensions returns a mapping without the keys x-…, which may hold anchors.
func (it *item) withoutExtensions() *item {
	plain := *it
	plain.keys, plain.items = nil, nil
	for i, k := range it.keys {
		if !strings.HasPrefix(k.Value, "x-") {
			plain.keys, plain.items = append(plain.keys, k), append(plain.items, it.items[i])
		}
	}
	return &plain
}

func (d *decoder) version(fs *fields) {
	d.file.Version = fs.loose("version")
	v := d.file.Version.Value
	if v != "" && v != "1" && !strings.HasPrefix(v, "1.") {
		d.found.Warn(d.file.Version.Pos, "unknown-version", "unknown language version "+wording.Quote(v)+", expected \"1.0\"", "write version: \"1.0\"").Over(d.file.Version).Fixed(SetKey(d.file.Version.Pos, "version", `"1.0"`))
	}
}

// usualServer is a server for a file that has none.
const usualServer = "{name: tools, version: 1.0.0}"

func (d *decoder) server(file *fields) Server {
	it := file.get("server")
	if it.isNull() {
		d.found.Add(file.pos("server"), "missing-field", "the graph file has no server, expected one with name and version", "add server: {name: NAME, version: 1.0.0}").
			Fixed(SetKey(file.at.pos, "server", usualServer).Titled("Add server: "+usualServer), AddKey(file.at.pos, "server", usualServer, ""))
		return Server{}
	}
	fs := d.open(it, serverForm(), "server")
	if fs == nil {
		return Server{Pos: it.pos}
	}
	s := Server{Pos: it.pos, Name: fs.text("name"), Version: fs.loose("version"), Title: fs.text("title"), Instructions: fs.text("instructions"), Icons: d.icons(fs), TaskAfter: fs.milliseconds("taskAfterMs")}
	d.constantsInText(s.Title, "title of the server")
	d.constantsInText(s.Instructions, "instructions of the server")
	fs.require("name", s.Name)
	fs.require("version", s.Version)
	if fs.get("description") != nil {
		d.found.Warn(fs.keyPos("description"), "ignored-key", "description of server has no effect", "write title, or instructions for agents")
	}
	if !s.Title.IsSet() {
		s.Title = s.Name
	}
	return s
}

func (d *decoder) limits(it *item) Limits {
	var fs *fields
	if !it.isNull() {
		fs = d.open(it, limitsForm(), "executionLimits")
	}
	if fs == nil {
		fs = d.open(&item{kind: itemMapping}, limitsForm(), "executionLimits") // the defaults
	}
	return fs.limits()
}

// placesIn returns the places of the values of a mapping, by key; nil for anything else.
func placesIn(it *item) map[string]Pos {
	if it == nil || it.kind != itemMapping {
		return nil
	}
	at := make(map[string]Pos, len(it.keys))
	for i, k := range it.keys {
		at[k.Value] = it.items[i].pos
	}
	return at
}

// nearest is wording.Nearest for one of many unknown words. It returns "" once too many words have been compared.
func (d *decoder) nearest(word string, known []string) string {
	const most = 100_000
	if d.compared += len(known); d.compared > most {
		return ""
	}
	return wording.Nearest(word, known)
}

// ownersHint says which types of node, or of server, have a key that one of another type has not.
func ownersHint(f *form, name string) string {
	if f == upstreamForm() && execForm().find(name) != nil {
		return name + " belongs to servers of type " + string(Exec)
	}
	var owners []string
	for _, t := range NodeTypes {
		if k := nodeForms()[t].find(name); k != nil && !k.older {
			owners = append(owners, string(t))
		}
	}
	if len(owners) == 0 || !strings.HasSuffix(f.name, "node") {
		return ""
	}
	return name + " belongs to nodes of type " + strings.Join(owners, ", ")
}
