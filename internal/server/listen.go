package server

import (
	"encoding/json"

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
