package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Links is which symbolic links in the place of a file are followed when it is written.
type Links int

// The kinds of links.
const (
	LinksInside Links = iota // those that lead to a file below their own directory
	NoLinks                  // none: the user has not named the file
	AnyLinks                 // all: the user has said --force
)

// LinkError is the error for a symbolic link that is not followed.
type LinkError struct {
	Path, Target string
	Links        Links
}

// Error names the link, where it leads, and what to do.
func (e *LinkError) Error() string {
	if e.Links == NoLinks {
		return fmt.Sprintf("%s is a symbolic link to %s, which is followed only when the command line names it; remove the link", e.Path, e.Target)
	}
	return fmt.Sprintf("%s is a symbolic link to %s, which is outside of its directory; remove the link, or name that file itself", e.Path, e.Target)
}

// Check returns the error with which writing the file at path would be refused because of a symbolic
// link, a *LinkError among others.
func (l Links) Check(path string) error {
	_, err := l.target(path)
	return err
}

// target returns the path of the file that is written for a path; it need not exist.
func (l Links) target(path string) (string, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, nil
	}
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return path, err
	}
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("the symbolic link %s leads nowhere; remove it, or create the file that it leads to", path)
	}
	if err != nil {
		return "", err
	}
	isInside := false
	if l == LinksInside {
		if isInside, err = inside(filepath.Dir(path), target); err != nil {
			return "", err
		}
	}
	if l == AnyLinks || isInside {
		return target, nil
	}
	return "", &LinkError{Path: path, Target: target, Links: l}
}

// CheckInside returns a *LinkError when a directory of path, which is below dir, is a symbolic link
// that leads out of dir. The path need not exist.
func CheckInside(dir, path string) error {
	for at := filepath.Dir(path); len(at) > len(dir); at = filepath.Dir(at) {
		target, err := filepath.EvalSymlinks(at)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if isInside, err := inside(dir, target); err != nil || isInside {
			return err
		}
		return &LinkError{Path: at, Target: target}
	}
	return nil
}

// inside reports whether a path without links is below a directory.
func inside(dir, target string) (bool, error) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return false, err
	}
	if target, err = filepath.Abs(target); err != nil {
		return false, err
	}
	below, err := filepath.Rel(dir, target)
	return err == nil && filepath.IsLocal(below), nil // an error: no relative path, since it is another volume
}
