package lsp

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"toolgraph/config"
	"toolgraph/internal/authoring/graphtest"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/editor/checks"
	"toolgraph/internal/editor/completion"
	"toolgraph/internal/project/lock"
)

// kind is what a file is for toolgraph.
type kind int

const (
	otherFile kind = iota // nothing is said about it
	graphFile
	testFile
	lockFile
)

// snapshot is one version of a file. Its text never changes; what the checks find in it is found once, at
// the first request for it.
type snapshot struct {
	*text

	uri, path string
	version   *int // nil: the client has sent none, or the file is not open
	kind      kind

	server *Server
	doc    *document       // nil: the file is not open
	ctx    context.Context //nolint:containedctx // it ends when there is a newer version
	cancel context.CancelFunc
	begin  sync.Once
	done   chan struct{} // closed when what follows is known
	result result
	err    error
}

// result is what was found in a version of a file.
type result struct {
	checked *checks.Checked               // of a graph file; Known is nil when nothing is known
	found   map[string]config.Diagnostics // by path: of the file itself, and of others that it uses
	reads   map[string]bool               // the other files that were read
}

// graphKey is the line of a test file that names its graph file.
var graphKey = wording.Pattern(`(?m)^graph[ \t]*:.*`)

// newSnapshot returns a version of a document; of a file that is not open, d has only its names.
func (s *Server) newSnapshot(d *document, kind kind, t *text, version *int) *snapshot {
	snap := &snapshot{text: t, uri: d.uri, path: d.path, version: version, kind: kind, server: s, doc: d, done: make(chan struct{})}
	snap.ctx, snap.cancel = context.WithCancel(s.ctx)
	return snap
}

// file returns the newest version of a file that may be open or not. Its error is that of reading.
func (s *Server) file(path string) (*snapshot, error) {
	s.mu.Lock()
	if d := s.openAt(path); d != nil {
		defer s.mu.Unlock()
		return d.now, nil
	}
	s.mu.Unlock()
	src, err := config.ReadFile(path)
	if err != nil {
		return nil, err
	}
	d := &document{uri: fileURI(path), path: path}
	return s.newSnapshot(d, kindOf(d, string(src)), newText(string(src), s.units), nil), nil
}

// findings returns what the checks find in the version. The error is that of reading other files, or that
// there is a newer version.
func (s *snapshot) findings(ctx context.Context) (result, error) {
	s.begin.Do(func() {
		go func() {
			defer close(s.done)
			defer func() {
				if p := recover(); p != nil {
					s.server.log.Error("a check failed", "uri", s.uri, "stack", string(debug.Stack()))
					s.err = errors.New("an internal error, which the log of the server describes")
				}
			}()
			begin := time.Now()
			s.result, s.err = s.check()
			s.server.log.Debug("checked", "uri", s.uri, "took", time.Since(begin))
		}()
	})
	select {
	case <-s.done:
		if s.err != nil && s.ctx.Err() != nil {
			return result{}, errorf(codeModified, "the document has changed")
		}
		return s.result, s.err
	case <-ctx.Done():
		return result{}, context.Cause(ctx)
	}
}

// known returns what is known of the graph file: of this version when it was checked and is valid, else of
// the last valid one. It waits only when there is neither.
func (s *snapshot) known(ctx context.Context) (*completion.Known, error) {
	select {
	case <-s.done:
		if c := s.result.checked; c != nil && c.Valid {
			return c.Known, nil
		}
	default:
	}
	s.server.mu.Lock()
	good := s.doc.good
	s.server.mu.Unlock()
	if good != nil {
		return good.Known, nil
	}
	if found, err := s.findings(ctx); err != nil {
		return nil, err
	} else if found.checked != nil && found.checked.Known != nil {
		return found.checked.Known, nil
	}
	return &completion.Known{}, nil
}

// graphPath is the path of the graph file that the file belongs to, which may be itself; "": to none.
func (s *snapshot) graphPath() string {
	switch s.kind {
	case graphFile:
		return s.path
	case lockFile:
		return strings.TrimSuffix(s.path, config.LockEnding) + ".yaml"
	case testFile:
		suite, _ := graphtest.Parse(s.path, []byte(s.src)) // its errors are findings
		if suite == nil {                                  // no YAML at the moment: the line that names the graph file is enough
			suite, _ = graphtest.Parse(s.path, []byte(graphKey().FindString(s.src)+"\ntests: []"))
		}
		if suite != nil {
			return suite.Graph
		}
	}
	return ""
}

// beside returns the paths of the files that belong to a graph file by their names: its test file and its lock.
func beside(graph string) []string {
	return []string{strings.TrimSuffix(graph, filepath.Ext(graph)) + config.TestEnding, lock.Path(graph)}
}

// check makes the checks.
func (s *snapshot) check() (result, error) {
	r := result{found: map[string]config.Diagnostics{}, reads: map[string]bool{}}
	var found config.Diagnostics
	var err error
	switch s.kind {
	case graphFile:
		if r.checked, err = s.checkGraph(&r, s.path, s.src); err != nil {
			return r, err
		}
		if found = r.checked.Found; isBroken(s.path, found) {
			more, err := s.remaining(&r, r.checked)
			if err != nil {
				return r, err
			}
			for _, f := range more {
				if !slices.ContainsFunc(found, f.Same) { // those of other tools are among them already
					found = append(found, f)
				}
			}
			found.Sort()
		}
	case lockFile:
		found, err = s.checkLock(&r)
	case testFile:
		found, err = s.checkTests(&r)
	case otherFile:
	}
	for _, f := range found {
		path := f.Pos.File
		if path == "" {
			path = s.path
		}
		r.found[path] = append(r.found[path], f)
	}
	return r, err
}

// reader reads other files for the checks, as they are open, and notes which.
func (s *snapshot) reader(r *result) func(path string) ([]byte, error) {
	return func(path string) ([]byte, error) {
		r.reads[path] = true
		s.server.noteRead(s.doc, path)
		if !filepath.IsAbs(path) { // beside a document that is no file
			return nil, fs.ErrNotExist
		}
		return s.server.read(path)
	}
}
