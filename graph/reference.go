package graph

import (
	"fmt"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/jsonata"
)

// checkReference reports a path or history function that names no node: the
// context has nothing but node ids, so it could never have a value.
func (c *compiler) checkReference(text *config.Places, ref jsonata.Reference) {
	if len(ref.Path) == 0 {
		return
	}
	name := ref.Path[0]
	if _, ok := c.byID[name]; ok {
		return
	}
	hint := c.suggest(name, func() []string { return c.ids }, "a path begins with a node's id: ")
	if entry := c.entryID(); entry != "" && c.tool.InputSchema.Get("properties").Get(name) != nil {
		hint = fmt.Sprintf("for the tool's argument write $.%s.%s", entry, name)
	}
	if id, start := c.unquotedID(text.Text.Value, ref); id != "" {
		if _, isNode := c.byID[plainStart(id)]; start < ref.Offset && !isNode {
			return // its first word is reported
		}
		hint = "write `" + id + "` in backticks"
	}
	tool := c.tool.Name.Value
	message := fmt.Sprintf("%q is not a node of tool %q, so this path never has a value", name, tool)
	if ref.Function != "" {
		message = fmt.Sprintf("$%s asks for %q, which is not a node of tool %q", ref.Function, name, tool)
	}
	c.found.Add(text.At(ref.Offset), "unknown-node-reference", message, hint)
}

// entryID is the id of the tool's entry; empty when a path cannot have it as it is.
func (c *compiler) entryID() string {
	for _, node := range c.tool.Nodes {
		if node.Type == config.EntryNode && isPlain(node.ID.Value) {
			return node.ID.Value
		}
	}
	return ""
}

// unquotedID is the node id that a path was meant to be a word of, and where it
// begins: without backticks my-node reads as my minus node.
func (c *compiler) unquotedID(source string, ref jsonata.Reference) (id string, start int) {
	if ref.Function != "" || ref.Offset < 0 || ref.Offset >= len(source) {
		return "", 0
	}
	for _, id := range c.ids {
		if id == "" || isPlain(id) {
			continue
		}
		from := max(0, ref.Offset-len(id)+1)
		to := min(len(source), ref.Offset+len(id))
		if i := strings.Index(source[from:to], id); i >= 0 {
			return id, from + i
		}
	}
	return "", 0
}

// checkElement warns of a path inside the body of map, filter and their kind that
// begins with a node's id: there, paths are read from the element.
func (c *compiler) checkElement(text config.Text, ref jsonata.Reference) {
	if len(ref.Path) == 0 {
		return
	}
	name := ref.Path[0]
	if _, isNode := c.byID[name]; !isNode || name == "current" || name == "accumulator" {
		return
	}
	c.found.Warn(text.At(ref.Offset), "element-relative-var",
		fmt.Sprintf("inside the body of an iteration, %q is read from each element, not from node %q", strings.Join(ref.Path, "."), name),
		fmt.Sprintf("write $ctx.%s to read the node's output", strings.Join(ref.Path, ".")))
}
