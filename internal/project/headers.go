package project

import (
	"github.com/mark3labs/mcp-go/mcp"

	"toolgraph/config"
	"toolgraph/expressions/schema"
)

// checkHeaders reports arguments that clients cannot mirror into HTTP headers, though the
// tool asks for it.
func checkHeaders(tools []*config.Tool) config.Diagnostics {
	var found config.Diagnostics
	for _, tool := range tools {
		mark := schema.Find(tool.InputSchema, "x-mcp-header")
		if mark == nil {
			continue
		}
		if err := mcp.ValidateParamHeaderAnnotations(&mcp.Tool{Name: tool.Name.Value, RawInputSchema: tool.InputSchema.JSON()}); err != nil {
			found.Add(mark.Pos, "schema-header", "inputSchema: "+err.Error(), "clients skip a tool with an invalid x-mcp-header")
		}
	}
	return found
}
