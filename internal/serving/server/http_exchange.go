package server

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// exchange is the answer to one request: a JSON object, or a stream of events if something is
// sent before the answer. Safe for concurrent use.
type exchange struct {
	w       http.ResponseWriter
	rc      *http.ResponseController
	streams bool          // the client accepts streams
	stall   time.Duration // limit of the time that a client may leave data unread

	mu     sync.Mutex // guards what follows, and writing
	begun  bool       // the stream has started
	closed bool       // nothing more is written
	buffer []byte
}

func (e *endpoint) newExchange(w http.ResponseWriter, r *http.Request) *exchange {
	return &exchange{
		w: w, rc: http.NewResponseController(w), stall: e.server.opts.Stall,
		streams: accepts(r.Header, "text/event-stream"),
	}
}

// accepts reports whether a client accepts a type of content. A client without an Accept
// header accepts all.
func accepts(h http.Header, kind string) bool {
	accepted := strings.Join(h["Accept"], ",")
	if accepted == "" {
		return true
	}
	family, _, _ := strings.Cut(kind, "/")
	for part := range strings.SplitSeq(accepted, ",") {
		name, _, _ := strings.Cut(part, ";")
		switch strings.ToLower(strings.TrimSpace(name)) {
		case kind, family + "/*", "*/*":
			return true
		}
	}
	return false
}

// notify sends the line that fill appends, before the answer. It does nothing if the client
// does not accept streams.
func (x *exchange) notify(fill func([]byte) []byte) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.streams || x.closed {
		return
	}
	if line := fill(x.buffer[:0]); len(line) > 0 {
		x.event(line)
	}
}

// send is notify with an error if the client does not accept streams.
func (x *exchange) send(fill func([]byte) []byte) error {
	if !x.streams {
		return &CannotAskError{Reason: "it does not accept streams", text: "the client cannot be asked: it does not accept streams (Accept: text/event-stream)"}
	}
	x.notify(fill)
	return nil
}

// event writes a line as an event; mu is held.
func (x *exchange) event(line []byte) {
	x.begin()
	x.buffer = line[:0]
	event := make([]byte, 0, len(line)+32)
	event = append(event, "event: message\ndata: "...)
	event = append(event, bytes.TrimRight(line, "\n")...)
	x.write(append(event, "\n\n"...))
}

// begin starts a stream; mu is held.
func (x *exchange) begin() {
	if x.begun {
		return
	}
	x.begun = true
	h := x.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no") // proxies must not buffer events
	x.w.WriteHeader(http.StatusOK)
}

// write sends and flushes; mu is held. If the client does not read it within the stall time,
// the connection and the context of the request end.
func (x *exchange) write(raw []byte) {
	_ = x.rc.SetWriteDeadline(time.Now().Add(x.stall))
	_, err := x.w.Write(raw)
	if err == nil {
		err = x.rc.Flush()
	}
	if err != nil {
		x.closed = true
	}
}

// open starts a stream at once.
func (x *exchange) open() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.begin()
	x.write([]byte(": open\n\n"))
}

// keepAlive sends a comment. It starts a stream for an answer that takes long, so that proxies
// do not time out.
func (x *exchange) keepAlive() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.streams || x.closed {
		return
	}
	x.begin()
	x.write([]byte(":\n\n"))
}

// answer sends the last line, with this status unless a stream has started.
func (x *exchange) answer(line []byte, status int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return
	}
	if x.begun {
		x.event(line)
	} else {
		_ = x.rc.SetWriteDeadline(time.Now().Add(x.stall))
		h := x.w.Header()
		h.Set("Content-Type", "application/json")
		h.Set("Content-Length", strconv.Itoa(len(line)))
		x.w.WriteHeader(status)
		_, _ = x.w.Write(line) // the client may have gone
	}
	x.closed = true
}

// retryAfter says, with the status 503, when to repeat the request.
func (x *exchange) retryAfter() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.w.Header().Set("Retry-After", "1")
}

// drop ends the exchange without an answer, after the client has cancelled it.
func (x *exchange) drop() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.closed && !x.begun {
		x.w.WriteHeader(http.StatusAccepted)
	}
	x.closed = true
}

// every calls do at this interval, in a goroutine of its own, until stop is called.
func every(interval time.Duration, do func()) (stop func()) {
	var mu sync.Mutex
	var timer *time.Timer
	stopped := false
	mu.Lock()
	defer mu.Unlock()
	timer = time.AfterFunc(interval, func() {
		mu.Lock()
		defer mu.Unlock()
		if stopped {
			return
		}
		do()
		timer.Reset(interval)
	})
	return func() {
		mu.Lock()
		defer mu.Unlock()
		stopped = true
		timer.Stop()
	}
}
