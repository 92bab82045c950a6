package lsp

import (
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"

	"toolgraph/config"
	"toolgraph/internal/editor/checks"
)

const (
	mostDocuments = 200         // that are open at once
	mostBytes     = 64 << 20    // of all open documents
	mostChanges   = 10_000      // in one notification
	graphLanguage = "toolgraph" // of a document that is a graph file, whatever it has
)

// document is an open file. Server.mu guards it.
type document struct {
	uri, path string
	language  string
	now       *snapshot
	good      *checks.Checked    // the last valid version
	last      config.Diagnostics // of the last version that was YAML
	reads     map[string]bool    // the other files that the last check, and one under way, have read, by path
}

type textDocument struct {
	documentID

	LanguageID string `json:"languageId"`
	Text       string `json:"text"`
}

// opened handles the opening of a document.
func (s *Server) opened(params json.RawMessage) error {
	var p struct {
		TextDocument textDocument `json:"textDocument"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.docs[p.TextDocument.URI] == nil && len(s.docs) >= mostDocuments {
		err := fmt.Errorf("%d documents are open, which is the limit", mostDocuments)
		if !s.full {
			s.full = true
			s.message(severityWarning, "%s; nothing is said about others until some are closed", err)
		}
		return err
	}
	d := &document{uri: p.TextDocument.URI, path: pathOf(p.TextDocument.URI), language: p.TextDocument.LanguageID}
	was := s.docs[d.uri] // it was not closed
	if err := s.fits(d, len(p.TextDocument.Text)); err != nil {
		if was != nil {
			s.forget(was)
		}
		return err
	}
	if was != nil {
		was.now.cancel()
	}
	s.docs[d.uri] = d
	s.set(d, newText(p.TextDocument.Text, s.units), p.TextDocument.Version)
	s.checker.soon(d.uri, 0)
	s.learn(d)
	return nil
}

// fits reports whether the texts of all documents are below the limit when a document gets a new size.
func (s *Server) fits(d *document, size int) error {
	for _, other := range s.docs {
		if other.uri != d.uri {
			size += len(other.now.src)
		}
	}
	if size > mostBytes {
		return fmt.Errorf("the open documents would have %d bytes, which is more than the limit of %d", size, mostBytes)
	}
	return nil
}

// changed handles the changes of a document.
func (s *Server) changed(params json.RawMessage) error {
	var p struct {
		TextDocument   documentID `json:"textDocument"`
		ContentChanges []struct {
			Range *Range `json:"range"`
			Text  string `json:"text"`
		} `json:"contentChanges"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.docs[p.TextDocument.URI]
	if d == nil {
		return fmt.Errorf("the document is not open")
	}
	t := d.now.text
	if len(p.ContentChanges) > mostChanges {
		s.forget(d)
		return fmt.Errorf("%d changes at once, which is more than the limit of %d; the document is forgotten", len(p.ContentChanges), mostChanges)
	}
	for _, c := range p.ContentChanges {
		if err := s.fits(d, len(t.src)+len(c.Text)); err != nil {
			s.forget(d)
			return err
		}
		if c.Range == nil {
			t = newText(c.Text, s.units)
			continue
		}
		t = t.edited(*c.Range, c.Text)
	}
	s.set(d, t, p.TextDocument.Version)
	s.checker.soon(d.uri, s.settings.debounce())
	return nil
}

// set makes a text the newest version of a document, which stays the kind of file that it was. What others have
// read of it is checked again.
func (s *Server) set(d *document, t *text, version *int) {
	kind := otherFile
	if d.now != nil {
		d.now.cancel()
		kind = d.now.kind
	}
	if kind == otherFile {
		kind = kindOf(d, t.src)
	}
	d.now = s.newSnapshot(d, kind, t, version)
	s.checker.outdated(d.path)
	s.fileChanged(d.path)
}

// renew makes a snapshot of the same version whose checks are not made yet.
func (s *Server) renew(d *document) {
	d.now.cancel()
	d.now = s.newSnapshot(d, d.now.kind, d.now.text, d.now.version)
	s.checker.soon(d.uri, s.settings.debounce())
}

// fileChanged checks documents again whose last check has read a file.
func (s *Server) fileChanged(path string) {
	for _, d := range s.docs {
		if d.path != path && d.reads[path] {
			s.renew(d)
		}
	}
}

// noteRead notes that a check of a document reads a file, before it does: a change from now on is seen.
func (s *Server) noteRead(d *document, path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d.reads == nil {
		d.reads = map[string]bool{}
	}
	d.reads[path] = true
}

// saved handles that a document was saved.
func (s *Server) saved(params json.RawMessage) error {
	var p aboutDocument
	if err := json.Unmarshal(params, &p); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fileChanged(pathOf(p.TextDocument.URI))
	if d := s.docs[p.TextDocument.URI]; d != nil {
		s.learn(d)
	}
	return nil
}

// filesChanged handles changes of files, open or not.
func (s *Server) filesChanged(params json.RawMessage) error {
	var p struct {
		Changes []struct {
			URI  string `json:"uri"`
			Type int    `json:"type"`
		} `json:"changes"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range p.Changes {
		path := pathOf(c.URI)
		s.fileChanged(path)
		if d := s.openAt(path); d != nil && c.Type != contentChanged { // which files import each other depends on those on disk
			s.renew(d)
		}
	}
	return nil
}

// contentChanged is the type of a change of a file that is neither created nor deleted.
const contentChanged = 2

// closed handles that a document was closed: the file counts as it is on disk again.
func (s *Server) closed(params json.RawMessage) error {
	var p aboutDocument
	if err := json.Unmarshal(params, &p); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.docs[p.TextDocument.URI]; d != nil {
		s.forget(d)
	}
	return nil
}

// forget closes a document, and clears its findings.
func (s *Server) forget(d *document) {
	d.now.cancel()
	delete(s.docs, d.uri)
	s.checker.outdated(d.path)
	s.show(d.uri, nil)
	s.fileChanged(d.path)
}

// forgetAll closes all documents, one of which can have missed a change.
func (s *Server) forgetAll(why error) {
	s.mu.Lock()
	for _, d := range s.docs {
		s.forget(d)
	}
	s.mu.Unlock()
	s.log.Error("all documents are forgotten", "error", why)
	s.message(severityError, "%s. Close and open the graph files again.", why)
}

// read returns a file as it is open, else as it is on disk.
func (s *Server) read(path string) ([]byte, error) {
	s.mu.Lock()
	if d := s.openAt(path); d != nil {
		defer s.mu.Unlock()
		return []byte(d.now.src), nil
	}
	s.mu.Unlock()
	return config.ReadFile(path)
}

// openAt returns the open document of a file; nil when it is not open. Server.mu is held.
func (s *Server) openAt(path string) *document {
	for _, d := range s.docs {
		if d.path == path {
			return d
		}
	}
	return nil
}

// pathOf returns the path of a document. One that is no file has its URI for a name.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return uri
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		if u.Host != "" {
			path = "//" + u.Host + path
		} else if len(path) > 2 && path[0] == '/' && path[2] == ':' {
			path = strings.ToUpper(path[1:2]) + path[2:]
		}
	}
	return filepath.Clean(filepath.FromSlash(path))
}

// uriOf returns the URI of a file: as the client names it while it is open. Server.mu is held.
func (s *Server) uriOf(path string) string {
	if d := s.openAt(path); d != nil {
		return d.uri
	}
	return fileURI(path)
}

func fileURI(path string) string {
	slashed := filepath.ToSlash(path)
	switch {
	case !filepath.IsAbs(path):
		return slashed // of a document that is no file
	case strings.HasPrefix(slashed, "//"):
		host, rest, _ := strings.Cut(slashed[2:], "/")
		return (&url.URL{Scheme: "file", Host: host, Path: "/" + rest}).String()
	case !strings.HasPrefix(slashed, "/"):
		slashed = "/" + slashed
	}
	return (&url.URL{Scheme: "file", Path: slashed}).String()
}
