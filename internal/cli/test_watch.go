package cli

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"toolgraph/internal/graphtest"
	"toolgraph/internal/wording"
)

// again runs the tests, and once more whenever a file that they read has changed,
// until ctx ends.
func (f *testFlags) again(ctx context.Context, std streams, paths []string, opts graphtest.Options) (err error) {
	events, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("--watch: %w", err)
	}
	defer func() { err = errors.Join(err, events.Close()) }()
	for {
		before := f.contents(events, paths)
		err := f.once(ctx, std, paths, opts)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && !errors.Is(err, errReported) && !errors.Is(err, errFindings):
			fmt.Fprintf(std.err, "toolgraph: %s\n", wording.Printable(err.Error()))
		}
		fmt.Fprintln(std.err, "waiting for a change (Ctrl-C ends)")
		if err := f.changed(ctx, events, paths, before); err != nil {
			return fmt.Errorf("--watch: %w", err)
		}
		if ctx.Err() != nil {
			return nil
		}
	}
}

// changed returns when the files are not what they were before, and have been so for a
// while; or when ctx has ended.
func (f *testFlags) changed(ctx context.Context, events *fsnotify.Watcher, paths []string, before fingerprint) error {
	settled := time.NewTimer(0) // once at the start: for what changed while the tests ran
	defer settled.Stop()
	waiting := true
	for {
		select {
		case <-ctx.Done():
			return nil
		case _, open := <-events.Events:
			if !open {
				return nil
			}
		case err, open := <-events.Errors:
			if !open || !errors.Is(err, fsnotify.ErrEventOverflow) {
				return err
			}
		case <-settled.C:
			waiting = false
			if f.contents(events, paths) != before {
				return nil
			}
			continue
		}
		if !waiting { // the first change starts the clock, so that no stream of them stops it
			waiting = true
			settled.Reset(settle)
		}
	}
}

// contents is the fingerprint of everything that the tests read, whose directories are
// watched from then on.
func (f *testFlags) contents(events *fsnotify.Watcher, paths []string) fingerprint {
	sum := sha256.New()
	watch := func(path string) {
		_ = events.Add(path) // one that is gone shows in the fingerprint
	}
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			watch(path)
		}
	}
	files, err := graphtest.Find(paths...)
	fmt.Fprintln(sum, files, err)
	for _, file := range files {
		read := []string{file}
		if suite, err := graphtest.Load(file); err == nil {
			read = append(read, suite.Files()...)
		}
		if f.servers != "" {
			read = append(read, f.servers)
		}
		for _, path := range read {
			watch(filepath.Dir(path))
			addContent(sum, path)
		}
	}
	return fingerprint(sum.Sum(nil))
}

// addContent adds what a file holds. One that cannot be read is as good as empty.
func addContent(sum io.Writer, path string) {
	file, err := os.Open(path)
	if err != nil {
		fmt.Fprintln(sum, "no file")
		return
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		fmt.Fprintln(sum, "no file")
		return
	}
	n, err := io.Copy(sum, file)
	fmt.Fprintln(sum, n, err)
}
