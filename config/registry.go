package config

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"toolgraph/internal/base/files"
	"toolgraph/internal/base/wording"
)

// registryKey is the key with which a graph file takes a server from a registry.
const registryKey = "registry"

// placeKeys are the keys of a server that say what and where it is.
var placeKeys = slices.Concat([]string{"type"}, stdioKeys, []string{"url", "headers", "requestInit", "tools"})

// LoadRegistry reads the servers of a registry, a file in the format of MCP hosts: those of these
// names, or all without names. Its error is that of ReadRegistry, or has the errors in the entries
// of these names. Without names, an entry with errors is skipped and its errors are Warnings.
// Safe for concurrent use.
func LoadRegistry(path string, opts Options, names ...string) (*File, error) {
	data, err := ReadRegistry(path)
	if err != nil {
		return nil, err
	}
	return ParseRegistry(path, data, opts, names...)
}

// ParseRegistry is LoadRegistry for the content of a file.
func ParseRegistry(path string, data []byte, opts Options, names ...string) (*File, error) {
	d := newDecoder(path, opts)
	root, found := readItems(path, jsonAsYAML(data))
	d.found, d.only = found, names
	if root != nil {
		d.decodeServersFile(root, path)
	}
	return d.finish(false)
}

// ReadRegistry is ReadFile for a registry. A file that other users may write is an error: it says
// which programs are started. Its error wraps fs.ErrNotExist when the file is missing.
func ReadRegistry(path string) ([]byte, error) {
	if err := files.CheckWriters(path); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		return nil, Diagnostics{{Pos: Pos{File: path}, Code: "unsafe-registry", Message: "the registry is not used: " + err.Error(), Hint: "only its owner may write a registry"}}
	}
	return ReadFile(path)
}

// registry returns the root of a registry, nil when it has errors, which are then findings. Each
// file is read once.
func (d *decoder) registry(path string) (*item, error) {
	of := d.root()
	if root, known := of.registryRoots[path]; known {
		return root, nil
	}
	data, err := ReadRegistry(path)
	if err != nil {
		return nil, err
	}
	root, found := readItems(path, jsonAsYAML(data))
	d.found = append(d.found, found...)
	if of.registryRoots == nil {
		of.registryRoots = map[string]*item{}
	}
	of.registryRoots[path] = root
	return root, nil
}

// notTaken reports the key registry in a file of servers.
func (fs *fields) notTaken() {
	i := slices.IndexFunc(fs.at.keys, func(key Text) bool { return key.Value == registryKey })
	if i < 0 {
		return
	}
	fs.bad["command"] = true // one finding is enough
	fs.d.found.Add(fs.at.keys[i].Pos, "registry-in-servers-file", fmt.Sprintf("registry of %s is a key of graph files alone", fs.who), "write the command or the url of the server")
}

// registered returns the entry of a server that is taken from a registry, with the other keys of
// the graph file laid over it, and the file that has it. It returns nil when no file has it, or
// the graph file says where the server is, which are findings.
func (d *decoder) registered(name Text, own *item, who string) (*item, place) {
	form := *upstreamForm()
	form.open = true
	fs := d.open(own, &form, who)
	fs.form = upstreamForm()
	fs.foreignKeys(place{file: d.path})
	good := fs.boolean(registryKey)
	for _, key := range own.keys {
		if slices.Contains(placeKeys, key.Value) {
			d.found.Add(key.Pos, "registry-conflict", fmt.Sprintf("%s of %s with registry: true; the registry says where the server is", key.Value, who),
				"remove "+key.Value+", or registry and define the server here").Over(key).Fixed(RemoveKey(key.Pos))
			good = false
		}
	}
	if !good {
		return nil, place{}
	}
	entry, from := d.lookUp(name, own)
	if entry == nil || entry.kind != itemMapping {
		return entry, from
	}
	merged := *entry
	merged.keys, merged.items = nil, nil
	for i, key := range entry.keys {
		if !own.has(key.Value) || key.Value == registryKey { // which is an error there
			merged.keys, merged.items = append(merged.keys, key), append(merged.items, entry.items[i])
		}
	}
	for i, key := range own.keys {
		if key.Value != registryKey && upstreamForm().find(key.Value) != nil {
			merged.keys, merged.items = append(merged.keys, key), append(merged.items, own.items[i])
		}
	}
	return &merged, from
}

// lookUp returns the entry of a server in the servers file or the first registry that has it, and
// the file; nil when no file has it, which is a finding.
func (d *decoder) lookUp(name Text, own *item) (*item, place) {
	var looked, names []string
	take := func(as string, root *item) *item {
		looked = append(looked, as)
		servers := serversOf(root)
		if servers == nil || servers.kind != itemMapping {
			return nil
		}
		for _, key := range servers.keys {
			names = append(names, key.Value)
		}
		return servers.get(name.Value)
	}
	if path := d.hosts; path != "" {
		if data, err := ReadFile(path); err == nil { // errors are reported when its servers are added
			root, _ := readItems(path, jsonAsYAML(data))
			if entry := take(path, root); entry != nil {
				return entry, place{file: path, host: true}
			}
		}
	}
	pos := own.get(registryKey).pos
	for _, path := range d.registries {
		root, err := d.registry(path)
		if _, exists := os.Lstat(path); exists == nil && errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%s links to nothing", path) // the next registry is not used in its place
		}
		var found Diagnostics
		switch {
		case errors.Is(err, fs.ErrNotExist):
			take(path+" (which does not exist)", nil)
			continue
		case errors.As(err, &found):
			d.found = append(d.found, found...)
			return nil, place{}
		case err != nil:
			d.found.Add(pos, "unreadable-registry", err.Error(), "let your user read it, or remove it")
			return nil, place{}
		}
		if root == nil { // its errors are findings
			return nil, place{}
		}
		if servers := serversOf(root); root.kind != itemMapping || servers != nil && servers.kind != itemMapping {
			if servers == nil {
				servers = root
			}
			d.found.Add(servers.pos, "not-a-servers-file", "the registry has "+servers.describe()+", expected {\"mcpServers\": {…}}", "correct it, or remove it")
			return nil, place{}
		}
		if entry := take(path, root); entry != nil {
			return entry, place{file: path, host: true}
		}
	}
	near := d.nearest(name.Value, names)
	hint := cmp.Or(wording.Meant(near), "add it: toolgraph mcp add "+wording.Shorten(name.Value)+" -- COMMAND")
	where := "nowhere: no registry is in use"
	if looked != nil {
		where = strings.Join(looked, ", ")
	}
	d.found.Add(pos, "unknown-registry-server", fmt.Sprintf("server %q is in no registry; looked in %s", wording.Shorten(name.Value), where), hint).Fixed(ReplaceWord(name, 0, len(name.Value), near))
	if d.assume { // the file may run where it is registered
		d.found[len(d.found)-1].Severity = Warning
	}
	return nil, place{}
}

// serversOf returns the entries in a file in the format of MCP hosts; nil when it has none.
func serversOf(root *item) *item {
	if servers := root.get("mcpServers"); servers != nil {
		return servers
	}
	return root.get("servers")
}

// entryHash returns a hash over what an entry says about where its server is, as it is written:
// with the names of its variables.
func (d *decoder) entryHash(entry *item) string {
	place := item{kind: itemMapping}
	for _, name := range placeKeys {
		if it := entry.get(name); it != nil {
			place.keys, place.items = append(place.keys, Text{Value: name}), append(place.items, it)
		}
	}
	sum := sha256.Sum256(d.data(&place, "").JSON())
	return hex.EncodeToString(sum[:16])
}
