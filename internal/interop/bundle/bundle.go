package bundle

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/project"
	"toolgraph/internal/project/lock"
)

// The bounds of a bundle. Hosts unpack it in memory.
const (
	mostBytes     = 512 << 20 // of all files together
	mostFiles     = 10_000
	mostVariables = 64 // which the host asks the user for
)

// Options say what a bundle has beside the graph.
type Options struct {
	Binaries  []string // toolgraph executables, one for each operating system; at least one
	Include   []string // more files and directories, relative to the directory of the graph file
	Icon      string   // path of a PNG file; "" for none
	Author    string   // default: the title of the server
	AllowExec bool     // serve with --allow-exec
	Locked    bool     // serve with --locked
	Licenses  string   // the licences of the executables, for a file beside them; "" for none
	// Output and Description are the paths of the bundle and of its server.json, which are never part of
	// it. The default of Output is the name of the server; Description may be "".
	Output, Description string
}

// Bundle is a packed graph. It is not changed after New.
type Bundle struct {
	Manifest Manifest
	Output   string   // the path to write it to
	Files    []File   // sorted by name
	Needs    []string // what the user's machine must have, for people; sorted
	Binaries []Binary // in the order of the platforms' names
}

// File is one file of a bundle.
type File struct {
	Name string // with slashes, from the root of the bundle
	Mode fs.FileMode
	Data []byte
}

var notInName = wording.Pattern(`[^A-Za-z0-9_-]+`)

// packer collects the files of one bundle.
type packer struct {
	opts  Options
	file  *config.File
	root  *os.Root // the directory that holds the graph file and its imports
	dir   string   // the absolute path of root
	own   string   // the directory of the graph file, relative to root, with slashes
	files map[string]File
	bytes int
	found config.Diagnostics
	needs map[string]bool

	secretAt []span        // where secrets are reported
	outputs  []fs.FileInfo // of Options that exist
}

// New packs the graph file at a path. The error is config.Diagnostics when the file has errors or
// cannot work on another machine.
func New(ctx context.Context, graphFile string, opts Options) (*Bundle, error) {
	p, err := project.Load(ctx, graphFile, config.Options{AssumeEnv: true, LookupEnv: placeholder})
	if err != nil {
		return nil, err
	}
	k := &packer{opts: opts, file: p.File, files: map[string]File{}, needs: map[string]bool{}}
	if err := k.openRoot(); err != nil {
		return nil, err
	}
	defer k.root.Close()
	output := cmp.Or(opts.Output, strings.Trim(notInName().ReplaceAllString(p.File.Server.Name.Value, "-"), "-")+".mcpb")
	for _, name := range []string{output, opts.Description} {
		if info, err := os.Stat(name); err == nil {
			k.outputs = append(k.outputs, info)
		}
	}
	if err := k.addGraph(); err != nil {
		return nil, err
	}
	for _, name := range opts.Include {
		if err := k.include(name); err != nil {
			return nil, err
		}
	}
	for _, u := range p.File.Servers {
		if err := k.server(u); err != nil {
			return nil, err
		}
	}
	k.directories()
	if err := k.secrets(); err != nil {
		return nil, err
	}
	variables, err := k.variables()
	if err != nil {
		return nil, err
	}
	k.found.Sort()
	if k.found.Err() != nil {
		return nil, k.found
	}
	binaries, err := k.addBinaries()
	if err != nil {
		return nil, err
	}
	if err := k.addIcon(); err != nil {
		return nil, err
	}
	b := &Bundle{Output: output, Needs: sortedKeys(k.needs), Binaries: binaries}
	b.Manifest = k.manifest(p, variables, b)
	text, err := b.Manifest.encode()
	if err != nil {
		return nil, err
	}
	if err := k.add(File{Name: "manifest.json", Mode: 0o644, Data: text}); err != nil {
		return nil, err
	}
	for _, name := range sortedKeys(k.files) {
		b.Files = append(b.Files, k.files[name])
	}
	return b, nil
}

// Variables returns the environment variables that the host asks its user for, sorted.
func (b *Bundle) Variables() []string { return sortedKeys(b.Manifest.UserConfig) }

// Encode returns the archive. Equal bundles have equal bytes.
func (b *Bundle) Encode() ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range b.Files {
		h := &zip.FileHeader{Name: f.Name, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)}
		h.SetMode(f.Mode)
		part, err := w.CreateHeader(h)
		if err == nil {
			_, err = part.Write(f.Data)
		}
		if err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

// openRoot opens the directory that holds the graph file and all its imports.
func (k *packer) openRoot() error {
	var sources []string
	for _, source := range k.file.Sources() {
		abs, err := filepath.Abs(source)
		if err != nil {
			return err
		}
		sources = append(sources, abs)
	}
	k.dir = filepath.Dir(sources[0])
	for _, source := range sources {
		for !within(k.dir, source) {
			parent := filepath.Dir(k.dir)
			if parent == k.dir {
				return fmt.Errorf("%s and %s have no common directory; put them on one drive", sources[0], source)
			}
			k.dir = parent
		}
	}
	own, err := filepath.Rel(k.dir, filepath.Dir(sources[0]))
	if err != nil {
		return err
	}
	k.own = filepath.ToSlash(own)
	k.root, err = os.OpenRoot(k.dir)
	return err
}

