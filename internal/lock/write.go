package lock

import (
	"bytes"
	"fmt"
	"os"

	"toolgraph/config"
	"toolgraph/internal/files"
)

// Write gives the file the lock as its content, as files.Write does. A new one can be
// read by all, since it is committed and has no secrets. A file that has the content
// already is not touched.
func (l *Lock) Write(path string) error {
	content := l.Encode()
	if _, err := config.ParseData(path, content); err != nil {
		return fmt.Errorf("the lock cannot be kept in one file, because it could not be read again: %w; split the graph file", err)
	}
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, content) {
			return nil
		}
	}
	return files.Write(path, content, 0o644)
}
