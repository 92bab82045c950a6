package audit

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"toolgraph/internal/base/files"
	"toolgraph/internal/base/wording"
)

// Problem is the first place at which a log is not what was written.
type Problem struct {
	File    string `json:"file"`
	Line    int    `json:"line,omitempty"` // from 1; 0: the file as a whole
	Message string `json:"message"`        // what was found, and what was expected
}

// Error is "file:line: message".
func (p *Problem) Error() string {
	if p.Line == 0 {
		return p.File + ": " + p.Message
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Message)
}

// Note is something that is no sign of a change.
type Note struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Message string `json:"message"`
}

// Verify reads the log at path with all rotated files, and its head. The report has the first
// problem, and what was read before it. The error is that of a file that cannot be read. It may be
// called while a process writes the log.
func Verify(path string) (*Report, error) {
	v := verifier{path: path, report: newReport(path)}
	if err := v.readHead(); err != nil {
		return v.result(err)
	}
	names, err := v.names()
	if v.file != nil {
		defer v.file.Close()
	}
	if err != nil {
		return v.result(err)
	}
	v.report.Files = len(names)
	v.chain.begun = true // the first line follows none
	for i, name := range names {
		if err := v.read(name, i == len(names)-1); err != nil {
			return v.result(err)
		}
	}
	return v.result(v.ending())
}

type verifier struct {
	path   string
	head   mark
	file   *os.File // of the end of the log, also when it is rotated meanwhile
	chain  chain
	report *Report
	line   int // of the last file, from 1
}

// result puts a problem into the report.
func (v *verifier) result(err error) (*Report, error) {
	var p *Problem
	if errors.As(err, &p) {
		v.report.Problem = p
		err = nil
	}
	v.report.OK = v.report.Problem == nil
	v.report.finish()
	return v.report, err
}

// named returns the path of a file beside the log.
func (v *verifier) named(name string) string { return filepath.Join(filepath.Dir(v.path), name) }

// readHead is called first: the log may grow, the head that was read must not be ahead of it.
func (v *verifier) readHead() (err error) {
	v.head, err = readHead(v.path)
	var unreadable *fs.PathError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(v.path); err != nil {
			return err
		}
		return &Problem{File: v.path + headSuffix, Message: "the file is missing; expected the number of lines and the newest hash, without which a removed end cannot be found"}
	case errors.As(err, &unreadable):
		return err
	}
	return &Problem{File: v.path + headSuffix, Message: "found no number of lines and hash; expected those that the last flush of the log wrote"}
}

// names returns the files of the log, oldest first: each names the one before it.
func (v *verifier) names() ([]string, error) {
	all, err := rotatedFiles(v.path)
	if err != nil {
		return nil, err
	}
	if err := v.open(); err != nil {
		return nil, err
	}
	names := []string{filepath.Base(v.path)}
	for {
		name := names[len(names)-1]
		first, err := v.first(name)
		if err != nil {
			return nil, err
		}
		if first == nil || first.Previous == "" {
			break // a bad first line is reported when it is its turn
		}
		before := first.Previous
		day, _ := datedName(v.path, before)
		if _, err := os.Lstat(v.named(before)); err != nil || day == "" || slices.Contains(names, before) {
			return nil, &Problem{File: v.named(name), Line: 1, Message: fmt.Sprintf("found no file %s, expected it as the one before this file: restore it", wording.Quote(before))}
		}
		names = append(names, before)
	}
	slices.Reverse(names)
	for _, other := range all {
		if !slices.Contains(names, other) {
			return nil, &Problem{File: v.named(other), Message: fmt.Sprintf("the file does not belong to the log; found %s as its first file, expected one that leads to this file", names[0])}
		}
	}
	return names, nil
}

// open opens the file at the end of the log. Between two names of a file that is being rotated there
// is none.
func (v *verifier) open() (err error) {
	for range 20 {
		if v.file, err = openRegular(v.path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		time.Sleep(time.Millisecond)
	}
	return &Problem{File: v.path, Message: fmt.Sprintf("the file is missing; expected line %d of the log, as %s%s says", v.head.N, v.path, headSuffix)}
}

func openRegular(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|files.NoFollow, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// first returns the first line of a file; nil when it is no line.
func (v *verifier) first(name string) (first *Line, err error) {
	err = v.pieces(name, func(_ int, src []byte, _ bool) error {
		first, _ = parse(src) // nil is reported later
		return errEnough
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return first, err
}

var errEnough = errors.New("enough was read")

func (v *verifier) pieces(name string, each func(number int, src []byte, ended bool) error) error {
	if name == filepath.Base(v.path) {
		if _, err := v.file.Seek(0, io.SeekStart); err != nil {
			return err
		}
		return pieces(v.file, each)
	}
	f, err := openRegular(v.named(name))
	if err != nil {
		return err
	}
	defer f.Close()
	return pieces(f, each)
}

// read reads one file of the log.
func (v *verifier) read(name string, isLast bool) error {
	bad, first := 0, true
	problem := func(line int, err error) error {
		return &Problem{File: v.named(name), Line: line, Message: err.Error()}
	}
	err := v.pieces(name, func(number int, src []byte, ended bool) error {
		v.line = number
		pending := v.chain.pending
		l, err := v.chain.next(src, ended)
		if pending == nil {
			bad = number
		}
		switch {
		case err != nil:
			return problem(bad, err)
		case l == nil:
			return nil
		case first != (l.Kind == FileBegun):
			return problem(number, fmt.Errorf("found a line of kind %s, expected %s as the first line of a file and nowhere else", wording.Quote(string(l.Kind)), FileBegun))
		case l.N == v.head.N && l.Hash != v.head.Hash:
			return problem(number, fmt.Errorf("found the hash %.16s…, expected %.16s… as %s%s says", l.Hash, printable(v.head.Hash), v.path, headSuffix))
		}
		first = false
		if l.Cut != nil {
			v.report.note(v.named(name), bad, fmt.Sprintf("a crash, or a full disk, cut this line off after %s; line %d of the log reports it", wording.Count(int(l.Cut.Bytes), "byte"), l.N))
		}
		v.report.add(l, v.named(name), number)
		return nil
	})
	switch {
	case err != nil:
		return err
	case first:
		return problem(1, v.firstProblem())
	case v.chain.pending != nil && (!isLast || v.behind() || v.chain.foreign() != nil):
		return problem(bad, v.chain.why)
	case v.chain.pending != nil:
		v.report.note(v.named(name), bad, "the last line is incomplete: its process died while it wrote it, or is writing it now")
	}
	return nil
}

// firstProblem is why a file has no first line.
func (v *verifier) firstProblem() error {
	if v.chain.why != nil {
		return v.chain.why
	}
	return fmt.Errorf("the file is empty; expected a line of kind %s", FileBegun)
}

// behind reports whether the log has fewer lines than the head.
func (v *verifier) behind() bool { return v.chain.last.N < v.head.N }

// ending compares the end of the log with the head.
func (v *verifier) ending() error {
	if !v.behind() {
		return nil
	}
	return &Problem{File: v.path, Line: v.line + 1, Message: fmt.Sprintf(
		"found the end of the log after its line %d, expected line %d, as %s%s says: %s",
		v.chain.last.N, v.head.N, v.path, headSuffix, removed(v.head.N-v.chain.last.N))}
}
