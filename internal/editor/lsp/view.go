package lsp

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/internal/editor/names"
)

// mostCassette is the largest cassette that is read for names, in bytes.
const mostCassette = 32 << 20

// view is all files at one moment: as they are open, else as they are on disk when they are first read.
// It belongs to one request.
type view struct {
	server *Server
	open   map[string]*snapshot // by path
	read   map[string]*text     // by path; nil: it cannot be read
}

// view returns the files as they were when the client sent the request.
func (r *request) view() *view {
	v := &view{server: r.server, open: map[string]*snapshot{}, read: map[string]*text{}}
	r.server.mu.Lock()
	defer r.server.mu.Unlock()
	for _, d := range r.server.docs {
		v.open[d.path] = d.now
	}
	if r.snapshot != nil {
		v.open[r.path] = r.snapshot
	}
	return v
}

// text returns a file; nil when it cannot be read. A cassette that is too large is empty.
func (v *view) text(path string) *text {
	if s := v.open[path]; s != nil {
		return s.text
	}
	if t, known := v.read[path]; known {
		return t
	}
	v.read[path] = nil
	if !filepath.IsAbs(path) { // of a document that is no file
		return nil
	}
	var src []byte
	var err error
	if strings.HasSuffix(path, config.CassetteEnding) {
		src, err = readCassette(path)
	} else {
		src, err = config.ReadFile(path)
	}
	if err == nil {
		v.read[path] = newText(string(src), v.server.units)
	}
	return v.read[path]
}

func readCassette(path string) ([]byte, error) {
	switch info, err := os.Stat(path); {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fs.ErrInvalid
	case info.Size() > mostCassette:
		return nil, nil
	}
	return os.ReadFile(path)
}

// bytes returns the content of a file, with the error of one that cannot be read.
func (v *view) bytes(path string) ([]byte, error) {
	if t := v.text(path); t != nil {
		return []byte(t.src), nil
	}
	if !filepath.IsAbs(path) {
		return nil, fs.ErrNotExist
	}
	return config.ReadFile(path)
}

// names returns the names of a file and of those that belong to it.
func (v *view) names(path string) *names.Index {
	return names.Read(names.Gather(path, names.Files{
		Read: func(path string) ([]byte, bool) {
			t := v.text(path)
			if t == nil {
				return nil, false
			}
			return []byte(t.src), true
		},
		List: v.list,
	}))
}

// list returns the names of the regular files in a directory, those that are open and not saved included.
func (v *view) list(directory string) []string {
	found := map[string]bool{}
	if filepath.IsAbs(directory) {
		entries, _ := os.ReadDir(directory) // a directory that cannot be read has no files
		for _, e := range entries {
			if e.Type().IsRegular() {
				found[e.Name()] = true
			}
		}
	}
	for path := range v.open {
		if filepath.Dir(path) == directory {
			found[filepath.Base(path)] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// uri is the URI of a file.
func (v *view) uri(path string) string {
	if s := v.open[path]; s != nil {
		return s.uri
	}
	return fileURI(path)
}

// locations are where names are written.
func (v *view) locations(all []names.Occurrence) []Location {
	found := []Location{}
	for _, o := range all {
		if of := v.text(o.Path); of != nil {
			found = append(found, Location{v.uri(o.Path), of.Range(o.From, o.To)})
		}
	}
	return found
}

// edit returns the edits of files for the client.
func (v *view) edit(edits map[string][]config.Edit) *WorkspaceEdit {
	w := &WorkspaceEdit{}
	versions := v.server.client.has("workspace", "workspaceEdit", "documentChanges")
	for _, path := range slices.Sorted(maps.Keys(edits)) {
		of := v.text(path)
		if of == nil {
			continue // nothing is edited that was not read
		}
		made := []TextEdit{}
		for _, e := range edits[path] {
			made = append(made, TextEdit{of.Range(e.From, e.To), e.Text})
		}
		if versions {
			id := versionedID{URI: v.uri(path)}
			if s := v.open[path]; s != nil {
				id.Version = s.version
			}
			w.DocumentChanges = append(w.DocumentChanges, documentEdit{id, made})
			continue
		}
		if w.Changes == nil {
			w.Changes = map[string][]TextEdit{}
		}
		w.Changes[v.uri(path)] = made
	}
	return w
}
