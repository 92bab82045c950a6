package graph

import (
	"fmt"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions"
	"toolgraph/internal/base/wording"
)

// innerPath is a path in a text: $.node.field, or $variable.field.
var innerPath = wording.Pattern(`\$(\.[A-Za-z_]\w*|[A-Za-z_]\w*\.[A-Za-z_]\w*)(?:\.[A-Za-z_]\w*)*`)

// checkInner warns of the first path inside each text of a message, or of the value of an onError, that has
// a value there: the path of a node's output, of a constant, or of a variable. What begins like an
// expression, package config reports on the first level, and templates are reported with those of args.
func (c *compiler) checkInner(data *config.Data, depth int, bound variables) {
	if data == nil {
		return
	}
	for _, item := range data.Items {
		c.checkInner(item, depth+1, bound)
	}
	text, _ := data.Scalar.(string)
	for _, found := range innerPath().FindAllStringSubmatchIndex(text, -1) {
		before := text[:found[0]]
		template := strings.HasSuffix(strings.TrimRight(before, " "), "{")
		escaped := strings.HasSuffix(before, "$") || strings.HasSuffix(before, `\`)
		if before == "" && (depth <= 1 || found[1] == len(text)) || template || escaped {
			continue
		}
		path := text[found[0]:found[1]]
		if !c.hasValue(text[found[2]:found[3]], bound) {
			continue
		}
		c.found.Warn(data.Text.At(found[0]), "literal-expression", fmt.Sprintf("%q looks like an expression but is sent as literal text", path),
			"write {expr: …}, with & between its texts and "+path)
		return
	}
}

// hasValue reports whether the beginning of a path names something: .node, vars.name or variable.field.
func (c *compiler) hasValue(begin string, bound variables) bool {
	name, field, _ := strings.Cut(begin, ".")
	switch name {
	case "":
		_, isNode := c.byID[field]
		return isNode
	case expressions.VarVars:
		return c.source != nil && c.source.Var(field) != nil
	}
	return slices.Contains(bound, name)
}
