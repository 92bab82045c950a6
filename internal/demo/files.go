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

// Files reads below one directory; no path and no link leads out of it.
type Files struct{ root *os.Root }

// Open confines a Files to the directory.
func Open(directory string) (*Files, error) {
	root, err := os.OpenRoot(directory)
	if err != nil {
		return nil, err
	}
	return &Files{root: root}, nil
}

// Close releases the directory.
func (f *Files) Close() error { return f.root.Close() }

// maxRead bounds what read_file gives, in bytes.
const maxRead = 16 << 20

// maxFound bounds what find_files gives.
const maxFound = 100_000

// ListDirectory lists one directory.
func (f *Files) ListDirectory(name string) (Listing, error) {
	entries, err := fs.ReadDir(f.root.FS(), clean(name))
	if err != nil {
		return Listing{}, tell(err, name)
	}
	found := Listing{Entries: []Entry{}}
	for _, e := range entries {
		found.Entries = append(found.Entries, entry(e.Name(), e))
	}
	return found, nil
}

// FindFiles lists the files below a directory whose name matches a pattern such as
// *.go; the empty pattern matches all. Directories whose name begins with a dot are
// left out.
func (f *Files) FindFiles(name, pattern string) (Listing, error) {
	if _, err := path.Match(pattern, ""); err != nil {
		return Listing{}, fmt.Errorf("pattern is %q, expected one such as *.go: %w", pattern, err)
	}
	start := clean(name)
	found := Listing{Entries: []Entry{}}
	err := fs.WalkDir(f.root.FS(), start, func(at string, e fs.DirEntry, err error) error {
		switch {
		case err != nil && at != start:
			return nil // it went away meanwhile, or may not be read: the rest still counts
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
		return Listing{}, tell(err, name)
	}
	return found, nil
}

// ReadFile is the text of a file.
func (f *Files) ReadFile(name string) (Content, error) {
	info, err := f.root.Stat(clean(name))
	if err != nil {
		return Content{}, tell(err, name)
	}
	if !info.Mode().IsRegular() { // reading a pipe could wait for ever
		return Content{}, fmt.Errorf("%s is not a regular file", name)
	}
	file, err := f.root.Open(clean(name))
	if err != nil {
		return Content{}, tell(err, name)
	}
	defer file.Close() // read only: nothing can be lost
	src, err := io.ReadAll(io.LimitReader(file, maxRead+1))
	if err != nil {
		return Content{}, tell(err, name)
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
		return out // gone between the listing and now
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

// clean is a path as fs wants it: slashes, no leading slash, "." for the top.
func clean(name string) string {
	below := strings.TrimPrefix(path.Clean("/"+filepath.ToSlash(name)), "/")
	if below == "" {
		return "."
	}
	return below
}

// tell names the path as it was asked for and says what is wrong with it.
func tell(err error, name string) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s does not exist", name)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s may not be read", name)
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("%s: %w", name, err)
}
