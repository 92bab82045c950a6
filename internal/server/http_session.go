package server

import (
	"context"
	"crypto/rand"
	"sync"
)

// sessions are what clients of the legacy era say in one request about another: end
// that call, log from this level on. The client carries the name of its session; a
// process that has not heard of it serves it all the same. Safe for concurrent use.
type sessions struct {
	mu     sync.Mutex // guards what follows
	calls  map[string]context.CancelFunc
	levels map[string]severity
}

const (
	mostLevels     = 10_000 // sessions whose level is remembered
	longestSession = 128    // bytes of a name
)

func newSession() string { return rand.Text() }

// callKey names a call of a session; "" when a later request cannot name it.
func callKey(session string, id []byte) string {
	if session == "" || len(session) > longestSession {
		return ""
	}
	return session + "\n" + idKey(id)
}

// begin notes how a call is ended from outside, until the caller forgets it.
func (s *sessions) begin(key string, cancel context.CancelFunc) (forget func()) {
	if key == "" {
		return func() {}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls[key] != nil {
		return func() {} // two calls of one id: none of our business, and the first stays
	}
	s.calls[key] = cancel
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.calls, key)
	}
}

// cancel ends a call. What is unknown, or answered already, is none of our business.
func (s *sessions) cancel(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel := s.calls[key]; cancel != nil {
		cancel()
	}
}

func (s *sessions) setLevel(session string, l severity) {
	if session == "" || len(session) > longestSession {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.levels) >= mostLevels {
		for old := range s.levels { // any of them: its client gets fewer messages
			delete(s.levels, old)
			break
		}
	}
	s.levels[session] = l
}

func (s *sessions) level(session string) severity {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.levels[session]
}
