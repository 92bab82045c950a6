package lsp

import (
	"errors"

	"toolgraph/config"
	"toolgraph/internal/graphtest"
	"toolgraph/internal/lock"
)

// checkLock finds what is wrong with a lock: in itself, and beside its graph file.
func (s *snapshot) checkLock(r *result) (config.Diagnostics, error) {
	var found config.Diagnostics
	if _, err := lock.Parse(s.path, []byte(s.src)); err != nil {
		if !errors.As(err, &found) {
			return nil, err
		}
		return found, nil
	}
	path := s.graphPath()
	src, err := s.reader(r)(path)
	if err != nil {
		return nil, nil // a lock without its graph file
	}
	c, err := s.checkGraph(r, path, string(src))
	if err != nil {
		return nil, err
	}
	for _, f := range c.Found {
		if f.Pos.File == s.path {
			found = append(found, f)
		}
	}
	return found, nil
}

// checkTests finds what is wrong with a test file.
func (s *snapshot) checkTests(*result) (config.Diagnostics, error) {
	_, err := graphtest.Parse(s.path, []byte(s.src))
	var found config.Diagnostics
	if err != nil && !errors.As(err, &found) {
		return nil, err
	}
	return found, nil
}
