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
	sealed  bool            // its file is encrypted
}

// tokenFile stores the grant of one server. It is named after the server's address, not
// after the name that a graph file gives the server, so that another file cannot have the
// token sent elsewhere.
type tokenFile struct {
	dir, name string
	server    string
	keys      *tokenKey
}

const tokenFileMost = 1 << 20 // bytes

// newTokenFile returns the file for a server; dir "" is the user's own directory.
func newTokenFile(dir string, keys *tokenKey, server *url.URL) (*tokenFile, error) {
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
	return &tokenFile{dir: dir, name: name, server: address, keys: keys}, nil
}

var notPlain = wording.Pattern(`[^a-zA-Z0-9.-]`)

func (f *tokenFile) path() string { return filepath.Join(f.dir, f.name) }

// read returns the grant in the file. A file that other users may read, or that is a link,
// is not trusted.
func (f *tokenFile) read(ctx context.Context) (*grant, error) {
	raw, err := f.content()
	if err != nil {
		return nil, err
	}
	var form sealed
	g := &grant{}
	if json.Unmarshal(raw, &form) == nil && form.Sealed != nil && form.Server == f.server {
		if g, err = form.open(ctx, f.keys); err != nil {
			return nil, fmt.Errorf("the token in %s cannot be read: %w", f.path(), err)
		}
	} else if json.Unmarshal(raw, g) != nil {
		g = &grant{} // what was read of it does not count
	}
	if g.Token == nil || g.Token.AccessToken == "" || g.Server != f.server {
		return nil, fmt.Errorf("the token file %s is damaged", f.path())
	}
	return g, nil
}

// content returns the bytes of the file.
func (f *tokenFile) content() ([]byte, error) {
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
	return io.ReadAll(io.LimitReader(in, tokenFileMost))
}

// write replaces the file atomically by one with this grant, which only the user can read. A grant that was encrypted stays so.
func (f *tokenFile) write(ctx context.Context, g *grant) error {
	g.Server = f.server
	var content any = g
	if g.sealed {
		key, err := f.keys.get(ctx, false)
		if err != nil {
			return err
		}
		if content, err = seal(key, g); err != nil {
			return err
		}
	}
	raw, err := json.MarshalIndent(content, "", "  ")
	if err != nil {
		return err
	}
	if err := f.makeDir(); err != nil {
		return err
	}
	return files.Replace(f.path(), append(raw, '\n'), 0o600)
}

// writeFresh writes the grant of a login: encrypted where the system has a secret store. Otherwise plain says why not, unless that
// is an error.
func (f *tokenFile) writeFresh(ctx context.Context, g *grant) (plain error, err error) {
	if plain = f.makeKey(ctx); plain != nil && f.keys != nil && f.keys.required {
		return nil, plain
	}
	g.sealed = plain == nil
	return plain, f.write(ctx, g)
}

// makeKey returns when the store has a key. Of two processes that find none, one makes it: the file of the other would be encrypted
// with a key that was replaced.
func (f *tokenFile) makeKey(ctx context.Context) error {
	if f.keys == nil || f.keys.store == nil {
		return errNoStore
	}
	unlock, err := files.LockFile(ctx, filepath.Join(f.dir, "key.lock"))
	if err != nil {
		return err
	}
	defer unlock()
	_, err = f.keys.get(ctx, true)
	return err
}

// lock keeps other processes from renewing the same token at the same time: a refresh token
// can be used once.
func (f *tokenFile) lock(ctx context.Context) (release func(), err error) {
	if err := f.makeDir(); err != nil {
		return nil, err
	}
	return files.LockFile(ctx, f.path()+".lock")
}

// remove deletes the file, and reports whether it was there.
func (f *tokenFile) remove(ctx context.Context) (was bool, err error) {
	unlock, err := f.lock(ctx)
	if err != nil {
		return false, err
	}
	defer unlock()
	switch err := os.Remove(f.path()); {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	}
	return true, nil
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
