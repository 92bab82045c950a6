package hostconfig

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"toolgraph/internal/base/files"
)

// Scope is whom a file of a host is for.
type Scope string

// The scopes.
const (
	UserScope    Scope = "user"
	ProjectScope Scope = "project"
)

// Target returns the path of the file to which a host's entry belongs: of those where the host looks
// the first that exists, or else the first. dir is the absolute directory of the project. It is "" for
// a host that has no such file, or whose place is not known on this machine.
func (h *Host) Target(scope Scope, dir string) string {
	paths := h.UserFiles()
	if scope == ProjectScope {
		paths = nil
		for _, file := range h.project {
			paths = append(paths, filepath.Join(dir, filepath.FromSlash(file)))
		}
	}
	for _, path := range paths {
		if _, err := os.Lstat(path); err == nil {
			return path
		}
	}
	if len(paths) == 0 {
		return ""
	}
	return paths[0]
}

// HasProjects reports whether the host has files of projects.
func (h *Host) HasProjects() bool { return len(h.project) > 0 }

// attempts is how often Replace starts again when the file has changed meanwhile.
const attempts = 5

// ErrBusy means that a file has changed again and again while it was being changed.
var ErrBusy = errors.New("the file changes all the time")

// Replace puts what change returns in the place of the file at path, and the old content beside it
// as a backup, whose path it returns; "" when there was no file, or nothing has changed. The file is
// replaced at once: a crash leaves the old one or the new one. A symbolic link that links allows stays. When another
// program changes the file meanwhile, change is called again with the new content, and nothing of it
// is lost. Calls of several processes wait for each other. The error of change is returned as it is.
func Replace(ctx context.Context, path string, scope Scope, links files.Links, change func(src []byte) ([]byte, error)) (backup string, err error) {
	dirMode, mode := fs.FileMode(0o700), fs.FileMode(0o600)
	if scope == ProjectScope {
		dirMode, mode = 0o755, 0o644
	}
	if err := links.Check(path); err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(path), dirMode); err != nil {
		return "", err
	}
	release, err := lock(ctx, filepath.Dir(path))
	if err != nil {
		return "", fmt.Errorf("cannot lock %s: %w", filepath.Dir(path), err)
	}
	defer release()
	for range attempts {
		old, isNew, err := load(path)
		if err != nil {
			return "", err
		}
		content, err := change(old)
		if err != nil || bytes.Equal(content, old) {
			return "", err
		}
		if !isNew {
			if err := files.CheckReplace(path); err != nil {
				return "", err
			}
			if backup, err = Backup(path, old); err != nil {
				return "", err
			}
		}
		now, stillNew, err := load(path)
		if err == nil && stillNew == isNew && bytes.Equal(now, old) {
			if err = files.Write(path, content, mode, links); err == nil {
				return backup, nil
			}
		}
		if backup != "" {
			_ = os.Remove(backup) // the file is as it was
			backup = ""
		}
		if err != nil {
			return "", err
		}
	}
	return "", fmt.Errorf("%s: %w", path, ErrBusy)
}

// lock locks a directory, so that no file stays in it. Windows locks a file.
func lock(ctx context.Context, dir string) (release func(), err error) {
	release, err = files.LockDir(ctx, dir)
	if err != nil && ctx.Err() == nil {
		return files.LockFile(ctx, filepath.Join(dir, ".toolgraph.lock"))
	}
	return release, err
}

// load returns the content of a file; isNew when there is none. A link to nothing is an error.
func load(path string) (src []byte, isNew bool, err error) {
	src, err = Load(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return src, false, err
	}
	if _, err := os.Lstat(path); err == nil {
		return nil, false, fmt.Errorf("the symbolic link %s leads nowhere; remove it, or create the file that it leads to", path)
	}
	return nil, true, nil
}

// Backup writes a content of a file beside it, with the permissions of the file, under a name with the time that no file
// has, and returns that.
func Backup(path string, content []byte) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	base := path + "." + time.Now().UTC().Format("20060102T150405Z")
	for n := 1; ; n++ {
		name := base + ".bak"
		if n > 1 {
			name = fmt.Sprintf("%s-%d.bak", base, n)
		}
		files.Changing("create", name)
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		files.Changing("write", name)
		_, err = f.Write(content)
		if err == nil {
			err = f.Sync()
		}
		if err = errors.Join(err, f.Close()); err != nil {
			_ = os.Remove(name)
			return "", err
		}
		return name, nil
	}
}
