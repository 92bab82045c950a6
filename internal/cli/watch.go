package cli

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"toolgraph/config"
	"toolgraph/internal/lock"
	"toolgraph/internal/project"
	"toolgraph/internal/server"
)

// settle is how long changes are gathered: editors save in several steps.
const settle = 150 * time.Millisecond

// watcher serves the graph file anew when it has changed, if it is good.
type watcher struct {
	flags   *serveFlags
	std     streams
	server  *server.Server
	users   *poolUsers
	plugged *plugs
	served  *project.Project // this and seen are the watching goroutine's
	seen    fingerprint
}

// fingerprint tells contents of the files apart.
type fingerprint [sha256.Size]byte

// start watches until ctx ends or stop is called, which returns when nothing is going
// on any more.
func (w *watcher) start(ctx context.Context, log *slog.Logger) (stop func(), err error) {
	events, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("--watch: %w", err)
	}
	// Directories are watched, because editors put a new file in the place of the old.
	for _, path := range w.flags.files() {
		if err := events.Add(filepath.Dir(path)); err != nil {
			return nil, errors.Join(fmt.Errorf("--watch: %s: %w", filepath.Dir(path), err), events.Close())
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.watch(ctx, events, log)
	}()
	return func() {
		cancel()
		<-done
		_ = events.Close() // nothing is watched any more
	}, nil
}

// files are those whose content counts.
func (f *serveFlags) files() []string {
	files := []string{f.graph}
	if f.servers != "" {
		files = append(files, f.servers)
	}
	if f.locked.on {
		files = append(files, lock.Path(f.graph))
	}
	return files
}

func (w *watcher) watch(ctx context.Context, events *fsnotify.Watcher, log *slog.Logger) {
	settled := time.NewTimer(0) // once at the start: for what changed before we watched
	defer settled.Stop()
	waiting := true
	for {
		select {
		case <-ctx.Done():
			return
		case _, open := <-events.Events:
			if !open {
				return
			}
		case err, open := <-events.Errors:
			if !open {
				return
			}
			log.Warn("changes of the graph file may go unnoticed", "error", err)
		case <-settled.C:
			waiting = false
			if now := w.flags.fingerprint(); now != w.seen {
				w.seen = now
				log = w.reload(ctx, log)
			}
			continue
		}
		if !waiting { // the first change starts the clock, so that no stream of them stops it
			waiting = true
			settled.Reset(settle)
		}
	}
}

// fingerprint is that of the files now. One that cannot be read is as good as empty.
func (f *serveFlags) fingerprint() fingerprint {
	sum := sha256.New()
	for _, path := range f.files() {
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			fmt.Fprintln(sum, "no file")
			continue
		}
		file, err := os.Open(path)
		if err != nil {
			fmt.Fprintln(sum, "no file")
			continue
		}
		n, err := io.Copy(sum, io.LimitReader(file, 4<<20)) // beyond what may be loaded
		_ = file.Close()                                    // it was only read
		fmt.Fprintln(sum, n, err)
	}
	return fingerprint(sum.Sum(nil))
}

// reload serves the files as they are now, or tells why not. It gives the logger to go
// on with, which knows the secrets of what is served.
func (w *watcher) reload(ctx context.Context, log *slog.Logger) *slog.Logger {
	p, err := load(ctx, w.flags.graph, w.flags.servers)
	if ctx.Err() != nil {
		return log // nothing is served any more
	}
	if err != nil {
		kept(log, err)
		return log
	}
	fresh, err := w.flags.logger(w.std, p)
	if err != nil { // the flags were good at the start
		kept(log, err)
		return log
	}
	locked, err := w.flags.locked.load(p)
	if err != nil {
		kept(log, err)
		return log
	}
	next := w.users.next(p, locked, fresh)
	ended, err := w.server.Replace(tools(p, w.plugged, next.pool, fresh), p.File.Secrets)
	if err != nil {
		w.users.drop(next)
		kept(log, err)
		return log
	}
	w.users.take(next, ended)
	told(fresh, p.Warnings)
	if introduction(p) != introduction(w.served) {
		fresh.Warn("server: has changed, which takes effect at the next start")
	}
	w.served = p
	fresh.Info("the graph file has changed and is served", "file", p.File.Path, "tools", len(p.Graphs))
	return fresh
}

// introduction is what clients have been told at their start.
func introduction(p *project.Project) [4]string {
	s := p.File.Server
	return [4]string{s.Name.Value, s.Version.Value, s.Title.Value, s.Instructions.Value}
}

// kept tells why changes are not served.
func kept(log *slog.Logger, err error) {
	var found config.Diagnostics
	if errors.As(err, &found) {
		told(log, found)
		err = errors.New("it has errors")
	}
	log.Error("the graph file has changed and is not served; what was served before still is", "why", err)
}
