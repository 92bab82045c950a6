package demo

import (
	"errors"
	"fmt"
	"os"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxLine    = 1000    // characters of a line to append
	maxWritten = 1 << 20 // bytes of a file that a line is appended to
)

// AppendLine adds a line to the end of a text file, .md or .txt, and creates the file if it is missing. It
// changes no line that is there, and follows no link out of the directory.
func (f *Files) AppendLine(name, line string) (Appended, error) {
	if !f.isWritable {
		return Appended{}, errors.New("the server only reads; start it with --write")
	}
	switch below := clean(name); {
	case path.Ext(below) != ".md" && path.Ext(below) != ".txt":
		return Appended{}, fmt.Errorf("%s is not a text file; expected a name that ends in .md or .txt", name)
	case strings.HasPrefix(below, ".") || strings.Contains(below, "/."):
		return Appended{}, fmt.Errorf("%s is hidden; expected a name without a leading dot", name)
	case utf8.RuneCountInString(line) > maxLine:
		return Appended{}, fmt.Errorf("the line has %d characters, at most %d are written", utf8.RuneCountInString(line), maxLine)
	case !utf8.ValidString(line) || strings.ContainsFunc(line, func(r rune) bool { return r != '\t' && unicode.IsControl(r) }):
		return Appended{}, errors.New("the line has a line break or another control character; expected one line of text")
	}
	if info, err := f.root.Stat(clean(name)); err == nil {
		switch {
		case !info.Mode().IsRegular(): // opening a pipe could block
			return Appended{}, fmt.Errorf("%s is not a regular file", name)
		case info.Size()+int64(len(line)) >= maxWritten:
			return Appended{}, fmt.Errorf("%s would be larger than %d bytes", name, maxWritten)
		}
	}
	file, err := f.root.OpenFile(clean(name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return Appended{}, named(err, name)
	}
	n, err := file.WriteString(line + "\n") // one write: no half lines
	if err := errors.Join(err, file.Close()); err != nil {
		return Appended{}, named(err, name)
	}
	return Appended{Bytes: n}, nil
}
