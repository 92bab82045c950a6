package server

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"strings"
	"sync"
)

// sessions are what clients say in one request about another: end it; log from this level
// on. A client of the older era carries the name of its session; a process that has not heard
// of it serves it all the same. In the modern era there are none, and a client ends a request
// by closing its stream. Safe for concurrent use.
type sessions struct {
	mu     sync.Mutex // guards what follows
	flying map[requestKey]context.CancelFunc
	recent [2]map[requestKey]bool // requests that have ended: the latest, and those before
	levels map[string]severity
}

const (
	mostLevels     = 10_000 // sessions whose level is remembered
	mostEnded      = 10_000 // requests that have ended and are remembered, at least
	longestSession = 128    // bytes of a name whose level is remembered
)

// requestKey is a request by its session and its id. Without a session all clients share
// their ids.
type requestKey [sha256.Size]byte

func keyOf(session string, id []byte) requestKey {
	return sha256.Sum256([]byte(session + "\n" + idKey(id)))
}

func newSessions() sessions {
	return sessions{flying: map[requestKey]context.CancelFunc{}, levels: map[string]severity{}}
}

// newSession is the name of a session, which ends with what its client can ask its user: so
// each process knows it that is sent the name.
func newSession(can abilities) string {
	name := rand.Text()
	if can.form {
		name += "-form"
	}
	if can.url {
		name += "-url"
	}
	return name
}

// abilitiesIn are those in the name of a session. A name that is not as long as ours could
// be guessed by another client, who could then answer.
func abilitiesIn(session string) (can abilities) {
	name, rest, _ := strings.Cut(session, "-")
	if len(name) >= len(rand.Text()) {
		can.form, can.url = rest == "form" || rest == "form-url", rest == "url" || rest == "form-url"
	}
	return can
}

// begin notes how a request is ended by another, until it has ended itself.
func (s *sessions) begin(session string, id []byte, cancel context.CancelFunc) (end func()) {
	key := keyOf(session, id)
	if session == "" {
		cancel = func() {} // it may be another client's
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.flying[key] != nil {
		return func() {} // two requests of one id: the first stays
	}
	s.flying[key] = cancel
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.flying, key)
		if len(s.recent[0]) >= mostEnded {
			s.recent[0], s.recent[1] = nil, s.recent[0]
		}
		if s.recent[0] == nil {
			s.recent[0] = map[requestKey]bool{}
		}
		s.recent[0][key] = true
	}
}

// cancel ends a request, if it has not ended yet, and reports whether this process has had
// it, as far as it remembers.
func (s *sessions) cancel(session string, id []byte) (had bool) {
	key := keyOf(session, id)
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel := s.flying[key]; cancel != nil {
		cancel()
		return true
	}
	return s.recent[0][key] || s.recent[1][key]
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
