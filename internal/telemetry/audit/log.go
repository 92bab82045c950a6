package audit

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Options are the options of a Log.
type Options struct {
	Version  string // of the program
	MaxBytes int64  // size above which the file is rotated; 0: 64 MiB
	Logger   *slog.Logger
	// Export gets each line after it was written, one at a time; nil: no function does. It must
	// not block.
	Export func(*Line)

	now func() time.Time // nil: time.Now
}

// DefaultMaxBytes is the size above which a file is rotated.
const DefaultMaxBytes = 64 << 20

// Bounds of what the head does not cover yet: lines of calls that only read, and of runs.
const (
	headLines = 256
	headTime  = time.Second
)

// Log is an audit log that is open for writing, by this process alone. Safe for concurrent use.
type Log struct {
	path    string
	options Options
	unlock  func()

	flushing sync.Mutex   // held while lines are flushed, before mu
	flushed  atomic.Int64 // lines that are on the disk and that the head covers

	mu     sync.Mutex // guards what follows
	file   file
	info   os.FileInfo // of file
	size   int64       // of file, as this process has written it
	last   mark
	day    string    // UTC, of the first line of file
	open   bool      // the last line has no line break yet
	cut    *fragment // after the last line; nil: none
	lost   Gap       // lines that could not be written since the last one
	failed error     // no line can be written until the next start
	warned bool      // that the rotation failed
	timer  *time.Timer
}

// file is what a log needs of its file; tests have others.
type file interface {
	io.WriteCloser
	Sync() error
	Truncate(size int64) error
}

var errClosed = errors.New("the audit log is closed")

// note writes a line that no call waits for. When it fails, the line counts as lost.
func (l *Log) note(e Entry) { _, _ = l.write(e, false) }

// write writes a line, and reports whether it is in the file. With flush it returns when the line
// is on the disk and in the head; other lines follow within a second, and no more than 256 lines,
// and one for each goroutine that writes, wait for that.
func (l *Log) write(e Entry, flush bool) (written bool, err error) {
	n, err := l.append(&e)
	if err != nil {
		return false, err
	}
	if flush || n-l.flushed.Load() >= headLines {
		return true, l.flush(n)
	}
	l.flushSoon()
	return true, nil
}

// append writes a line to the file and returns its number.
func (l *Log) append(e *Entry) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.put(e)
	if err != nil {
		if l.lost.Lines == 0 {
			l.lost.Since = l.options.now().UTC().Truncate(time.Millisecond)
			l.options.Logger.Warn("the audit log cannot be written; calls that are not known to be read-only are refused until it can", "file", l.path, "error", err)
		}
		l.lost.Lines++
	}
	return l.last.N, err
}

func (l *Log) put(e *Entry) error {
	if err := l.check(); err != nil {
		return err
	}
	l.rotateWhenDue()
	if err := l.putLost(); err != nil {
		return err
	}
	return l.putLine(e)
}

// putLost reports an incomplete line and lines that could not be written, if there are any.
func (l *Log) putLost() error {
	missing := l.lost
	e := Entry{Kind: Lost, Cut: l.cut.asCut()}
	if missing.Lines > 0 {
		e.Missing = &missing
	} else if e.Cut == nil {
		return nil
	}
	if err := l.putLine(&e); err != nil {
		return err
	}
	l.lost = Gap{}
	l.options.Logger.Warn("the audit log goes on after lines that were not written", "file", l.path, "lines", missing.Lines)
	return nil
}

// check returns why the file must not be written: it is not what this process has left.
func (l *Log) check() error {
	if l.failed != nil {
		return l.failed
	}
	info, err := os.Stat(l.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s was removed or renamed; put it back", l.path)
	case err != nil:
		return err
	case !os.SameFile(info, l.info):
		return fmt.Errorf("%s was replaced by another file; put the original back", l.path)
	case info.Mode().Perm()&0o200 == 0:
		return fmt.Errorf("%s has no write permission; restore it with: chmod 600", l.path)
	case info.Size() != l.size:
		l.failed = fmt.Errorf("%s was changed by another program: found %d bytes, expected %d; check it with: toolgraph audit, and restart", l.path, info.Size(), l.size)
	}
	return l.failed
}

// putLine writes one line. What it leaves of a line that fails is a fragment, which the next line
// reports.
func (l *Log) putLine(e *Entry) error {
	line, err := seal(e, l.last, l.options.now())
	if err != nil {
		return err
	}
	var out []byte
	if l.open || l.cut != nil {
		out = []byte{'\n'}
	}
	begin := len(out)
	out = append(append(out, line.text...), '\n')
	n, err := l.file.Write(out)
	if l.cut != nil && n < begin+len(line.text) && l.file.Truncate(l.size) == nil {
		n = 0 // a line break after a fragment is followed by a line, or it was not written here
	}
	l.size += int64(n)
	if whole := begin + len(line.text); n < whole {
		l.keep(out[:n])
		return fmt.Errorf("%w; make room on its disk", cmp.Or(err, io.ErrShortWrite))
	}
	l.open, l.cut, l.last = n < len(out), nil, line.mark()
	l.export(line)
	return nil
}

func (l *Log) export(line *Line) {
	if l.options.Export != nil {
		l.options.Export(line)
	}
}

// keep adds to the fragment at the end of the file. The line break that ends a complete line is
// no part of it.
func (l *Log) keep(src []byte) {
	if l.open && len(src) > 0 {
		l.open, src = false, src[1:]
	}
	switch {
	case len(src) == 0:
	case l.cut != nil:
		_, _ = l.cut.Write(src) // a hash never fails to write
	default:
		l.cut = newFragment(src)
	}
}

// flushSoon flushes within a second.
func (l *Log) flushSoon() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer == nil && l.failed == nil {
		l.timer = time.AfterFunc(headTime, func() {
			l.mu.Lock()
			n := l.last.N
			l.timer = nil
			l.mu.Unlock()
			if err := l.flush(n); err != nil && !errors.Is(err, errClosed) {
				l.options.Logger.Warn("the audit log cannot be flushed", "file", l.path, "error", err)
			}
		})
	}
}

// flush returns when the lines up to n are on the disk, and the head covers them. Callers that wait
// for each other share one flush.
func (l *Log) flush(n int64) error {
	l.flushing.Lock()
	defer l.flushing.Unlock()
	if l.flushed.Load() >= n {
		return nil
	}
	l.mu.Lock()
	f, last, failed := l.file, l.last, l.failed
	l.mu.Unlock()
	if failed != nil {
		return failed
	}
	if err := f.Sync(); err != nil && !errors.Is(err, os.ErrClosed) { // a rotated file was flushed before it was closed
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.fail(notFlushed(l.path, err))
	}
	if err := writeHead(l.path, last); err != nil {
		return fmt.Errorf("%s%s: %w; make room on its disk, or restore access to it", l.path, headSuffix, err)
	}
	l.flushed.Store(last.N)
	return nil
}

func notFlushed(path string, err error) error {
	return fmt.Errorf("%s could not be flushed to the disk (%w); restart when the disk is in order", path, err)
}

// fail ends the writing until the next start: what is on the disk is unknown. mu is held.
func (l *Log) fail(err error) error {
	l.failed = cmp.Or(l.failed, err)
	return err
}

// Close writes the last line, flushes, and lets other processes write the file. It may be called
// once, when no run is left.
func (l *Log) Close() error {
	_, err := l.write(Entry{Kind: Closed}, true)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer != nil {
		l.timer.Stop()
	}
	l.failed = cmp.Or(l.failed, errClosed)
	err = errors.Join(err, l.file.Close())
	l.unlock()
	return err
}
