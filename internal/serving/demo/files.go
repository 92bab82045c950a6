package demo

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// Files reads files below one directory, and adds to them where that is allowed; no path and no
// link leads out of it. Safe for concurrent use.
type Files struct {
	root       *os.Root
	isWritable bool
}

// Open opens the directory, with write also for AppendLine. The caller must close the Files.
func Open(directory string, write bool) (*Files, error) {
	root, err := os.OpenRoot(directory)
	if err != nil {
		return nil, err
	}
	return &Files{root: root, isWritable: write}, nil
}

// Close releases the directory.
func (f *Files) Close() error { return f.root.Close() }

// maxRead is the limit of the size of a file to read, in bytes.
const maxRead = 16 << 20

// maxFound is the limit of files in the result of find_files.
const maxFound = 100_000

// ListDirectory lists one directory, sorted by name.
func (f *Files) ListDirectory(name string) (Listing, error) {
	entries, err := fs.ReadDir(f.root.FS(), clean(name))
	if err != nil {
		return Listing{}, named(err, name)
	}
	found := Listing{Entries: []Entry{}}
	for _, e := range entries {
		found.Entries = append(found.Entries, entry(e.Name(), e))
	}
	return found, nil
}

// FindFiles lists the files below a directory whose name matches a pattern such as
// *.go; the empty pattern matches all. It skips directories whose
// name begins with a dot.
func (f *Files) FindFiles(name, pattern string) (Listing, error) {
	if _, err := path.Match(pattern, ""); err != nil {
		return Listing{}, fmt.Errorf("pattern is %q, expected a pattern such as *.go: %w", pattern, err)
	}
	start := clean(name)
	found := Listing{Entries: []Entry{}}
	err := fs.WalkDir(f.root.FS(), start, func(at string, e fs.DirEntry, err error) error {
		switch {
		case err != nil && at != start:
			return nil // deleted meanwhile, or not readable: list the rest
		case err != nil:
			return err
		case e.IsDir() && at != start && strings.HasPrefix(e.Name(), "."):
			return fs.SkipDir
		case e.IsDir():
			return nil
		}
		if matched, _ := path.Match(pattern, e.Name()); pattern != "" && !matched {
			return nil
		}
		if len(found.Entries) == maxFound {
			return fmt.Errorf("more than %d files; give a pattern or a smaller directory", maxFound)
		}
		below := strings.TrimPrefix(at, start+"/")
		found.Entries = append(found.Entries, entry(below, e))
		return nil
	})
	if err != nil {
		return Listing{}, named(err, name)
	}
	return found, nil
}

// ReadFile returns the text of a regular file; bytes that are not UTF-8 become U+FFFD.
func (f *Files) ReadFile(name string) (Content, error) {
	info, err := f.root.Stat(clean(name))
	if err != nil {
		return Content{}, named(err, name)
	}
	if !info.Mode().IsRegular() { // reading a pipe could block
		return Content{}, fmt.Errorf("%s is not a regular file", name)
	}
	file, err := f.root.Open(clean(name))
	if err != nil {
		return Content{}, named(err, name)
	}
	defer file.Close() // read only: no error can matter
	src, err := io.ReadAll(io.LimitReader(file, maxRead+1))
	if err != nil {
		return Content{}, named(err, name)
	}
	if len(src) > maxRead {
		return Content{}, fmt.Errorf("%s is larger than %d bytes", name, maxRead)
	}
	return Content{Content: strings.ToValidUTF8(string(src), "\uFFFD"), Size: int64(len(src))}, nil
}

func entry(name string, e fs.DirEntry) Entry {
	out := Entry{Name: name, Type: "other"}
	info, err := e.Info()
	if err != nil {
		return out // deleted meanwhile
	}
	out.Modified = info.ModTime().UTC().Format(time.RFC3339)
	switch {
	case info.IsDir():
		out.Type = "directory"
	case info.Mode().IsRegular():
		out.Type, out.Size = "file", info.Size()
	}
	return out
}

// clean is a path for package fs: slashes, no leading slash, "." for the root.
func clean(name string) string {
	below := strings.TrimPrefix(path.Clean("/"+filepath.ToSlash(name)), "/")
	if below == "" {
		return "."
	}
	return below
}

// named is an error with the path of the request instead of the path below the root.
func named(err error, name string) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s does not exist", name)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s cannot be read: permission denied", name)
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("%s: %w", name, err)
}
