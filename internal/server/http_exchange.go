package server

import (
	"bytes"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// exchange is one request that is being answered: with one JSON object, or, when
// something comes before the answer, with a stream of events. Safe for concurrent use.
type exchange struct {
	w       http.ResponseWriter
	rc      *http.ResponseController
	streams bool          // the client reads streams
	stall   time.Duration // how long a client may leave something unread

	mu     sync.Mutex // guards what follows, and writing
	begun  bool       // the stream has begun
	closed bool       // nothing more may be written
	buffer []byte
}

func (d *door) newExchange(w http.ResponseWriter, r *http.Request) *exchange {
	return &exchange{
		w: w, rc: http.NewResponseController(w), stall: d.server.opts.Stall,
		streams: accepts(r.Header, "text/event-stream"),
	}
}

// accepts reports whether a client takes a type of content; one that does not say
// takes all.
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

// notify sends what fill appends, a line, before the answer. A client that reads no
// streams does without.
func (x *exchange) notify(fill func([]byte) []byte) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.streams || x.closed {
		return
	}
	x.event(fill(x.buffer[:0]))
}

// send is notify for what must reach the client.
func (x *exchange) send(fill func([]byte) []byte) error {
	if !x.streams {
		return errors.New("the client that called reads no streams, by which it could be asked (Accept: text/event-stream)")
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

// begin makes the answer a stream; mu is held.
func (x *exchange) begin() {
	if x.begun {
		return
	}
	x.begun = true
	h := x.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no") // proxies pass events on at once
	x.w.WriteHeader(http.StatusOK)
}

// write sends and flushes; mu is held. A client that does not take it within the stall
// time has gone, and its request's context ends.
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

// open begins a stream at once and reports whether the client reads streams.
func (x *exchange) open() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.streams {
		x.begin()
		x.write([]byte(": open\n\n"))
	}
	return x.streams
}

// keepAlive shows that a stream lives; it makes one of an answer that takes long, so
// that nothing between us and the client gives up.
func (x *exchange) keepAlive() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.streams || x.closed {
		return
	}
	x.begin()
	x.write([]byte(":\n\n"))
}

// answer sends the last line, with this status unless a stream has begun.
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
		_, _ = x.w.Write(line) // whoever asked may have gone
	}
	x.closed = true
}

// drop ends without an answer: the client does not want it any more.
func (x *exchange) drop() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.closed && !x.begun {
		x.w.WriteHeader(http.StatusAccepted)
	}
	x.closed = true
}

// every calls do at this interval, in a goroutine of its own, until it is stopped.
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
