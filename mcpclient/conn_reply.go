package mcpclient

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
)

// reply answers the server's request id.
func (c *conn) reply(id json.RawMessage, method string) {
	message := map[string]any{"jsonrpc": mcp.JSONRPC_VERSION, "id": id}
	if method == string(mcp.MethodPing) {
		message["result"] = struct{}{}
	} else {
		c.note.refused(method)
		message["error"] = mcp.NewJSONRPCErrorDetails(mcp.METHOD_NOT_FOUND,
			"this client does not offer "+presentable(method, 100), nil)
	}
	line, err := json.Marshal(message)
	if err != nil {
		return // an id that is no JSON: nobody could match the answer either
	}
	ctx, stop := context.WithTimeout(context.Background(), courtesy)
	defer stop()
	_ = c.write(ctx, append(line, '\n')) // best effort
}
