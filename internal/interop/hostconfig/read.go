package hostconfig

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/project/registry"
)

// maxBytes is the maximum size of a host's file. Some hosts keep more than servers in it.
const maxBytes = 16 << 20

// ErrTooLarge means that a file is larger than any configuration of a host.
var ErrTooLarge = errors.New("the file is larger than 16 MiB, the maximum")

// Load reads a host's file. It reads nothing of a larger file, and never waits for a pipe or a
// device. The error is an fs.ErrNotExist when there is no such file, and names the file.
func Load(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("not a regular file")}
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // does not wait for a pipe that has replaced the file
	if err != nil {
		return nil, err
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err == nil && len(src) > maxBytes {
		err = &fs.PathError{Op: "read", Path: path, Err: ErrTooLarge}
	}
	if err != nil {
		return nil, err
	}
	return src, nil
}

// Options of a Reader.
type Options struct {
	Dir    string                      // the absolute directory of the project whose servers are read; "": those of the user
	Home   string                      // the user's home directory
	Lookup func(string) (string, bool) // the value of a variable of the environment
	IsSelf func(command string) bool   // reports whether a command is this program

	// Keep leaves values in the host's file: an entry has a variable for each value of env and of headers, and for what
	// else may be a secret or is a reference of the host, and Server.Values has what the host's file has there.
	Keep bool
}

// Reader reads the files of one host. Not safe for concurrent use.
type Reader struct {
	host    *Host
	opts    Options
	secrets map[string]string // by the variable in their place, to give each secret a variable of its own
	values  map[string]string // what the host's file has in the place of a variable, with Keep
}

// NewReader returns a reader of a host's files.
func NewReader(host *Host, opts Options) *Reader {
	return &Reader{host: host, opts: opts, secrets: map[string]string{}, values: map[string]string{}}
}

// File is what a host's file has.
type File struct {
	Path     string
	Servers  []Server // in the order of the file
	Projects []string // the directories of projects whose servers are in the file and were not read
	Missing  string   `json:"-"` // the key that the file should have for its servers; "" when it has it
}

// Server is a server that a host's file defines.
type Server struct {
	Name  string               `json:"name"`
	Pos   config.Pos           `json:"place"`           // of its name
	Left  string               `json:"left,omitempty"`  // why it cannot be taken; "" when it can
	Entry *registry.Definition `json:"entry,omitempty"` // nil when it is left
	Set   []Variable           `json:"set,omitempty"`   // that must be set before the server is used
	Notes []string             `json:"notes,omitempty"` // what differs from the host's entry

	// With Options.Keep. Values may be secrets.
	Values []Setting `json:"-"` // of the variables of Entry, as the host's file has them
	Passed []string  `json:"-"` // variables of Entry that the host passes on from its own environment
	Only   []string  `json:"-"` // the only tools that the host lets be used; nil: all
}

// commonKeys are the keys under which most programs have their servers.
var commonKeys = []string{"mcpServers", "servers"}

// Read returns the servers of a file. The error says the place in the file; it contains no values.
func (r *Reader) Read(path string, src []byte) (*File, error) {
	root, err := r.host.syntax.read(path, src, append([]string{r.host.key, "inputs", "projects"}, commonKeys...)...)
	if err != nil {
		return nil, err
	}
	file := &File{Path: path}
	key := r.host.key
	for _, common := range commonKeys { // another program's file, such as pflow's
		if root.Get(key) == nil && root.Get(common) != nil {
			key = common
		}
	}
	servers := root.Get(key)
	if servers == nil {
		file.Missing = key
	}
	if projects := root.Get("projects"); r.host.byProject && projects != nil {
		own := r.project(file, projects)
		if r.opts.Dir != "" {
			servers = own
		}
	}
	switch {
	case servers == nil, isNull(servers):
		return file, nil
	case servers.Kind != config.KindObject:
		return nil, &placedError{servers.Pos, fmt.Sprintf("%s is %s, expected names and servers", key, kindOf(servers))}
	}
	asked := inputs(root.Get("inputs"))
	for i, name := range servers.Keys {
		e := entryReader{Reader: r, name: name.Value, inputs: asked}
		file.Servers = append(file.Servers, e.server(name, servers.Items[i]))
	}
	return file, nil
}

// project returns the servers of the project at hand in the user's file. Other projects with
// servers are added to the file's.
func (r *Reader) project(file *File, projects *config.Data) (servers *config.Data) {
	real, _ := filepath.EvalSymlinks(r.opts.Dir) // "" when it does not exist
	for i, dir := range projects.Keys {
		own := projects.Items[i].Get(r.host.key)
		switch {
		case own == nil || len(own.Keys) == 0:
		case r.opts.Dir != "" && slices.Contains([]string{r.opts.Dir, real}, filepath.Clean(dir.Value)):
			servers = own
		case r.opts.Dir == "":
			file.Projects = append(file.Projects, dir.Value)
		}
	}
	return servers
}

// inputs returns, by id, how the inputs of an editor are described, as the end of a sentence.
func inputs(list *config.Data) map[string]string {
	described := map[string]string{}
	if list == nil {
		return described
	}
	for _, input := range list.Items {
		id, _ := textOf(input.Get("id"))
		if about, _ := textOf(input.Get("description")); about != "" {
			described[id] = " (" + wording.OneLine(wording.Shorten(about)) + ")"
		}
	}
	return described
}

var accessToken = wording.Pattern(`(?i)(^|[^a-z])pat($|[^a-z])`)

// SecretName reports whether a name may be that of a secret. It finds more names than
// config.SecretName: names of environment variables often run words together, and a cookie and a PAT
// (a personal access token) are secrets too.
func SecretName(name string) bool {
	if config.SecretName(name) || accessToken().MatchString(name) {
		return true
	}
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{"apikey", "accesskey", "token", "secret", "passw", "credential", "cookie"}, func(part string) bool { return strings.Contains(name, part) })
}

// kindOf names the kind of a value in messages.
func kindOf(d *config.Data) string {
	switch d.Kind {
	case config.KindObject:
		return "an object"
	case config.KindArray:
		return "a list"
	case config.KindScalar, config.KindExpression:
	}
	switch d.Scalar.(type) {
	case string:
		return "text"
	case bool:
		return "true or false"
	case nil:
		return "null"
	}
	return "a number"
}
