package lsp

import (
	"errors"
	"strings"

	"toolgraph/config"
	"toolgraph/internal/authoring/graphtest"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/editor/checks"
	"toolgraph/internal/project/lock"
)

// testKeys are keys at the top of a test file, lockKeys those of a lock. Other programs have files with the
// same endings.
var (
	testKeys = wording.Pattern(`(?m)^(tests|mocks|graph)[ \t]*:`)
	lockKeys = wording.Pattern(`(?m)^servers[ \t]*:`)
)

// kindOf says what a file is, by its name and its text.
func kindOf(d *document, src string) kind {
	switch {
	case strings.HasSuffix(d.path, config.TestEnding):
		if d.language == graphLanguage || testKeys().MatchString(src) {
			return testFile
		}
	case strings.HasSuffix(d.path, config.LockEnding):
		if d.language == graphLanguage || lockKeys().MatchString(src) {
			return lockFile
		}
	case d.language == graphLanguage || config.LooksLikeGraph([]byte(src)):
		return graphFile
	}
	return otherFile
}

// checkLock finds what is wrong with a lock: in itself, and beside its graph file.
func (s *snapshot) checkLock(r *result) (config.Diagnostics, error) {
	var found config.Diagnostics
	if _, err := lock.Parse(s.path, []byte(s.src)); err != nil {
		if errors.As(err, &found) {
			return found, nil
		}
		return nil, err
	}
	c, err := s.graphOf(r, s.graphPath(), "")
	if c == nil || err != nil {
		return nil, err
	}
	for _, f := range c.Found {
		if f.Pos.File == s.path {
			found = append(found, f)
		}
	}
	return found, nil
}

// checkTests finds what is wrong with a test file: in itself, and names that its graph file does not have.
func (s *snapshot) checkTests(r *result) (config.Diagnostics, error) {
	suite, err := graphtest.Parse(s.path, []byte(s.src))
	var found config.Diagnostics
	if err != nil && !errors.As(err, &found) {
		return nil, err
	}
	if suite == nil || suite.Graph == "" {
		return found, nil
	}
	c, err := s.graphOf(r, suite.Graph, suite.Servers)
	if c == nil || err != nil {
		return found, err
	}
	found = append(found, suite.Check(c.Project)...)
	found.Sort()
	return found, nil
}

// graphOf checks the graph file that a file belongs to; of one with errors it returns the last valid version,
// nil without one.
func (s *snapshot) graphOf(r *result, path, servers string) (*checks.Checked, error) {
	src, err := s.reader(r)(path)
	if err != nil {
		return nil, nil // there is none, which other commands report
	}
	c, err := s.checkWith(r, path, string(src), servers)
	if err != nil || c.Valid {
		return c, err
	}
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	if d := s.server.openAt(path); d != nil {
		return d.good, nil
	}
	return nil, nil
}

func (s *snapshot) checkGraph(r *result, path, src string) (*checks.Checked, error) {
	return s.checkWith(r, path, src, "")
}

// checkWith checks a graph file with a file of servers; "": that of the settings.
func (s *snapshot) checkWith(r *result, path, src, servers string) (*checks.Checked, error) {
	if servers == "" {
		s.server.mu.Lock()
		servers = s.server.serversFile()
		s.server.mu.Unlock()
	}
	return checks.Text(s.ctx, path, []byte(src), config.Options{ServersFile: servers, AssumeEnv: true, ReadFile: s.reader(r)}, s.server.beside(path))
}
