package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/internal/base/files"
	"toolgraph/internal/base/wording"
)

// Definition is what a registry says about a server: the keys of mcpServers. Texts may have
// ${VAR}, as in a graph file.
type Definition struct {
	Type    string            `json:"type,omitempty"`
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	Cwd     string            `json:"cwd,omitempty"` // relative to the directory of the registry
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`

	TimeoutMs      int64 `json:"timeoutMs,omitempty"`
	StartTimeoutMs int64 `json:"startTimeoutMs,omitempty"`
}

var entryName = wording.Pattern(`^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$`)

// CheckName returns an error when a registry cannot have a server of this name. Names have no dot,
// which separates the name of a server from that of a tool.
func CheckName(name string) error {
	if !entryName().MatchString(name) {
		return fmt.Errorf("%s is no name for a server, expected at most 64 letters, digits, _ and -, without a - at the start", wording.Quote(name))
	}
	return nil
}

// ErrExists means that a registry has a server of the name already.
var ErrExists = errors.New("the registry has a server of this name")

// ErrRefused means that a name or a definition cannot be in a registry.
var ErrRefused = errors.New("not added")

// Put adds a server, or with replace puts the definition in the place of an entry of the same name.
// Other entries and unknown keys stay as they are. The error wraps ErrExists, or ErrRefused
// and has what is wrong with the name or the definition, or says why the file cannot be changed; the
// file is then unchanged.
func (r Registry) Put(ctx context.Context, name string, def Definition, replace bool) error {
	if err := errors.Join(CheckName(name), def.checkSecrets()); err != nil {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	raw, err := encode(def)
	if err != nil {
		return err
	}
	return r.edit(ctx, func(c *content) error {
		if i := find(c.entries, name); i < 0 {
			c.entries = append(c.entries, member{name, raw})
		} else if c.entries[i].value = raw; !replace {
			return fmt.Errorf("%w: %q in %s", ErrExists, name, r.Path)
		}
		if _, err := config.ParseRegistry(r.Path, c.encode(), config.Options{AssumeEnv: true}, name); err != nil {
			return fmt.Errorf("%w: %w", ErrRefused, err)
		}
		return nil
	})
}

// Has reports whether the registry has a server of the name, and whether its definition is this one.
func (r Registry) Has(name string, def Definition) (known, same bool, err error) {
	raw, err := config.ReadRegistry(r.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, false, nil
	}
	if err != nil {
		return false, false, err
	}
	c, err := open(r.Path, raw)
	if err != nil {
		return false, false, err
	}
	i := find(c.entries, name)
	if i < 0 {
		return false, false, nil
	}
	want, err := encode(def)
	if err != nil {
		return false, false, err
	}
	var has bytes.Buffer
	if err := json.Compact(&has, c.entries[i].value); err != nil {
		return false, false, err
	}
	return true, bytes.Equal(has.Bytes(), want), nil
}

// ErrUnknown means that a registry has no server of the name.
var ErrUnknown = errors.New("the registry has no server of this name")

// Remove removes a server. The error wraps ErrUnknown when there is no such server.
func (r Registry) Remove(ctx context.Context, name string) error {
	if _, err := os.Lstat(r.Path); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %s does not exist", ErrUnknown, r.Path)
	}
	return r.edit(ctx, func(c *content) error {
		i := find(c.entries, name)
		if i < 0 {
			var names []string
			for _, m := range c.entries {
				names = append(names, m.name)
			}
			return fmt.Errorf("%w: %q in %s%s", ErrUnknown, name, r.Path, wording.Suggest(name, names))
		}
		c.entries = slices.Delete(c.entries, i, i+1)
		return nil
	})
}

// checkSecrets refuses texts that hold secrets themselves.
func (d Definition) checkSecrets() error {
	refuse := func(what, variable string) error {
		return fmt.Errorf("%s looks like a secret, which a registry does not store; set an environment variable and write ${%s}", what, variable)
	}
	for _, name := range slices.Sorted(maps.Keys(d.Env)) {
		if config.PlainSecret(name, d.Env[name]) {
			return refuse("the value of "+wording.Quote(name)+" in env", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.Headers)) {
		if config.PlainSecret(name, d.Headers[name]) {
			return refuse("the value of the header "+wording.Quote(name), "TOKEN")
		}
	}
	flag := "" // the last argument, when it is a flag that may have a value
	for i, arg := range d.Args {
		var setting string
		switch name, _, has := strings.Cut(arg, "="); {
		case !strings.HasPrefix(arg, "-"):
			setting, flag = flag, ""
		case has:
			setting, flag = name, ""
		default:
			flag = arg
			continue
		}
		if config.PlainSecret(setting, arg) {
			return refuse(fmt.Sprintf("argument %d", i+1), "TOKEN")
		}
	}
	if config.PlainSecret("", d.URL) {
		return refuse("a part of the url", "TOKEN")
	}
	return nil
}

// content is what a registry has.
type content struct {
	top     []member
	key     string // of the entries: mcpServers, or servers where another program wrote that
	entries []member
}

func open(path string, raw []byte) (*content, error) {
	top, err := membersOf(bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf")))
	c := &content{top: top, key: "mcpServers"}
	if err == nil {
		if find(top, c.key) < 0 && find(top, "servers") >= 0 {
			c.key = "servers"
		}
		if i := find(top, c.key); i >= 0 && string(top[i].value) != "null" {
			c.entries, err = membersOf(top[i].value)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s is not a file of servers, {\"mcpServers\": {…}}: %w; correct it, or move it away", path, err)
	}
	return c, nil
}

// encode returns the file. Only the white space of what was not edited may differ from what was read.
func (c *content) encode() []byte {
	top := slices.Clone(c.top)
	if i := find(top, c.key); i >= 0 {
		top[i].value = object(c.entries)
	} else {
		top = append(top, member{c.key, object(c.entries)})
	}
	var b bytes.Buffer
	_ = json.Indent(&b, object(top), "", "  ") // never fails for JSON
	b.WriteByte('\n')
	return b.Bytes()
}

func encode(def Definition) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(def)
	return bytes.TrimSpace(b.Bytes()), err
}

// edit changes the file while no other process does. An error of change leaves it unchanged.
func (r Registry) edit(ctx context.Context, change func(*content) error) error {
	if r.Scope == Project { // its name is not the user's
		if err := files.CheckInside(filepath.Dir(filepath.Dir(r.Path)), r.Path); err != nil {
			return err
		}
	}
	if err := r.makeDir(); err != nil {
		return err
	}
	release, err := r.lock(ctx)
	if err != nil {
		return fmt.Errorf("cannot lock %s: %w", r.Path, err)
	}
	defer release()
	raw, err := config.ReadRegistry(r.Path)
	if errors.Is(err, fs.ErrNotExist) {
		raw, err = []byte("{}"), nil
	}
	if err != nil {
		return err
	}
	c, err := open(r.Path, raw)
	if err != nil {
		return err
	}
	if err := change(c); err != nil {
		return err
	}
	written := c.encode()
	if len(written) > config.MaxFileBytes {
		return fmt.Errorf("%s would be larger than 1 MiB, the maximum; remove servers first", r.Path)
	}
	return files.Write(r.Path, written, 0o600, files.LinksInside)
}

// makeDir makes the directory of the registry, which only its user may write.
func (r Registry) makeDir() error {
	dir, mode := filepath.Dir(r.Path), fs.FileMode(0o700)
	if r.Scope == Project {
		mode = 0o755
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(dir, mode); err != nil {
		return err
	}
	return os.Chmod(dir, mode&^0o022) // whatever the umask is
}

// lock locks the directory, so that no lock file stays in a project. Windows locks a file.
func (r Registry) lock(ctx context.Context) (release func(), err error) {
	release, err = files.LockDir(ctx, filepath.Dir(r.Path))
	if err != nil && ctx.Err() == nil {
		return files.LockFile(ctx, r.Path+".lock")
	}
	return release, err
}
