package page

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	remembered  = 512 // events that a stream can miss and still get
	mostStreams = 32
	keepAlive   = 15 * time.Second
)

// hub has the latest events for the streams.
type hub struct {
	boot    string        // distinguishes the events of this process from those of an earlier one
	streams chan struct{} // has room for each stream

	mu      sync.Mutex // guards what follows
	events  []event    // of consecutive numbers
	last    int        // number of the last event; the first is 1
	changed chan struct{}
}

type event struct {
	number int
	kind   string
	data   []byte
}

func newHub() *hub {
	return &hub{boot: rand.Text()[:8], streams: make(chan struct{}, mostStreams), changed: make(chan struct{})}
}

// publish sends an event to all streams, those included that come back later.
func (h *hub) publish(kind string, about any) {
	data, err := json.Marshal(about)
	if err != nil {
		return // only structs of this package are published, and they always encode
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last++
	if len(h.events) == remembered {
		h.events = append(h.events[:0:0], h.events[remembered/2:]...)
	}
	h.events = append(h.events, event{number: h.last, kind: kind, data: data})
	close(h.changed)
	h.changed = make(chan struct{})
}

// since returns the events after a number, and a channel that is closed when there are
// more. When some of them are gone, or the number is unknown, it returns the event missed.
func (h *hub) since(number int) ([]event, <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	first := h.last - len(h.events) + 1
	if number < 0 || number+1 < first || number > h.last {
		return []event{{number: h.last, kind: "missed", data: []byte("null")}}, h.changed
	}
	return h.events[number+1-first:], h.changed
}

// id is an event's id on the wire. number is the reverse: -1 for the id of another process.
func (h *hub) id(number int) string { return fmt.Sprintf("%s-%d", h.boot, number) }

func (h *hub) number(id string) int {
	boot, text, _ := strings.Cut(id, "-")
	n, err := strconv.Atoi(text)
	if err != nil || boot != h.boot {
		return -1
	}
	return n
}

// stream sends events until the browser leaves. One that comes back with the id of the
// last event that it has gets what it missed, or the event missed.
func (s *Server) stream(w http.ResponseWriter, r *http.Request) {
	select {
	case s.hub.streams <- struct{}{}:
		defer func() { <-s.hub.streams }()
	default:
		fail(w, errorf(http.StatusServiceUnavailable, "%d pages are open, which is the limit; close one", mostStreams))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	send := func(format string, args ...any) bool {
		_ = out.SetWriteDeadline(time.Now().Add(writeTimeout))
		_, err := fmt.Fprintf(w, format, args...)
		return err == nil
	}
	at := s.hub.number(r.Header.Get("Last-Event-ID"))
	alive := time.NewTicker(keepAlive)
	defer alive.Stop()
	for {
		events, changed := s.hub.since(at)
		for _, e := range events {
			if !send("id: %s\nevent: %s\ndata: %s\n\n", s.hub.id(e.number), e.kind, e.data) {
				return
			}
			at = e.number
		}
		if out.Flush() != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-s.base.Done():
			return
		case <-changed:
		case <-alive.C:
			if !send(": alive\n\n") {
				return
			}
		}
	}
}
