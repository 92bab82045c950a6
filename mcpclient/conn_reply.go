package mcpclient

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
)

// reply answers the server's request id.
func (c *conn) reply(id json.RawMessage, method string, params json.RawMessage) {
	message := map[string]any{"jsonrpc": mcp.JSONRPC_VERSION, "id": id}
	if result, refusal := c.asks(method, params); refusal != nil {
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
