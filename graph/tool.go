package graph

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"toolgraph/config"
	"toolgraph/expressions/schema"
)

// maxToolName is the length that the Model Context Protocol allows for a tool's name.
const maxToolName = 128

// checkTool checks what a tool is besides its nodes' meaning.
func (c *compiler) checkTool() {
	c.checkName()
	c.checkInputSchema()
	checkCap(&c.found, "too-many-nodes", fmt.Sprintf("tool %q", shorten(c.tool.Name.Value)), "nodes", "split it into several tools",
		len(c.tool.Nodes), c.caps.NodesPerTool, func(i int) config.Pos { return c.tool.Nodes[i].Pos })
}

func (c *compiler) checkName() {
	name := c.tool.Name.Value
	pos := orPos(c.tool.Name.Pos, c.tool.Pos)
	const expected = "expected 1 to 128 letters, digits, _, - or ."
	switch n := utf8.RuneCountInString(name); {
	case name == "":
		c.found.Add(pos, "bad-tool-name", "the tool has no name, "+expected, "add name: NAME")
	case n > maxToolName:
		c.found.Add(pos, "bad-tool-name", fmt.Sprintf("the tool's name %q is %d characters long, %s", shorten(name), n, expected), "shorten it")
	case strings.ContainsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || r == utf8.RuneError }):
		c.found.Add(pos, "bad-tool-name", fmt.Sprintf("tool name %q has spaces or control characters, %s", name, expected), "write _ instead")
	case strings.ContainsFunc(name, func(r rune) bool { return !isToolNameRune(r) }):
		c.found.Warn(pos, "odd-tool-name", fmt.Sprintf("tool name %q has characters that some clients refuse, %s", name, expected), "write _ instead")
	}
}

func isToolNameRune(r rune) bool {
	return r == '_' || r == '-' || r == '.' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// compileSchemas compiles the schemas of the arguments and of the value; the second is nil
// when there is none.
func (c *compiler) compileSchemas(ctx context.Context) (input, output *schema.Schema) {
	input = schema.Input(ctx, c.tool.InputSchema, &c.found)
	if c.tool.OutputSchema != nil {
		output = schema.Output(ctx, c.tool.OutputSchema, &c.found)
	}
	return input, output
}

// checkInputSchema checks that the schema says what the protocol asks of its root.
func (c *compiler) checkInputSchema() {
	source := c.tool.InputSchema
	if source != nil && source.Kind == config.KindObject && source.Get("type") == nil {
		c.found.Add(source.Pos, "input-schema-type", "inputSchema has no type, expected type: object since arguments have names", "write type: object")
	}
}
