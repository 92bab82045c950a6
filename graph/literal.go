package graph

import (
	"fmt"
	"regexp"
	"sync"

	"toolgraph/config"
)

// What reads like a value to be filled in: the path in the {{…}} or ${…} of a
// template, and a whole text that is $.path.
var (
	templatePath = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:\{\{|\$\{)\s*(?:\$?\.)?([A-Za-z_]\w*)((?:\.[A-Za-z_]\w*)*)\s*\}\}?`)
	})
	wholePath = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\$\.([A-Za-z_]\w*)((?:\.[A-Za-z_]\w*)*)$`) })
)

// checkLiterals warns of texts in args that read a node's output as other languages
// do it: they are sent as they stand. depth is how far below args the data is; whole
// paths right below it are the loader's, which tells them without knowing the nodes.
func (c *compiler) checkLiterals(data *config.Data, depth int) {
	for _, item := range data.Items {
		c.checkLiterals(item, depth+1)
	}
	text, isText := data.Scalar.(string)
	if !isText {
		return
	}
	for _, found := range templatePath().FindAllStringSubmatchIndex(text, -1) {
		c.warnLiteral(data, text, found)
	}
	if found := wholePath().FindStringSubmatchIndex(text); found != nil && depth > 1 {
		c.warnLiteral(data, text, found)
	}
}

// warnLiteral warns of the part of a text that was found, when it begins with a node.
func (c *compiler) warnLiteral(data *config.Data, text string, found []int) {
	node, fields := text[found[2]:found[3]], text[found[4]:found[5]]
	if _, known := c.byID[node]; !known {
		return
	}
	part := text[found[0]:found[1]]
	hint := fmt.Sprintf("write {expr: $.%s%s}", node, fields)
	if part != text {
		hint = fmt.Sprintf("write {expr: …}, with & between its texts and $.%s%s", node, fields)
	}
	c.found.Warn(data.Text.At(found[0]), "literal-expression", fmt.Sprintf("%q is sent as it stands, though it looks like an expression", part), hint)
}
