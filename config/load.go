package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
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
	root, found := parseTree(src)
	if found != nil {
		return nil, found
	}
	it, _, found := buildItems(src, root)
	return it, found
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

// MaxFileBytes is how long a graph file or a file of servers may be.
const MaxFileBytes = 1 << 20

// ReadFile reads a regular file of at most 1 MiB, as Load does. Nothing is read of what is
// larger, and nothing waits for what is not a file. What is wrong with the file itself
// comes as Diagnostics.
func ReadFile(path string) ([]byte, error) {
	if strings.ContainsRune(path, 0) {
		return nil, fmt.Errorf("cannot read %q: a path has no NUL characters", path)
	}
	if info, err := os.Stat(path); err != nil {
		return nil, readError(path, err)
	} else if !info.Mode().IsRegular() {
		return nil, notRegular(path, info.Mode())
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe put there meanwhile does not make us wait
	if err != nil {
		return nil, readError(path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, readError(path, err)
	}
	if !info.Mode().IsRegular() {
		return nil, notRegular(path, info.Mode())
	}
	if info.Size() > MaxFileBytes {
		return nil, tooLarge(path)
	}
	return readBounded(path, f)
}

// readBounded reads to the end, and at most one byte more than a file may have: the size
// of a file that grows, or of one that /proc makes up, is known only then.
func readBounded(path string, r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxFileBytes+1))
	if err != nil {
		return nil, readError(path, err)
	}
	if len(data) > MaxFileBytes {
		return nil, tooLarge(path)
	}
	return data, nil
}

func readError(path string, err error) error {
	var inner *fs.PathError
	if errors.As(err, &inner) {
		err = inner.Err
	}
	return fmt.Errorf("cannot read %s: %w", path, err)
}

func tooLarge(path string) Diagnostics {
	return Diagnostics{{
		Pos: Pos{File: path}, Code: "file-too-large",
		Message: "the file is larger than 1 MiB, the most that is read", Hint: "split it into several files",
	}}
}

func notRegular(path string, mode fs.FileMode) Diagnostics {
	what := "a device"
	switch {
	case mode.IsDir():
		what = "a directory"
	case mode&fs.ModeNamedPipe != 0:
		what = "a named pipe"
	case mode&fs.ModeSocket != 0:
		what = "a socket"
	}
	return Diagnostics{{
		Pos: Pos{File: path}, Code: "not-a-regular-file",
		Message: "found " + what + ", not a regular file", Hint: "name the graph file itself",
	}}
}

// topKey is a key at the beginning of a line of YAML.
var topKey = pattern(`(?m)^["']?(\w+)["']?[ \t]*:`)

// LooksLikeGraph reports whether the bytes of a YAML file seem to be those of a graph
// file, with mistakes or without: whether two or more of a graph file's keys are among
// those at its top. Other YAML files have at most one of them by chance.
func LooksLikeGraph(src []byte) bool {
	if len(src) > MaxFileBytes {
		src = src[:MaxFileBytes]
	}
	var keys []string
	for _, match := range topKey().FindAllSubmatch(src, -1) {
		keys = append(keys, string(match[1]))
	}
	if twoOfGraph(keys) {
		return true
	}
	root, _ := readItems("", src) // the mapping may be in braces
	if root == nil {
		return false
	}
	keys = nil
	for _, key := range root.keys {
		keys = append(keys, key.Value)
	}
	return twoOfGraph(keys)
}

func twoOfGraph(keys []string) bool {
	first := ""
	for _, key := range keys {
		switch {
		case fileForm.find(key) == nil:
		case first == "":
			first = key
		case key != first:
			return true
		}
	}
	return false
}
