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

// fileOf returns what the page may do with a graph file. kit changes it; nil: the page may not.
func (f *uiFlags) fileOf(path string, kit *authoring.Toolkit, listed func() *mcpclient.Pool) page.File {
	file := page.File{
		Read: func() ([]byte, error) { return config.ReadFile(path) },
		Check: func(ctx context.Context, src []byte, saved bool) (*checks.Checked, error) {
			return f.checkText(ctx, path, src, saved, listed())
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
func (f *uiFlags) checkText(ctx context.Context, path string, src []byte, saved bool, pool *mcpclient.Pool) (*checks.Checked, error) {
	opts := f.FileOptions()
	if !saved {
		read := f.filesOf(path)
		opts.MayImport = func(path string) bool { return slices.Contains(read, path) }
	}
	return checks.Text(ctx, path, src, opts, checks.Beside{Running: pool})
}

// watched are the files with whose changes the page of a graph file changes: the lock as well, for findings.
func (f *uiFlags) watched(path string) []string {
	files, beside := f.filesOf(path), lock.Path(path)
	if !slices.Contains(files, beside) {
		files = append(files, beside)
	}
	return files
}
