package server

import (
	"context"
	"encoding/json"
	"net/http"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"

	"toolgraph/expressions/value"
)

// listen opens a subscription. In the modern era clients get only the notifications that they
// subscribe to, each with the id of the subscription.
func (c *conn) listen(m *message) *rpcError {
	wanted, fault := c.server.subscription(m)
	if fault != nil {
		return fault
	}
	tasks, fault := c.server.watched(c.ctx, m)
	if fault != nil {
		return fault
	}
	f, fault := c.begin(m, nil)
	if fault != nil {
		return fault
	}
	f.ctx = withApps(f.ctx, m)
	_ = c.out.putLater(func(dst []byte) []byte { // it is called before putLater returns, or the connection has ended
		c.mu.Lock()
		defer c.mu.Unlock()
		f.listen, f.watches = wanted, len(tasks) > 0 // the client gets every change after this line
		return appendAcknowledged(dst, f.id, wanted, tasks)
	})
	if wanted == 0 && len(tasks) == 0 {
		f.cancel() // no subscription: end at once
	}
	go c.keepListening(f, wanted, tasks)
	return nil
}

// keepListening answers a subscription when this server ends it.
func (c *conn) keepListening(f *flight, wanted Lists, tasks []string) {
	defer c.calls.Done()
	all, stop := c.server.watch(f.ctx, f.id, tasks, c.place(), func(fill func([]byte) []byte) { _ = c.out.put(fill) })
	if wanted != 0 {
		all = nil
	}
	select {
	case <-f.ctx.Done():
	case <-all:
	}
	stop()
	if !c.end(f) {
		return
	}
	_ = c.out.putLater(func(dst []byte) []byte { return appendListenEnd(dst, f.id) })
}

// subscription returns the lists to whose changes a client subscribes, of those whose changes are notified.
func (s *Server) subscription(m *message) (wanted Lists, fault *rpcError) {
	var want mcp.SubscriptionFilter
	if m.notifications == nil || json.Unmarshal(m.notifications, &want) != nil {
		return 0, invalidParams("notifications: expected an object with the kinds to subscribe to, such as {\"toolsListChanged\": true}")
	}
	for list, is := range map[Lists]bool{ToolsList: want.ToolsListChanged, PromptsList: want.PromptsListChanged, ResourcesList: want.ResourcesListChanged} {
		if is {
			wanted |= list
		}
	}
	return wanted & s.notified(), nil
}

// appendAcknowledged appends the first message of a subscription: the kinds that are served.
func appendAcknowledged(dst, id []byte, wanted Lists, tasks []string) []byte {
	dst = appendNotification(dst, mcp.MethodNotificationSubscriptionsAcknowledged, id)
	dst = append(dst, `,"notifications":{`...)
	for i, list := range wanted.each() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, '"'), list.kind()...), `":true`...)
	}
	if len(tasks) > 0 {
		if wanted != 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `"taskIds":[`...)
		for i, id := range tasks {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = value.AppendString(dst, id)
		}
		dst = append(dst, ']')
	}
	return append(dst, "}}}\n"...)
}

// appendListenEnd appends the answer to a subscription that this server ends.
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

// changed notifies the client that lists have changed, once for each subscription.
func (c *conn) changed(lists Lists) {
	c.mu.Lock()
	var lines []byte
	for _, list := range lists.each() {
		if c.legacy {
			lines = append(lines, `{"jsonrpc":"2.0","method":"`+list.method()+"\"}\n"...)
		}
		for _, f := range c.flights {
			if f.listen&list != 0 && !f.cancelled {
				lines = append(appendNotification(lines, list.method(), f.id), "}}\n"...)
			}
		}
	}
	c.mu.Unlock()
	if lines != nil {
		_ = c.out.put(func(dst []byte) []byte { return append(dst, lines...) })
	}
}

// subscriber is a stream whose client has subscribed to changes of lists. Several changes of one
// before the next notification are one.
type subscriber struct {
	wanted Lists
	news   chan struct{}
	over   <-chan struct{} // closed when the server ends the stream; nil: it does not
	what   atomic.Uint32   // Lists
}

func newSubscriber(wanted Lists) *subscriber {
	return &subscriber{wanted: wanted, news: make(chan struct{}, 1)}
}

func (s *subscriber) changed(lists Lists) {
	if lists &= s.wanted; lists == 0 {
		return
	}
	s.what.Or(uint32(lists))
	select {
	case s.news <- struct{}{}:
	default:
	}
}

// follow sends notification at each change until the client or this server ends the stream, which
// it does when the access token of the client is no longer valid; it reports whether this server
// did.
func (e *endpoint) follow(x *exchange, r *http.Request, s *subscriber, notification func([]byte, Lists) []byte) (closing bool) {
	e.server.add(s)
	defer e.server.remove(s)
	defer every(e.opts.KeepAlive, x.keepAlive)()
	ctx := r.Context()
	if until := identityOf(ctx).Until; !until.IsZero() {
		var stop context.CancelFunc
		ctx, stop = context.WithDeadline(ctx, until)
		defer stop()
	}
	for {
		select {
		case <-ctx.Done():
			return r.Context().Err() == nil
		case <-e.closing:
			return true
		case <-s.over:
			return true
		case <-s.news:
			for _, list := range Lists(s.what.Swap(0)).each() {
				x.notify(func(dst []byte) []byte { return notification(dst, list) })
			}
		}
	}
}

// news is the stream of a GET, for notifications to clients of the legacy era.
func (e *endpoint) news(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Accept") == "" || !accepts(r.Header, "text/event-stream") {
		w.Header().Set("Allow", "POST")
		http.Error(w, "expected Accept: text/event-stream, or a POST", http.StatusMethodNotAllowed)
		return
	}
	x := e.newExchange(w, r)
	x.open()
	e.follow(x, r, newSubscriber(e.server.notified()), func(dst []byte, list Lists) []byte {
		return append(dst, `{"jsonrpc":"2.0","method":"`+list.method()+"\"}\n"...)
	})
}

// listen is a subscription of the modern era. Its stream lasts until the client or this server
// ends it.
func (e *endpoint) listen(x *exchange, r *http.Request, m *message) {
	wanted, fault := e.server.subscription(m)
	if fault != nil {
		e.refuse(x, m, fault, http.StatusOK)
		return
	}
	tasks, fault := e.server.watched(r.Context(), m)
	if fault != nil {
		e.refuse(x, m, fault, statusOfCall(fault))
		return
	}
	if !x.streams {
		e.refuse(x, m, invalidRequest("a subscription is a stream; send Accept: application/json, text/event-stream"), http.StatusNotAcceptable)
		return
	}
	s := newSubscriber(wanted)
	x.notify(func(dst []byte) []byte { return appendAcknowledged(dst, m.id, wanted, tasks) })
	closing := wanted == 0 && len(tasks) == 0 // no subscription: end at once
	if !closing {
		all, stop := e.server.watch(withApps(r.Context(), m), m.id, tasks, e.place(), x.notify)
		defer stop()
		if wanted == 0 {
			s.over = all
		}
		closing = e.follow(x, r, s, func(dst []byte, list Lists) []byte {
			return append(appendNotification(dst, list.method(), m.id), "}}\n"...)
		})
	}
	if closing {
		x.answer(appendListenEnd(nil, m.id), http.StatusOK)
		return
	}
	x.drop()
}
