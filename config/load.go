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

	"toolgraph/internal/base/wording"
)

// Options of Load and Parse.
type Options struct {
	ServersFile string                      // a second file, {"mcpServers": {…}}; "" for none
	Registries  []string                    // registries that servers with registry: true are taken from, after ServersFile: the first that has the server; read only for such servers
	LookupEnv   func(string) (string, bool) // the value of ${VAR}; nil: os.LookupEnv
	Pipeline    bool                        // a file without pipeline has pipeline: true
	Plan        bool                        // a file without plan has plan: true
	NoteDefault func(name, value string)    // called for each ${VAR:-default} when it is read; nil for none
	AssumeEnv   bool                        // every ${VAR} counts as set and its value is not checked: for files that run on another machine

	Vars      map[string]string // other values of constants, by name: JSON of the declared type, or the text where a text is declared
	VarValues map[string]*Data  // likewise, before Vars, as data of the declared type
	alone     bool              // imports are not read

	// MayImport reports whether the graph file may import the file at a path: an import that it may not is
	// an error, and is not read. nil: any. It is for texts that are not saved yet.
	MayImport func(path string) bool

	ReadFile func(path string) ([]byte, error) // reads imports; nil: ReadFile. An editor has texts that are not saved
}

// Load reads the graph file at path. When the file could be read, the error is Diagnostics,
// including warnings. The File is then not nil if it can be checked for more mistakes; it must not
// be run. Safe for concurrent use.
func Load(path string, opts Options) (*File, error) {
	data, err := ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, data, opts)
}

// Parse is Load for the content of a file; path is for messages, and cwd is relative to it. It
// never panics. Safe for concurrent use.
func Parse(path string, src []byte, opts Options) (*File, error) {
	d := newDecoder(path, opts)
	understood, err := d.parse(src)
	if err != nil {
		return nil, err
	}
	return d.finish(understood)
}

// newDecoder returns a decoder of a file that has no servers and tools yet.
func newDecoder(path string, opts Options) *decoder {
	lookup := opts.LookupEnv
	if lookup == nil {
		lookup = os.LookupEnv
	}
	return &decoder{
		path:   path,
		assume: opts.AssumeEnv, pipelined: opts.Pipeline, planned: opts.Plan, alone: opts.alone, mayImport: opts.MayImport, read: opts.ReadFile,
		lookup: lookup, noteDefault: opts.NoteDefault,
		texts:  opts.Vars,
		values: opts.VarValues,
		hosts:  opts.ServersFile, registries: opts.Registries,
		file: &File{Path: path, Secrets: &Secrets{}},
	}
}

// finish returns the file, or all findings when there are errors; with them the file when it was
// understood.
func (d *decoder) finish(understood bool) (*File, error) {
	d.noteForwarded()
	d.found.addSlips(d.slips)
	d.file.redact(newSecrets(d.secrets))
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

// parse decodes the file, and adds the servers of the servers file and what it imports. It returns
// false when the file is not a graph file. The error is that of reading the servers file.
func (d *decoder) parse(src []byte) (understood bool, err error) {
	root, found := readItems(d.path, src)
	d.found = found
	if root == nil {
		return false, nil
	}
	if len(root.keys) > 0 {
		d.slips, d.file.src = root.keys[0].src.slips, root.keys[0].src
	}
	understood = d.decodeFile(root)
	if d.hosts != "" {
		if err := d.addServersFile(d.hosts); err != nil {
			return false, err
		}
	}
	if understood {
		d.resolveCalls()
		d.checkFlows()
	}
	if understood && !d.alone {
		d.loadImports()
	}
	return understood, nil
}

// readItems parses a file to items; the item is nil when that is not possible.
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

// addServersFile adds the servers of a file in the format of MCP hosts. Servers of the graph file
// take precedence.
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

// directory returns the absolute directory of the file at path.
func directory(path string) (string, error) {
	return filepath.Abs(filepath.Dir(path))
}

// MaxFileBytes is the maximum size of a graph file or a servers file.
const MaxFileBytes = 1 << 20

// ReadFile reads a regular file of at most MaxFileBytes, as Load does. It reads nothing of a
// larger file, and never waits for a pipe or a device. The error is Diagnostics when the file is
// too large or not regular.
func ReadFile(path string) ([]byte, error) {
	if strings.ContainsRune(path, 0) {
		return nil, fmt.Errorf("cannot read %q: a path has no NUL characters", path)
	}
	if info, err := os.Stat(path); err != nil {
		return nil, readError(path, err)
	} else if !info.Mode().IsRegular() {
		return nil, notRegular(path, info.Mode())
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // does not wait for a pipe that has replaced the file
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

// readBounded reads to the end, and at most MaxFileBytes+1: files that grow, and those of /proc,
// are larger than Stat reports.
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
		Message: "the file is larger than 1 MiB, the maximum", Hint: "split it into several files",
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

// topKey matches a key at the start of a line of YAML.
var topKey = wording.Pattern(`(?m)^["']?(\w+)["']?[ \t]*:`)

// LooksLikeGraph reports whether the content of a YAML file is probably a graph file, with
// mistakes or without: whether its top level has two keys of graph files. Other YAML files have
// one of them at most.
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
	root, _ := readItems("", src) // the mapping may be in { }
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
		case !fileForm().identifies(key):
		case first == "":
			first = key
		case key != first:
			return true
		}
	}
	return false
}
