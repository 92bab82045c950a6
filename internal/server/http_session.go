package server

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"strings"
	"sync"
)

// sessions has the state that one request of a client sets for another: cancellations and log
// levels. Clients of the legacy era send the name of their session; a process that does not
// know the name serves them too. The modern era has no sessions, and a client cancels a
// request by closing its stream. Safe for concurrent use.
type sessions struct {
	mu     sync.Mutex // guards what follows
	flying map[requestKey]context.CancelFunc
	recent [2]map[requestKey]bool // ended requests: the latest, and those before them
	levels map[string]severity
}

const (
	mostLevels     = 10_000 // sessions whose level is remembered
	mostEnded      = 10_000 // ended requests that are remembered, at least
	longestSession = 128    // bytes of a name whose level is remembered
)

// requestKey identifies a request by its session and its id. All clients without a session
// share their ids.
type requestKey [sha256.Size]byte

func keyOf(session string, id []byte) requestKey {
	return sha256.Sum256([]byte(session + "\n" + idKey(id)))
}

func newSessions() sessions {
	return sessions{flying: map[requestKey]context.CancelFunc{}, levels: map[string]severity{}}
}

// newSession returns the name of a new session. It ends with the abilities of the client, so
// that each process that gets the name knows them.
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

// abilitiesIn reads the abilities in the name of a session. Another client could guess a name
// that is shorter than those of newSession, and answer the questions: it has none.
func abilitiesIn(session string) (can abilities) {
	name, rest, _ := strings.Cut(session, "-")
	if len(name) >= len(rand.Text()) {
		can.form, can.url = rest == "form" || rest == "form-url", rest == "url" || rest == "form-url"
	}
	return can
}

// begin registers the cancel function of a request until end is called.
func (s *sessions) begin(session string, id []byte, cancel context.CancelFunc) (end func()) {
	key := keyOf(session, id)
	if session == "" {
		cancel = func() {} // it may belong to another client
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.flying[key] != nil {
		return func() {} // two requests with one id: the first one stays
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

// cancel cancels a request if it is in flight, and reports whether this process has received
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
		for old := range s.levels { // any one: its client gets no more messages
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
