package audit

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"toolgraph/internal/base/files"
	"toolgraph/internal/base/wording"
)

// rotateWhenDue begins a new file when the day has changed or the file is too long. When that
// fails, the old file goes on.
func (l *Log) rotateWhenDue() {
	if l.cut != nil || l.open || l.size < l.options.MaxBytes && dayOf(l.options.now()) == l.day {
		return // what follows an incomplete line is in its file
	}
	if l.warned && l.last.N%headLines != 0 {
		return // it may fail again, and takes time
	}
	err := l.rotate()
	if err != nil && !l.warned {
		l.options.Logger.Warn("the audit log cannot be rotated; its file goes on", "file", l.path, "error", err)
	}
	l.warned = err != nil
}

// rotate renames the file and puts the next one in its place. After an error the file is as before,
// or the log cannot be written until the next start.
func (l *Log) rotate() error {
	name, err := l.freeName()
	if err != nil {
		return err
	}
	first, err := l.prepare(filepath.Base(name))
	if err != nil {
		return err
	}
	if err := l.file.Sync(); err != nil {
		return l.fail(notFlushed(l.path, err))
	}
	err = l.file.Close() // before it is renamed, as Windows wants it
	if err == nil {
		if err = os.Rename(l.path, name); err == nil {
			if err = l.adopt(first); err == nil {
				return nil
			}
			err = errors.Join(err, os.Rename(name, l.path))
		}
	}
	if again := l.openFile(); again != nil {
		return l.fail(fmt.Errorf("%s cannot be opened again (%w); restart", l.path, again))
	}
	return err
}

// nextSuffix names the next file while it is prepared.
const nextSuffix = ".next"

// prepare writes the next file, with its first line, beside the log.
func (l *Log) prepare(previous string) (*Line, error) {
	first, err := seal(&Entry{Kind: FileBegun, Previous: previous}, l.last, l.options.now())
	if err != nil {
		return nil, err
	}
	return first, files.Replace(l.path+nextSuffix, []byte(first.text+"\n"), 0o600)
}

// adopt makes the next file that of the log.
func (l *Log) adopt(first *Line) error {
	if err := os.Rename(l.path+nextSuffix, l.path); err != nil {
		return err
	}
	if err := l.openFile(); err != nil {
		return err
	}
	l.last, l.day, l.open, l.cut = first.mark(), dayOf(first.Time), false, nil
	l.export(first)
	return nil
}

// create makes the first file of the log, or the one after a file that is renamed already.
func (l *Log) create(previous string) error {
	first, err := l.prepare(previous)
	if err != nil {
		return err
	}
	return l.adopt(first)
}

// openFile opens the file at path for appending.
func (l *Log) openFile() error {
	f, err := os.OpenFile(l.path, os.O_APPEND|os.O_WRONLY|files.NoFollow, 0)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	l.file, l.info, l.size = f, info, info.Size()
	return nil
}

func dayOf(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// freeName returns a name for the file when it is rotated: FILE.2026-11-22.1, or a higher number.
func (l *Log) freeName() (string, error) {
	rotated, err := rotatedFiles(l.path)
	if err != nil {
		return "", err
	}
	number := 1
	for _, name := range rotated {
		if day, n := datedName(l.path, name); day == l.day {
			number = n + 1 // they are sorted
		}
	}
	if number > maxNumber {
		return "", fmt.Errorf("%s.%s.%d exists, and no higher number may follow", l.path, l.day, maxNumber)
	}
	return fmt.Sprintf("%s.%s.%d", l.path, l.day, number), nil
}

// maxNumber is the highest number of a rotated file; dated has as many digits.
const maxNumber = 999_999

var dated = wording.Pattern(`^\.(\d{4}-\d{2}-\d{2})\.([1-9]\d{0,5})$`)

// datedName returns the day and the number in the name of a rotated file of the log at path; the
// day is empty when it is none.
func datedName(path, name string) (day string, number int) {
	suffix, ours := strings.CutPrefix(name, filepath.Base(path))
	parts := dated().FindStringSubmatch(suffix)
	if !ours || parts == nil {
		return "", 0
	}
	number, _ = strconv.Atoi(parts[2]) // the expression allows only numbers
	return parts[1], number
}

// rotatedFiles returns the names of the rotated files of the log at path, oldest first.
func rotatedFiles(path string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if day, _ := datedName(path, e.Name()); day != "" {
			names = append(names, e.Name())
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		dayA, a2 := datedName(path, a)
		dayB, b2 := datedName(path, b)
		return cmp.Or(cmp.Compare(dayA, dayB), cmp.Compare(a2, b2))
	})
	return names, nil
}
