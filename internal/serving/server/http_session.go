package server

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// sessions has the state that one request of a client sets for another: cancellations and log
// levels. Clients of the legacy era send the name of their session; a process that does not
// know the name serves them too. The modern era has no sessions, and a client cancels a
// request by closing its stream. Safe for concurrent use.
type sessions struct {
	mu     sync.Mutex // guards what follows
	flying map[requestKey]context.CancelFunc
	recent [2]map[requestKey]bool // ended requests: the latest, and those before them
	levels map[session]severity
}

const (
	mostLevels     = 10_000 // sessions whose level is remembered
	mostEnded      = 10_000 // ended requests that are remembered, at least
	longestSession = 512    // bytes of a session whose level is remembered: of its name and subject
)

// session is the session that a request names. Sessions of one name that belong to different
// subjects are different sessions.
type session struct {
	name    string // Mcp-Session-Id; "": none
	subject string // of the access token; "": none
}

func sessionOf(r *http.Request) session {
	return session{r.Header.Get(mcp.HeaderSessionID), SubjectOf(r.Context())}
}

// requestKey identifies a request by its session and its id. All clients without a session
// share their ids.
type requestKey [sha256.Size]byte

func keyOf(of session, id []byte) requestKey {
	return sha256.Sum256(fmt.Appendf(nil, "%q %q %s", of.subject, of.name, idKey(id)))
}

func newSessions() sessions {
	return sessions{flying: map[requestKey]context.CancelFunc{}, levels: map[session]severity{}}
}

// newSession returns the name of a new session. It has what the client has declared in it, so that each process that
// gets the name knows that: .ui, then the abilities.
func newSession(declared []byte) string {
	name, can := rand.Text(), abilitiesOf(declared)
	if declaresApps(declared) {
		name += showsViews
	}
	if can.form {
		name += "-form"
	}
	if can.url {
		name += "-url"
	}
	return name
}

// showsViews is in the name of a session whose client shows views.
const showsViews = ".ui"

// appsIn reports whether the client of a session shows views.
func appsIn(session string) bool {
	name, _, _ := strings.Cut(session, "-")
	return strings.HasSuffix(name, showsViews)
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
func (s *sessions) begin(of session, id []byte, cancel context.CancelFunc) (end func()) {
	key := keyOf(of, id)
	if of.name == "" {
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
func (s *sessions) cancel(of session, id []byte) (had bool) {
	key := keyOf(of, id)
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel := s.flying[key]; cancel != nil {
		cancel()
		return true
	}
	return s.recent[0][key] || s.recent[1][key]
}

func (s *sessions) setLevel(of session, l severity) {
	if of.name == "" || len(of.name)+len(of.subject) > longestSession {
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
	s.levels[of] = l
}

func (s *sessions) level(of session) severity {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.levels[of]
}
