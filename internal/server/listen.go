package server

import (
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
)

// listen opens a subscription: the modern era sends no notification that was not
// asked for, and marks each with the id of the request that asked. We have one kind.
func (c *conn) listen(m *message) *rpcError {
	var want mcp.SubscriptionFilter
	if m.notifications == nil || json.Unmarshal(m.notifications, &want) != nil {
		return &rpcError{code: codeInvalidParams, message: "notifications: expected an object that tells the kinds, such as {\"toolsListChanged\": true}"}
	}
	f, fault := c.begin(m)
	if fault != nil {
		return fault
	}
	agreed := []byte("{}")
	if want.ToolsListChanged {
		agreed = []byte(`{"toolsListChanged":true}`)
	}
	_ = c.out.putLater(func(dst []byte) []byte {
		dst = appendNotification(dst, mcp.MethodNotificationSubscriptionsAcknowledged, f.id)
		dst = append(append(dst, `,"notifications":`...), agreed...)
		return append(dst, "}}\n"...)
	})
	c.mu.Lock()
	f.listen = want.ToolsListChanged
	c.mu.Unlock()
	if !want.ToolsListChanged {
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
	_ = c.out.putLater(func(dst []byte) []byte {
		dst = append(appendHead(dst, f.id), `"result":{"resultType":"complete","_meta":{"`+mcp.MetaKeySubscriptionID+`":`...)
		return append(append(dst, f.id...), "}}}\n"...)
	})
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
