// Package registry keeps servers that graph files take by name: one file for the user and one for
// a project, in the format of MCP hosts, and the tools that these servers listed when they were
// last asked. Names and entries go in; entries, checked like those of a graph file, come out. It
// starts no server and expands no variable into a file.
package registry

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
)

// Scope is whose servers a registry has.
type Scope string

// The scopes.
const (
	Project Scope = "project" // of the graph files in one directory
	User    Scope = "user"
)

// Registry is a file of servers, which may be missing. Safe for concurrent use, also by other
// processes.
type Registry struct {
	Scope Scope
	Path  string
}

// OfUser returns the registry of the user: toolgraph/servers.json in $XDG_CONFIG_HOME, or in the
// directory of the system for settings. The error says that there is no such directory.
func OfUser() (Registry, error) {
	dir := os.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) {
		var err error
		if dir, err = configHome(); err != nil {
			return Registry{}, fmt.Errorf("no directory for the user's servers: %w", err)
		}
	}
	return Registry{User, filepath.Join(dir, "toolgraph", "servers.json")}, nil
}

// configHome returns the directory for settings where XDG_CONFIG_HOME does not name one.
func configHome() (string, error) {
	dir, err := os.UserConfigDir()
	if err == nil {
		return dir, nil
	}
	home, err := os.UserHomeDir() // XDG_CONFIG_HOME is a relative path, which does not count
	return filepath.Join(home, ".config"), err
}

// OfProject returns the registry of the graph files in a directory: .toolgraph/servers.json.
func OfProject(dir string) Registry {
	return Registry{Project, filepath.Join(dir, ".toolgraph", "servers.json")}
}

// All returns the registries for a directory, in the order in which a name is looked up: the
// project's, then the user's, if the user has a directory for settings.
func All(dir string) []Registry {
	all := []Registry{OfProject(dir)}
	if user, err := OfUser(); err == nil {
		all = append(all, user)
	}
	return all
}

// Paths returns the paths of the registries for a graph file, for config.Options. It reads
// nothing.
func Paths(graphFile string) []string {
	var paths []string
	for _, r := range All(filepath.Dir(graphFile)) {
		paths = append(paths, r.Path)
	}
	return paths
}

// Entry is a server of a registry.
type Entry struct {
	Registry
	Name   string
	Server *config.Upstream // with placeholders for the values of variables; nil when the entry has errors
	Errors config.Diagnostics
}

// List returns the entries in file order; none when the file is missing. An entry with errors is
// listed with them.
func (r Registry) List() ([]Entry, error) {
	raw, err := config.ReadRegistry(r.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	servers, err := open(r.Path, raw)
	if err != nil {
		return nil, err
	}
	file, err := config.ParseRegistry(r.Path, raw, config.Options{AssumeEnv: true})
	if err != nil {
		return nil, err
	}
	known := map[string]*config.Upstream{}
	for _, u := range file.Servers {
		known[u.Name.Value] = u
	}
	var entries []Entry
	for _, m := range servers.entries {
		e := Entry{Registry: r, Name: m.name, Server: known[m.name]}
		if e.Server == nil {
			e.Errors = file.Warnings
			if _, err := config.ParseRegistry(r.Path, raw, config.Options{AssumeEnv: true}, m.name); err != nil {
				_ = errors.As(err, &e.Errors)
			}
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// Load reads the entry again, with the values of variables: a File whose only server it is. The
// error is that of reading or has the errors of the entry.
func (e Entry) Load() (*config.File, error) {
	file, err := config.LoadRegistry(e.Path, config.Options{}, e.Name)
	if err == nil && len(file.Servers) == 0 {
		err = fmt.Errorf("server %q is no longer in %s", e.Name, e.Path)
	}
	return file, err
}

// Find returns the entry of this name in the first registry that has it. The error names the
// places that were looked at, and the nearest name.
func Find(in []Registry, name string) (Entry, error) {
	var places, names []string
	for _, r := range in {
		entries, err := r.List()
		if err != nil {
			return Entry{}, err
		}
		for _, e := range entries {
			if e.Name == name {
				return e, nil
			}
			names = append(names, e.Name)
		}
		places = append(places, r.Path)
	}
	return Entry{}, fmt.Errorf("no server %q in %s%s", name, strings.Join(places, " or "), wording.Suggest(name, names))
}
