package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"toolgraph/config"
	"toolgraph/internal/base/files"
	"toolgraph/mcpclient"
)

// Synced is what a server listed when it was last asked.
type Synced struct {
	Server string           `json:"server"` // its Identity
	At     time.Time        `json:"synced"`
	Tools  []mcpclient.Tool `json:"tools"` // in the order of the server; without values of secrets
}

// syncedMost is the largest file of tools, in bytes.
const syncedMost = 64 << 20

// Tool returns the tool of this name.
func (s *Synced) Tool(name string) (mcpclient.Tool, bool) {
	i := slices.IndexFunc(s.Tools, func(t mcpclient.Tool) bool { return t.Name == name })
	if i < 0 {
		return mcpclient.Tool{}, false
	}
	return s.Tools[i], true
}

// Names returns the names of the tools.
func (s *Synced) Names() []string {
	names := make([]string, len(s.Tools))
	for i, t := range s.Tools {
		names[i] = t.Name
	}
	return names
}

// syncedPath returns the file of a server's tools. It is named after the entry as it is written,
// so that an entry that was changed has no tools until it is synced.
func syncedPath(u *config.Upstream) (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no directory to keep the tools of servers in: %w", err)
	}
	if u.Entry == "" {
		return "", fmt.Errorf("server %q is not from a registry", u.Name.Value)
	}
	return filepath.Join(base, "toolgraph", "servers", u.Entry+".json"), nil
}

// StoreTools stores what a server lists. Values of secrets are redacted first.
func StoreTools(u *config.Upstream, tools []mcpclient.Tool, at time.Time, secrets *config.Secrets) error {
	path, err := syncedPath(u)
	if err != nil {
		return err
	}
	if tools == nil {
		tools = []mcpclient.Tool{}
	}
	raw, err := json.Marshal(Synced{Server: u.Identity, At: at.UTC().Truncate(time.Second), Tools: tools})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return files.Replace(path, append(secrets.RedactJSON(raw), '\n'), 0o600)
}

// StoredTools returns what a server listed when its entry was last synced; nil when it never was. Files
// that other users may write and damaged files are errors.
func StoredTools(u *config.Upstream) (*Synced, error) {
	path, err := syncedPath(u)
	if err != nil {
		return nil, err
	}
	if err := files.CheckWriters(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // it was not synced
	} else if err != nil {
		return nil, fmt.Errorf("the synced tools of %q are not used: %w", u.Name.Value, err)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|files.NoFollow, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, syncedMost+1))
	if err != nil {
		return nil, err
	}
	s := &Synced{}
	if err := json.Unmarshal(raw, s); err != nil || len(raw) > syncedMost || s.At.IsZero() {
		return nil, fmt.Errorf("the synced tools of %q in %s are damaged; sync the server again", u.Name.Value, path)
	}
	return s, nil
}
