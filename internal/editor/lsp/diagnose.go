package lsp

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"toolgraph/config"
)

// checker decides which document is checked next, and has what is published.
type checker struct {
	wake chan struct{} // has room for one

	mu  sync.Mutex
	due map[string]time.Time // by the URI of a document

	// Guarded by Server.mu.
	found     map[string]map[string]config.Diagnostics // by the URI of the document that was checked, and by path
	published map[string][sha256.Size]byte             // by URI; no entry: nothing is shown
}

func newChecker() *checker {
	return &checker{
		wake: make(chan struct{}, 1), due: map[string]time.Time{},
		found: map[string]map[string]config.Diagnostics{}, published: map[string][sha256.Size]byte{},
	}
}

// soon checks a document after a pause. A change in the pause begins another one.
func (c *checker) soon(uri string, pause time.Duration) {
	c.mu.Lock()
	c.due[uri] = time.Now().Add(pause)
	c.mu.Unlock()
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// next returns the document whose pause is over, else how long the shortest pause still takes.
func (c *checker) next() (uri string, pause time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	pause = time.Hour
	for _, candidate := range slices.Sorted(maps.Keys(c.due)) {
		if left := time.Until(c.due[candidate]); left < pause {
			uri, pause = candidate, left
		}
	}
	if pause > 0 {
		return "", pause
	}
	delete(c.due, uri)
	return uri, 0
}

// outdated drops what others have found in a file that has changed. Server.mu is held.
func (c *checker) outdated(path string) {
	for _, found := range c.found {
		delete(found, path)
	}
}

// diagnose checks documents until the connection ends.
func (s *Server) diagnose() {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		uri, pause := s.checker.next()
		if uri != "" {
			if s.opts.OwnProcess {
				tuneGC()
			}
			s.check(uri)
			continue
		}
		timer.Reset(pause)
		select {
		case <-timer.C:
		case <-s.checker.wake:
		case <-s.ctx.Done():
			return
		}
	}
}

// check checks the newest version of a document, and shows the result unless there is a newer one by then.
func (s *Server) check(uri string) {
	s.mu.Lock()
	d := s.docs[uri]
	if d == nil {
		s.mu.Unlock()
		return
	}
	snap := d.now
	s.mu.Unlock()
	r, err := snap.findings(s.ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.docs[uri] != d || d.now != snap {
		return
	}
	if err != nil {
		if s.ctx.Err() == nil {
			s.log.Warn("a document was not checked", "uri", uri, "error", err)
		}
		return
	}
	d.reads = maps.Clone(r.reads)
	if c := r.checked; c != nil {
		if c.Valid {
			d.good = c
		}
		if !isBroken(d.path, c.Found) {
			d.last = c.Found
		}
	}
	s.show(uri, r.found)
}

// show publishes what was found in a document; nil: it is closed. Server.mu is held.
func (s *Server) show(uri string, found map[string]config.Diagnostics) {
	paths := map[string]bool{pathOf(uri): true}
	for path := range s.checker.found[uri] {
		paths[path] = true
	}
	if found == nil {
		delete(s.checker.found, uri)
	} else {
		s.checker.found[uri] = maps.Clone(found)
	}
	for path := range found {
		paths[path] = true
	}
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		s.publish(path)
	}
}

// foundIn returns all findings of a file, those of its own check first. What several documents found at a place
// is in it once: the check of a file that imports it names its tools with the import. Server.mu is held.
func (s *Server) foundIn(path, uri string) config.Diagnostics {
	all := slices.Clone(s.checker.found[uri][path])
	for _, other := range slices.Sorted(maps.Keys(s.checker.found)) {
		if other == uri {
			continue
		}
		before := all
		for _, f := range s.checker.found[other][path] {
			if !slices.ContainsFunc(before, func(b config.Diagnostic) bool {
				return b.Code == f.Code && b.Pos.Line == f.Pos.Line && b.Pos.Column == f.Pos.Column
			}) {
				all = append(all, f)
			}
		}
	}
	all.Sort()
	return all
}

type publishParams struct {
	URI         string       `json:"uri"`
	Version     *int         `json:"version,omitempty"`
	Diagnostics []Diagnostic `json:"diagnostics"`
}

// publish sends all findings of a file, when they are others than those that were sent. Server.mu is held.
func (s *Server) publish(path string) {
	uri := s.uriOf(path)
	all := s.foundIn(path, uri)
	p := publishParams{URI: uri, Diagnostics: []Diagnostic{}}
	t := newText("", s.units)
	if d := s.docs[uri]; d != nil {
		t, p.Version = d.now.text, d.now.version
	} else if len(all) > 0 {
		src, err := config.ReadFile(path)
		if err == nil { // else all is shown at its beginning
			t = newText(string(src), s.units)
		}
	}
	p.Diagnostics = append(p.Diagnostics, s.diagnostics(t, uri, all)...)
	raw, err := json.Marshal(p)
	if err != nil {
		s.log.Error("findings were not shown", "error", err)
		return
	}
	hash := sha256.Sum256(raw)
	if was, shown := s.checker.published[uri]; shown && was == hash || !shown && len(all) == 0 && s.docs[uri] == nil {
		return
	}
	if s.checker.published[uri] = hash; s.docs[uri] == nil && len(all) == 0 {
		delete(s.checker.published, uri)
	}
	s.notify("textDocument/publishDiagnostics", json.RawMessage(raw))
}

// pullFeature answers clients that ask for findings instead of waiting for them.
var pullFeature = feature{
	provide: func(_ *clientCan, capabilities map[string]any) {
		capabilities["diagnosticProvider"] = map[string]any{"identifier": "toolgraph", "interFileDependencies": true, "workspaceDiagnostics": false}
	},
	answers: map[string]handler{"textDocument/diagnostic": about(pull)},
}

func pull(ctx context.Context, r *request, _ aboutDocument) (any, error) {
	found, err := r.findings(ctx)
	if err != nil {
		return nil, err
	}
	return map[string]any{"kind": "full", "items": r.server.diagnostics(r.text, r.uri, found.found[r.path])}, nil
}
