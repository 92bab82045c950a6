package audit

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
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

func (l *Log) rotate() error {
	name, err := l.freeName()
	if err != nil {
		return err
	}
	old := l.file
	if err := old.Sync(); err != nil {
		l.failed = fmt.Errorf("%s could not be flushed to the disk (%w); restart when the disk is in order", l.path, err)
		return err
	}
	if err := os.Rename(l.path, name); err != nil {
		return err
	}
	if err := l.create(filepath.Base(name)); err != nil {
		if back := os.Rename(name, l.path); back != nil {
			l.failed = fmt.Errorf("%s was renamed to %s and cannot be renamed back (%w); restart", l.path, name, back)
		}
		return err
	}
	return old.Close()
}

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

var dated = regexp.MustCompile(`^\.(\d{4}-\d{2}-\d{2})\.([1-9]\d{0,5})$`)

// datedName returns the day and the number in the name of a rotated file of the log at path; the
// day is empty when it is none.
func datedName(path, name string) (day string, number int) {
	suffix, ours := strings.CutPrefix(name, filepath.Base(path))
	parts := dated.FindStringSubmatch(suffix)
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
