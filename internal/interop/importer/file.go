package importer

import (
	"fmt"
	"path/filepath"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
)

// File is an imported graph file, and the files beside it.
type File struct {
	Graph    []byte   // YAML
	Test     []byte   // YAML of a test file for it; nil when it was not asked for
	Cassette []byte   // JSON of the test's recorded calls
	Warnings []string // what the graph does not do as its source did, one line each
}

// draft is a graph file that is being written.
type draft struct {
	notes    map[*config.Data]string
	warnings []string
}

func newDraft() *draft { return &draft{notes: map[*config.Data]string{}} }

// note adds a line to the comment above a part.
func (d *draft) note(part *config.Data, format string, args ...any) {
	if before := d.notes[part]; before != "" {
		d.notes[part] = before + "\n" + fmt.Sprintf(format, args...)
		return
	}
	d.notes[part] = fmt.Sprintf(format, args...)
}

func (d *draft) warn(format string, args ...any) {
	d.warnings = append(d.warnings, wording.OneLine(fmt.Sprintf(format, args...)))
}

// placed returns an error at a line and column of an input, both from 1.
func placed(path string, line, column int, format string, args ...any) error {
	return fmt.Errorf("%s:%d:%d: %s", path, line, column, fmt.Sprintf(format, args...))
}

// fileName returns the last part of a path, for a comment.
func fileName(path string) string { return wording.Shorten(filepath.Base(path)) }
