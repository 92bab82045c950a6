package cli

import (
	"context"
	"errors"
	"slices"

	"toolgraph/config"
	"toolgraph/internal/authoring"
	"toolgraph/internal/debugger/page"
	"toolgraph/internal/editor/checks"
	"toolgraph/internal/project/lock"
	"toolgraph/mcpclient"
)

// file returns what the page may do with the graph file. kit changes it; nil: the page may not.
func (f *uiFlags) file(kit *authoring.Toolkit, listed func() *mcpclient.Pool) page.File {
	file := page.File{
		Read: func() ([]byte, error) { return config.ReadFile(f.Graph) },
		Check: func(ctx context.Context, src []byte, saved bool) (*checks.Checked, error) {
			return f.checkText(ctx, src, saved, listed())
		},
	}
	if kit != nil {
		file.Save = func(ctx context.Context, text, read []byte, broken bool) error {
			err := kit.Save(ctx, text, read, broken)
			if errors.Is(err, authoring.ErrChanged) {
				return page.ErrChanged
			}
			return err
		}
	}
	return file
}

// checkText returns what toolgraph check reports of a text of the graph file, and what it knows of it. It
// starts no server and asks none. A text that is not saved reads no file that the saved one does not read.
func (f *uiFlags) checkText(ctx context.Context, src []byte, saved bool, pool *mcpclient.Pool) (*checks.Checked, error) {
	opts := f.FileOptions()
	if !saved {
		read := f.files()
		opts.MayImport = func(path string) bool { return slices.Contains(read, path) }
	}
	return checks.Text(ctx, f.Graph, src, opts, checks.Servers{Running: pool})
}

// watched are the files with whose changes the page changes: the lock as well, for findings.
func (f *uiFlags) watched() []string {
	files, beside := f.files(), lock.Path(f.Graph)
	if !slices.Contains(files, beside) {
		files = append(files, beside)
	}
	return files
}
