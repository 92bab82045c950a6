package runtime

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// settleTime is how long changes are gathered: editors save in several steps.
	settleTime = 150 * time.Millisecond
	// maxWatched is how much of a file is compared, in bytes; its size always is.
	maxWatched = 64 << 20
)

// watcher waits for changes of the contents of files. It belongs to one goroutine.
type watcher struct {
	files  func() []string // a directory stands for the files that are created in it
	events *fsnotify.Watcher
	seen   fingerprint
}

// fingerprint identifies the contents of files.
type fingerprint [sha256.Size]byte

// NewWatcher notices changes of the files from now on. The caller closes it.
func NewWatcher(files func() []string) (*watcher, error) {
	events, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	w := &watcher{files: files, events: events}
	for _, path := range files() {
		if err := events.Add(directoryOf(path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, errors.Join(fmt.Errorf("%s: %w", directoryOf(path), err), events.Close())
		}
	}
	w.seen = w.fingerprint()
	return w, nil
}

// Next returns when the files differ from those that it saw last and have settled. The error is
// that of ctx when it has ended, or says that changes may go unnoticed.
func (w *watcher) Next(ctx context.Context) error {
	settled := time.NewTimer(0) // at once, for changes since the last call
	defer settled.Stop()
	waiting := true
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case _, open := <-w.events.Events:
			if !open {
				return fsnotify.ErrClosed
			}
		case err, open := <-w.events.Errors:
			if !open {
				return fsnotify.ErrClosed
			}
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				return err
			}
		case <-settled.C:
			waiting = false
			if now := w.fingerprint(); now != w.seen {
				w.seen = now
				return nil
			}
			continue
		}
		if !waiting { // the first change starts the clock, so that a stream of them does not stop it
			waiting = true
			settled.Reset(settleTime)
		}
	}
}

func (w *watcher) Close() { _ = w.events.Close() } // it always returns nil

// fingerprint is that of the files now; their directories are watched from then on.
func (w *watcher) fingerprint() fingerprint {
	files := w.files()
	for _, path := range files {
		_ = w.events.Add(directoryOf(path)) // a missing one changes the fingerprint when it appears
	}
	return fingerprintOf(files)
}

// fingerprintOf is that of files now. One that cannot be read counts as empty.
func fingerprintOf(files []string) fingerprint {
	sum := sha256.New()
	for _, path := range files {
		fmt.Fprintln(sum, path)
		addContent(sum, path)
	}
	return fingerprint(sum.Sum(nil))
}

// directoryOf is the directory that is watched for a file: editors replace files.
func directoryOf(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return path
	}
	return filepath.Dir(path)
}

func addContent(sum io.Writer, path string) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	file, err := os.Open(path)
	if err != nil {
		return
	}
	defer file.Close()
	n, err := io.Copy(sum, io.LimitReader(file, maxWatched))
	fmt.Fprintln(sum, info.Size(), n, err)
}

// Follow reloads the graph file whenever it has changed, until ctx or the session ends. replace
// takes the new version into use, and its channel is closed when the last run of the version
// before has ended. reject is called for a version that cannot be used.
func (l *Loaded) Follow(
	ctx context.Context, w *watcher, replace func(next *Loaded) (ended <-chan struct{}, err error), reject func(served *Loaded, err error),
) {
	served := l
	l.changes(ctx, w, func(err error) { served.Log.Warn("changes of the graph file may go unnoticed", "error", err) }, func(ctx context.Context) {
		next, err := l.load(ctx, l.File.Path)
		if ctx.Err() != nil {
			return
		}
		var ended <-chan struct{}
		if err == nil {
			if ended, err = replace(next); err != nil {
				next.Release()
			}
		}
		if err != nil {
			reject(served, err)
			return
		}
		served.releaseAfter(ended)
		served = next
	})
}

// changes calls changed after each change that w notices, until ctx or the session ends, and unnoticed with what is wrong with
// noticing them: one at a time.
func (s *Session) changes(ctx context.Context, w *watcher, unnoticed func(error), changed func(ctx context.Context)) {
	ctx, cancel := context.WithCancel(ctx)
	s.waiting.Go(func() {
		<-s.ending
		cancel()
	})
	s.waiting.Go(func() {
		for {
			err := w.Next(ctx)
			switch {
			case ctx.Err() != nil || errors.Is(err, fsnotify.ErrClosed):
				return
			case err != nil:
				unnoticed(err)
			default:
				changed(ctx)
			}
		}
	})
}
