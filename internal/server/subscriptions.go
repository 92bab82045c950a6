package server

import (
	"encoding/json"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"
)

// listen opens a subscription: the modern era sends no notification that was not
// asked for, and marks each with the id of the request that asked.
func (c *conn) listen(m *message) *rpcError {
	wanted, fault := m.subscription()
	if fault != nil {
		return fault
	}
	f, fault := c.begin(m)
	if fault != nil {
		return fault
	}
	_ = c.out.putLater(func(dst []byte) []byte {
		c.mu.Lock()
		defer c.mu.Unlock()
		f.listen = wanted // what changes once the client has this line reaches it
		return appendAcknowledged(dst, f.id, wanted)
	})
	if !wanted {
		f.cancel() // nothing to wait for
	}
	go c.keepListening(f)
	return nil
}

// keepListening answers a subscription when it ends on our side.
func (c *conn) keepListening(f *flight) {
	defer c.calls.Done()
	<-f.ctx.Done()
	if !c.end(f) {
		return
	}
	_ = c.out.putLater(func(dst []byte) []byte { return appendListenEnd(dst, f.id) })
}

// subscription tells whether a client subscribes to the one kind of notification that
// we have.
func (m *message) subscription() (toolsChanged bool, fault *rpcError) {
	var want mcp.SubscriptionFilter
	if m.notifications == nil || json.Unmarshal(m.notifications, &want) != nil {
		return false, invalidParams("notifications: expected an object that tells the kinds, such as {\"toolsListChanged\": true}")
	}
	return want.ToolsListChanged, nil
}

// appendAcknowledged appends what a subscription begins with: what of it we can serve.
func appendAcknowledged(dst, id []byte, toolsChanged bool) []byte {
	agreed := "{}"
	if toolsChanged {
		agreed = `{"toolsListChanged":true}`
	}
	dst = appendNotification(dst, mcp.MethodNotificationSubscriptionsAcknowledged, id)
	return append(append(append(dst, `,"notifications":`...), agreed...), "}}\n"...)
}

// appendListenEnd appends the answer of a subscription that we end.
func appendListenEnd(dst, id []byte) []byte {
	dst = append(appendHead(dst, id), `"result":{"resultType":"complete","_meta":{"`+mcp.MetaKeySubscriptionID+`":`...)
	return append(append(dst, id...), "}}}\n"...)
}

// appendNotification appends the beginning of a notification that belongs to a
// subscription, up to the end of its _meta.
func appendNotification(dst []byte, method string, subscription []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","method":"`+method+`","params":{"_meta":{"`+mcp.MetaKeySubscriptionID+`":`...)
	return append(append(dst, subscription...), '}')
}

// toolsChanged tells the client that tools/list has another answer now, once in each
// way that it has asked for.
func (c *conn) toolsChanged() {
	c.mu.Lock()
	var lines []byte
	if c.legacy {
		lines = append(lines, `{"jsonrpc":"2.0","method":"`+mcp.MethodNotificationToolsListChanged+"\"}\n"...)
	}
	for _, f := range c.flights {
		if f.listen && !f.cancelled {
			lines = appendNotification(lines, mcp.MethodNotificationToolsListChanged, f.id)
			lines = append(lines, "}}\n"...)
		}
	}
	c.mu.Unlock()
	if lines != nil {
		_ = c.out.put(func(dst []byte) []byte { return append(dst, lines...) })
	}
}

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
