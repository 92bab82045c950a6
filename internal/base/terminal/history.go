package terminal

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"toolgraph/internal/base/files"
	"toolgraph/internal/base/wording"
)

const (
	mostLines = 500
	mostLine  = 2000 // bytes of a line; a longer one is not kept
	mostBytes = mostLines * mostLine
)

// History is the lines that a user has entered, kept in a file of this user alone. A line goes to the
// end of the file when it is entered; the file is shortened when it is read. Two processes may write
// it at the same time: a line that one adds while the other one shortens the file may be lost.
type History struct {
	path    string
	private func(line string) bool
	lines   []string
}

// OpenHistory reads the lines of the file at path, which need not exist; without a path nothing is
// kept on the disk. private reports that a line must not be kept.
func OpenHistory(path string, private func(line string) bool) *History {
	h := &History{path: path, private: private}
	if path == "" {
		return h
	}
	f, err := os.OpenFile(path, os.O_RDONLY|files.NoFollow, 0)
	if err != nil {
		return h
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		h.path = ""
		return h
	}
	// The end of a file that is too long is what counts; its first line is a part of one.
	from := max(0, info.Size()-2*mostBytes)
	raw, err := io.ReadAll(io.NewSectionReader(f, from, 2*mostBytes))
	if err != nil {
		return h
	}
	lines := strings.Split(string(raw), "\n")
	if from > 0 {
		lines = lines[1:]
	}
	for _, line := range lines {
		if h.keeps(line) {
			h.lines = append(h.lines, line)
		}
	}
	read := len(h.lines)
	if h.lines = h.lines[max(0, read-mostLines):]; read > 2*mostLines || from > 0 {
		_ = files.Replace(path, []byte(strings.Join(h.lines, "\n")+"\n"), 0o600) // else it is shortened next time
	}
	return h
}

// Lines returns the lines, the oldest first.
func (h *History) Lines() []string { return h.lines }

// Add keeps a line, and reports whether it does: one that is empty or begins with a space, repeats
// the line before, is long or private is not kept. Nothing is said about a file that cannot be
// written.
func (h *History) Add(line string) bool {
	if !h.keeps(line) || len(h.lines) > 0 && h.lines[len(h.lines)-1] == line {
		return false
	}
	h.lines = append(h.lines, line)
	h.lines = h.lines[max(0, len(h.lines)-mostLines):]
	if h.path == "" || os.MkdirAll(filepath.Dir(h.path), 0o700) != nil {
		return true
	}
	f, err := os.OpenFile(h.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|files.NoFollow, 0o600)
	if err != nil {
		return true
	}
	_ = f.Chmod(0o600)
	_, _ = f.WriteString(line + "\n")
	_ = f.Close()
	return true
}

func (h *History) keeps(line string) bool {
	return line != "" && line[0] != ' ' && len(line) <= mostLine && utf8.ValidString(line) &&
		line == wording.OneLine(line) && !h.private(line)
}
