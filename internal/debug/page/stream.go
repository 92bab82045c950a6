package page

import (
	"fmt"
	"net/http"
	"time"
)

const (
	mostStreams = 32
	keepAlive   = 15 * time.Second
)

// stream sends events until the browser leaves. One that comes back with the id of the
// last event it has gets what it missed, or is told that it missed something.
func (s *Server) stream(w http.ResponseWriter, r *http.Request) {
	wake, leave, ok := s.hub.join(mostStreams)
	if !ok {
		fail(w, errorf(http.StatusServiceUnavailable, "%d pages are open, and no more are served", mostStreams))
		return
	}
	defer leave()
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	at := s.hub.number(r.Header.Get("Last-Event-ID"))
	alive := time.NewTicker(keepAlive)
	defer alive.Stop()
	for {
		events, missed := s.hub.since(at)
		if missed || at < 0 {
			at = s.hub.now()
			events = []event{{number: at, kind: "missed", data: []byte("null")}}
		}
		for _, e := range events {
			_ = out.SetWriteDeadline(time.Now().Add(writeTimeout))
			if _, err := fmt.Fprintf(w, "id: %s\nevent: %s\ndata: %s\n\n", s.hub.id(e.number), e.kind, e.data); err != nil {
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
		case <-wake:
		case <-alive.C:
			_ = out.SetWriteDeadline(time.Now().Add(writeTimeout))
			if _, err := fmt.Fprint(w, ": alive\n\n"); err != nil {
				return
			}
		}
	}
}
