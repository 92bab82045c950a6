package config

import (
	"os"
	"path/filepath"
)

// Options of Load and Parse.
type Options struct {
	ServersFile string                      // a second file, {"mcpServers": {…}}; "" for none
	LookupEnv   func(string) (string, bool) // for ${VAR}; nil: os.LookupEnv
	AssumeEnv   bool                        // every ${VAR} counts as set, and what it gives is not checked: for looking at a file elsewhere than where it runs
}

// Load reads the graph file at path. The error is Diagnostics, warnings among them,
// when the file was read. When it was understood well enough for others to look for
// more mistakes the File comes with the error; it must not be run then.
func Load(path string, opts Options) (*File, error) {
	data, err := ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, data, opts)
}

// Parse is Load for bytes in hand; path is what they are called, and what cwd is
// relative to. It never panics. Safe for concurrent use.
func Parse(path string, src []byte, opts Options) (*File, error) {
	lookup := opts.LookupEnv
	if lookup == nil {
		lookup = os.LookupEnv
	}
	d := &decoder{
		path:   path,
		assume: opts.AssumeEnv,
		lookup: lookup,
		file:   &File{Path: path, Secrets: &Secrets{}},
	}
	root, found := readItems(path, src)
	d.found = found
	if root == nil {
		return nil, sorted(d.found)
	}
	understood := d.decodeFile(root)
	if opts.ServersFile != "" {
		if err := d.addServersFile(opts.ServersFile); err != nil {
			return nil, err
		}
	}
	d.noteForwarded()
	d.file.Secrets = newSecrets(d.secrets)
	d.found.Sort()
	errs, warnings := d.found.Split()
	d.file.Warnings = warnings
	switch {
	case errs == nil:
		return d.file, nil
	case understood:
		return d.file, d.found
	}
	return nil, d.found
}

// readItems makes items of a file's bytes; the item is nil when there is nothing to
// work with.
func readItems(path string, data []byte) (*item, Diagnostics) {
	src, found := cleanText(path, data)
	if found != nil {
		return nil, found
	}
	doc, found := parseTree(src)
	if found != nil {
		return nil, found
	}
	return buildItems(src, doc)
}

func sorted(found Diagnostics) Diagnostics {
	found.Sort()
	return found
}

// addServersFile adds the servers of a file in the hosts' format. The graph file's
// own servers win.
func (d *decoder) addServersFile(path string) error {
	data, err := ReadFile(path)
	if err != nil {
		return err
	}
	root, found := readItems(path, jsonAsYAML(data))
	d.found = append(d.found, found...)
	if root != nil {
		d.decodeServersFile(root, path)
	}
	return nil
}

// directory is the absolute directory of the file at path.
func directory(path string) (string, error) {
	return filepath.Abs(filepath.Dir(path))
}
