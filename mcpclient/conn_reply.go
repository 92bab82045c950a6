package mcpclient

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
)

// reply answers the server's request id. by is the call of a question; nil for any other
// request.
func (c *conn) reply(id json.RawMessage, method string, params json.RawMessage, by claim) {
	message := map[string]any{"jsonrpc": mcp.JSONRPC_VERSION, "id": id}
	if by != nil {
		<-c.answers // a user may take long, and must not keep us from answering pings
	}
	result, refusal := c.asks(by, method, params)
	if by != nil {
		c.answers <- struct{}{}
	}
	if refusal != nil {
		message["error"] = refusal
	} else {
		message["result"] = result
	}
	line, err := json.Marshal(message)
	if err != nil {
		return // an id that is no JSON: nobody could match the answer either
	}
	ctx, stop := context.WithTimeout(context.Background(), courtesy)
	defer stop()
	_ = c.write(ctx, append(line, '\n')) // best effort
}
