package mcpclient

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"

	"github.com/mark3labs/mcp-go/client/transport"

	"toolgraph/config"
	"toolgraph/internal/base/files"
	"toolgraph/internal/base/wording"
)

// grant is the result of a login at one server.
type grant struct {
	Server       string           `json:"server"` // its address without query and user
	ClientID     string           `json:"clientId"`
	ClientSecret string           `json:"clientSecret,omitempty"` // of a dynamic registration that gave one
	AuthMethod   string           `json:"authMethod,omitempty"`
	Token        *transport.Token `json:"token"`

	secrets *config.Secrets // its tokens, once it is in use
}

// tokenFile stores the grant of one server. It is named after the server's address, not
// after the name that a graph file gives the server, so that another file cannot have the
// token sent elsewhere.
type tokenFile struct {
	dir, name string
	server    string
}

const tokenFileMost = 1 << 20 // bytes

// newTokenFile returns the file for a server; dir "" is the user's own directory.
func newTokenFile(dir string, server *url.URL) (*tokenFile, error) {
	if dir == "" {
		base, err := os.UserConfigDir()
		if err != nil {
			return nil, fmt.Errorf("no directory to store tokens in: %w", err)
		}
		dir = filepath.Join(base, "toolgraph", "tokens")
	}
	address := (&url.URL{Scheme: server.Scheme, Host: server.Host, Path: server.Path}).String()
	sum := sha256.Sum256([]byte(address))
	name := notPlain().ReplaceAllString(server.Host, "_") + "-" + hex.EncodeToString(sum[:8]) + ".json"
	return &tokenFile{dir: dir, name: name, server: address}, nil
}

var notPlain = wording.Pattern(`[^a-zA-Z0-9.-]`)

func (f *tokenFile) path() string { return filepath.Join(f.dir, f.name) }

// read returns the grant in the file. A file that other users may read, or that is a link,
// is not trusted.
func (f *tokenFile) read() (*grant, error) {
	in, err := os.OpenFile(f.path(), os.O_RDONLY|files.NoFollow, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("there is no token yet")
	}
	if err != nil {
		return nil, fmt.Errorf("the token file %s cannot be opened (is it a link?): %w", f.path(), err)
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return nil, err
	}
	if runtime.GOOS != "windows" && (!info.Mode().IsRegular() || info.Mode().Perm()&0o077 != 0) {
		return nil, fmt.Errorf("the token file %s has mode %s, expected a file of mode 0600 that no other user can read", f.path(), info.Mode())
	}
	raw, err := io.ReadAll(io.LimitReader(in, tokenFileMost))
	if err != nil {
		return nil, err
	}
	g := &grant{}
	if json.Unmarshal(raw, g) != nil || g.Token == nil || g.Token.AccessToken == "" || g.Server != f.server {
		return nil, fmt.Errorf("the token file %s is damaged", f.path())
	}
	return g, nil
}

// write replaces the file atomically by one with this grant, which only the user can read.
func (f *tokenFile) write(g *grant) error {
	g.Server = f.server
	raw, err := json.MarshalIndent(g, "", "  ")
	if err != nil {
		return err
	}
	if err := f.makeDir(); err != nil {
		return err
	}
	return files.Replace(f.path(), append(raw, '\n'), 0o600)
}

// lock keeps other processes from renewing the same token at the same time: a refresh token
// can be used once.
func (f *tokenFile) lock(ctx context.Context) (release func(), err error) {
	if err := f.makeDir(); err != nil {
		return nil, err
	}
	return files.LockFile(ctx, f.path()+".lock")
}

// makeDir makes the directory, which only the user can read.
func (f *tokenFile) makeDir() error {
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return err
	}
	info, err := os.Lstat(f.dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory, expected one of mode 0700", f.dir)
	case runtime.GOOS != "windows" && info.Mode().Perm() != 0o700:
		return os.Chmod(f.dir, 0o700)
	}
	return nil
}
