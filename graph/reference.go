package graph

import (
	"fmt"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions"
)

// checkReference reports a path or history function that names no node: the
// context has nothing but node ids, so it could never have a value.
func (c *compiler) checkReference(text config.Text, ref expressions.Reference) {
	if len(ref.Path) == 0 {
		return
	}
	name := ref.Path[0]
	if _, ok := c.byID[name]; ok {
		return
	}
	tool := c.tool.Name.Value
	message := fmt.Sprintf("%q is not a node of tool %q, so this path never has a value", name, tool)
	if ref.Function != "" {
		message = fmt.Sprintf("$%s asks for %q, which is not a node of tool %q", ref.Function, name, tool)
	}
	c.found.Add(text.At(ref.Offset), "unknown-node-reference", message, c.referenceHint(text.Value, ref))
}

func (c *compiler) referenceHint(source string, ref expressions.Reference) string {
	// Without backticks my-node reads as my minus node.
	if ref.Function == "" && ref.Offset >= 0 && ref.Offset < len(source) {
		rest := source[ref.Offset:]
		for _, id := range c.ids {
			if !isPlain(id) && strings.HasPrefix(rest, id) {
				return "write `" + id + "` in backticks"
			}
		}
	}
	return suggest(ref.Path[0], c.ids, "a path begins with a node's id: ")
}

// checkElement warns of a path inside the body of map, filter and their kind that
// begins with a node's id: there, paths are read from the element.
func (c *compiler) checkElement(text config.Text, ref expressions.Reference) {
	if len(ref.Path) == 0 {
		return
	}
	name := ref.Path[0]
	if _, isNode := c.byID[name]; !isNode || name == "current" || name == "accumulator" {
		return
	}
	c.found.Warn(text.At(ref.Offset), "element-relative-var",
		fmt.Sprintf("inside the body of an iteration %q is read from each element, not from node %q", strings.Join(ref.Path, "."), name),
		fmt.Sprintf("write $ctx.%s to read the node's output", strings.Join(ref.Path, ".")))
}