// addGraph adds the graph file, its imports and its lock.
func (k *packer) addGraph() error {
	k.imports(k.file)
	for _, source := range k.file.Sources() {
		abs, err := filepath.Abs(source)
		if err == nil {
			err = k.addPath(abs)
		}
		if err != nil {
			return err
		}
	}
	locked, err := filepath.Abs(lock.Path(k.file.Path))
	if err != nil {
		return err
	}
	err = k.addPath(locked)
	switch missing := errors.Is(err, fs.ErrNotExist); {
	case missing && k.opts.Locked:
		return fmt.Errorf("%s does not exist, and --locked needs it; run: toolgraph lock %s", lock.Path(k.file.Path), k.file.Path)
	case missing:
		return nil
	}
	return err
}

// include adds a file, or the files below a directory, without hidden ones and outputs.
func (k *packer) include(name string) error {
	abs := filepath.Join(k.dir, filepath.FromSlash(k.own), name)
	if name == "" {
		return errors.New("--include has an empty path; name a file or a directory, or . for all files beside the graph file")
	}
	if filepath.IsAbs(name) || !within(k.dir, abs) {
		return fmt.Errorf("--include %s is not below %s; put it beside the graph file", name, k.dir)
	}
	rel, err := filepath.Rel(k.dir, abs)
	if err != nil {
		return err
	}
	switch info, err := k.root.Stat(rel); {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("--include %s does not exist in %s; create it, or correct the path, which is relative to the graph file", name, filepath.Join(k.dir, filepath.FromSlash(k.own)))
	case err != nil:
		return fmt.Errorf("--include %s: %s; copy it beside the graph file", name, plain(err))
	case k.isOutput(info):
		return fmt.Errorf("--include %s is a file that this command writes; include another, or write another", name)
	}
	return fs.WalkDir(k.root.FS(), filepath.ToSlash(rel), func(at string, entry fs.DirEntry, err error) error {
		hidden := strings.HasPrefix(path.Base(at), ".") && at != "." && at != filepath.ToSlash(rel)
		switch {
		case err != nil:
			return fmt.Errorf("--include %s: %s: %s; correct it, or include less", name, at, plain(err))
		case entry.IsDir() && hidden:
			return fs.SkipDir
		case entry.IsDir() || hidden:
			return nil
		}
		if info, err := entry.Info(); err == nil && k.isOutput(info) {
			return nil
		}
		return k.addPath(filepath.Join(k.dir, filepath.FromSlash(at)))
	})
}

// isOutput reports whether a file is one that is written from the bundle, of an earlier run: with it
// inside, equal input would not give equal bytes.
func (k *packer) isOutput(info fs.FileInfo) bool {
	return slices.ContainsFunc(k.outputs, func(output fs.FileInfo) bool { return os.SameFile(output, info) })
}

// addPath adds the regular file at an absolute path below the root.
func (k *packer) addPath(abs string) error {
	rel, err := filepath.Rel(k.dir, abs)
	if err != nil {
		return err
	}
	name := path.Join("graph", filepath.ToSlash(rel))
	if _, has := k.files[name]; has {
		return nil
	}
	info, err := k.root.Lstat(rel)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file, and a bundle has no others; name the file itself", abs)
	case info.Size() > int64(mostBytes-k.bytes):
		return tooLarge()
	}
	data, err := k.root.ReadFile(rel)
	if err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if info.Mode()&0o111 != 0 {
		mode = 0o755
	}
	return k.add(File{Name: name, Mode: mode, Data: data})
}

// add adds a file within the bounds.
func (k *packer) add(f File) error {
	k.bytes += len(f.Data)
	switch {
	case k.bytes > mostBytes:
		return tooLarge()
	case len(k.files) == mostFiles:
		return fmt.Errorf("the bundle has more than %d files; include fewer", mostFiles)
	}
	k.files[f.Name] = f
	return nil
}

func tooLarge() error {
	return fmt.Errorf("the files of the bundle have more than %d MiB together; include fewer", mostBytes>>20)
}

// has reports whether the bundle has the file at an absolute path, or a file below it.
func (k *packer) has(abs string) bool {
	rel, err := filepath.Rel(k.dir, abs)
	if err != nil {
		return false
	}
	name := path.Join("graph", filepath.ToSlash(rel))
	for file := range k.files {
		if file == name || strings.HasPrefix(file, name+"/") {
			return true
		}
	}
	return false
}

// addIcon adds the icon.
func (k *packer) addIcon() error {
	if k.opts.Icon == "" {
		return nil
	}
	info, err := os.Stat(k.opts.Icon)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular() || info.Size() > 1<<20:
		return fmt.Errorf("icon %s is not a file of at most 1 MiB; use a PNG file of 512×512 pixels", k.opts.Icon)
	}
	data, err := os.ReadFile(k.opts.Icon)
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")) {
		return fmt.Errorf("icon %s is no PNG file, and hosts show no other; convert it", k.opts.Icon)
	}
	return k.add(File{Name: "icon.png", Mode: 0o644, Data: data})
}

// within reports whether a cleaned absolute path is a directory or below it.
func within(dir, abs string) bool {
	rel, err := filepath.Rel(dir, abs)
	return err == nil && filepath.IsLocal(rel)
}

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}

// title is the name of the server for people.
func (k *packer) title() string {
	return cmp.Or(k.file.Server.Title.Value, k.file.Server.Name.Value)
}
