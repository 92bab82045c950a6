package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"toolgraph/internal/base/files"
	"toolgraph/internal/base/wording"
)

// lockTime is how long Open waits for a process that is ending.
const lockTime = time.Second

// The files beside a log: FILE.head and FILE.lock.
const (
	headSuffix = ".head"
	lockSuffix = ".lock"
)

// Open opens the log at path for writing, or creates it, and writes its first line. One process at
// a time may write a log. The error is also one of a log that does not agree with its head: what
// was removed from it could not be found later.
func Open(ctx context.Context, path string, o Options) (*Log, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("the audit log %s is not a regular file; name a file that does not exist, or an audit log", path)
	}
	o.MaxBytes = cmp.Or(o.MaxBytes, DefaultMaxBytes)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.now == nil {
		o.now = time.Now
	}
	l := &Log{path: path, options: o}
	if l.unlock, err = lock(ctx, path); err != nil {
		return nil, err
	}
	err = l.begin()
	if err == nil {
		_, err = l.write(Entry{Kind: Opened, Version: o.Version}, true)
	}
	if err != nil {
		if l.file != nil {
			_ = l.file.Close() // the other error says more
		}
		l.unlock()
		return nil, fmt.Errorf("the audit log cannot be written: %w", err)
	}
	return l, nil
}

func lock(ctx context.Context, path string) (unlock func(), err error) {
	busy := fmt.Errorf("another process writes the audit log %s; name another file with --audit", path)
	ctx, cancel := context.WithTimeoutCause(ctx, lockTime, busy)
	defer cancel()
	unlock, err = files.LockFile(ctx, path+lockSuffix)
	if errors.Is(err, files.ErrNoLocks) {
		return nil, fmt.Errorf("the audit log %s is on a file system without locks (%w); name a file on another one with --audit", path, err)
	}
	return unlock, err
}

// begin finds the end of the log, and opens its file or creates it.
func (l *Log) begin() error {
	known, err := readHead(l.path)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return l.damaged("%w", err)
	}
	info, err := os.Lstat(l.path)
	switch {
	case err == nil && info.Size() > 0:
		if missing {
			return l.damaged("%s%s is missing", l.path, headSuffix)
		}
		return l.resume(known)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	rotated, err := rotatedFiles(l.path)
	switch {
	case err != nil:
		return err
	case known.N > 0 && len(rotated) > 0: // the process died while it rotated
		newest := rotated[len(rotated)-1]
		t, err := readTail(filepath.Join(filepath.Dir(l.path), newest), known)
		if err != nil || !t.agrees || t.rest != nil {
			return l.damaged("it is missing, and %s does not end as %s%s says", newest, l.path, headSuffix)
		}
		l.last = t.last
		return l.create(newest)
	case known.N > 0:
		return l.damaged("it is missing or empty, and %s%s says that it has %d lines", l.path, headSuffix, known.N)
	case len(rotated) > 0:
		return l.damaged("it is missing, and %s exists", rotated[len(rotated)-1])
	}
	if err := writeHead(l.path, mark{}); err != nil {
		return err
	}
	return l.create("")
}

func (l *Log) damaged(format string, args ...any) error {
	return fmt.Errorf("%s is damaged: %w; check it with: toolgraph audit, restore it, or name another file with --audit", l.path, fmt.Errorf(format, args...))
}

// resume opens a file that has lines.
func (l *Log) resume(known mark) error {
	t, err := readTail(l.path, known)
	if err != nil {
		return l.damaged("%w", err)
	}
	if !t.agrees && t.first.Previous != "" && known.N < t.first.N { // the process died right after it rotated
		before, err := readTail(filepath.Join(filepath.Dir(l.path), filepath.Base(t.first.Previous)), known)
		t.agrees = err == nil && before.agrees && before.last.Hash == t.first.Prev
	}
	if !t.agrees {
		return l.damaged("it ends with line %d, and has no line %d with the hash that %s%s has", t.last.N, known.N, l.path, headSuffix)
	}
	if err := l.openFile(); err != nil {
		return err
	}
	l.last, l.day, l.open, l.cut = t.last, dayOf(t.first.Time), t.open, t.rest
	return nil
}

// tail is the end of a file of a log.
type tail struct {
	first  *Line // of the file
	last   mark
	rest   *fragment // after the last line
	open   bool      // the last line has no line break
	agrees bool      // it has the line that the head has
}

// tailSize is how much of a file is read. It has more lines than the head may be late.
const tailSize = 4 << 20

// readTail reads the end of a file of a log, and looks for the line that the head has. It changes
// nothing.
func readTail(path string, known mark) (*tail, error) {
	f, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	t := &tail{agrees: known.N == 0}
	enough := errors.New("enough")
	err = pieces(f, func(_ int, src []byte, _ bool) (err error) {
		if t.first, err = parse(src); err == nil && t.first.Kind != FileBegun {
			err = fmt.Errorf("found a line of kind %s, expected %s", wording.Quote(string(t.first.Kind)), FileBegun)
		}
		return cmp.Or(err, enough)
	})
	if !errors.Is(err, enough) {
		return nil, fmt.Errorf("line 1: %w", cmp.Or(err, io.ErrUnexpectedEOF))
	}
	from := max(0, info.Size()-tailSize)
	c := chain{}
	err = pieces(io.NewSectionReader(f, from, info.Size()-from), func(number int, src []byte, ended bool) error {
		if from > 0 && number == 1 {
			return nil // the end of a line
		}
		l, err := c.next(src, ended)
		if l != nil {
			t.open = !ended
			t.agrees = t.agrees || l.mark() == known
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if !c.begun {
		return nil, errors.New("its end has no line")
	}
	t.last, t.rest = c.last, c.pending
	return t, c.foreign()
}
