package server

import (
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"
)

// subscriber is a stream whose client wants to know that the tools have changed. News
// that come before it has told the last are the same news.
type subscriber struct{ news chan struct{} }

func (s *subscriber) toolsChanged() {
	select {
	case s.news <- struct{}{}:
	default:
	}
}

// follow tells of each change until the client or we end the stream; it reports
// whether we did.
func (d *door) follow(x *exchange, r *http.Request, s *subscriber, tell func([]byte) []byte) (closing bool) {
	d.server.add(s)
	defer d.server.remove(s)
	defer every(d.opts.KeepAlive, x.keepAlive)()
	for {
		select {
		case <-r.Context().Done():
			return false
		case <-d.closing:
			return true
		case <-s.news:
			x.notify(tell)
		}
	}
}

// news is the stream of a GET, by which the legacy era is told of changes.
func (d *door) news(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Accept") == "" || !accepts(r.Header, "text/event-stream") {
		w.Header().Set("Allow", "POST")
		http.Error(w, "expected Accept: text/event-stream, or a POST", http.StatusMethodNotAllowed)
		return
	}
	x := d.newExchange(w, r)
	x.open()
	d.follow(x, r, &subscriber{news: make(chan struct{}, 1)}, func(dst []byte) []byte {
		return append(dst, `{"jsonrpc":"2.0","method":"`+mcp.MethodNotificationToolsListChanged+"\"}\n"...)
	})
}

// listen is a subscription of the modern era: its stream lasts until one of us ends it.
func (d *door) listen(x *exchange, r *http.Request, m *message) {
	wanted, fault := m.subscription()
	if fault != nil {
		d.refuse(x, m, fault, http.StatusOK)
		return
	}
	if !x.streams {
		d.refuse(x, m, invalidRequest("a subscription is a stream, expected Accept: application/json, text/event-stream"), http.StatusNotAcceptable)
		return
	}
	s := &subscriber{news: make(chan struct{}, 1)}
	x.notify(func(dst []byte) []byte { return appendAcknowledged(dst, m.id, wanted) })
	closing := !wanted // then there is nothing to wait for
	if wanted {
		closing = d.follow(x, r, s, func(dst []byte) []byte {
			return append(appendNotification(dst, mcp.MethodNotificationToolsListChanged, m.id), "}}\n"...)
		})
	}
	if closing {
		x.answer(appendListenEnd(nil, m.id), http.StatusOK)
		return
	}
	x.drop()
}
