package graph

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
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

// readsSteps reports whether a text is an expression that reads an argument of the tool or a field of a step above, and
// nothing that is not known here. A name and a short one, as in readme.md, may be a file.
func (c *compiler) readsSteps(text string) bool {
	const longest, fileEnding = 500, 4
	if len(text) > longest || !strings.Contains(text, ".") {
		return false
	}
	e, err := jsonata.Compile(context.Background(), text)
	if err != nil {
		return false
	}
	above, reads := c.stepsAbove(), false
	for _, ref := range e.References() {
		switch name := ref.Path[0]; {
		case name == ArgsName && len(ref.Path) > 1:
			if c.tool.InputSchema.Get("properties").Get(ref.Path[1]) == nil {
				return false
			}
			reads = true
		case !slices.Contains(above, name):
			return false
		case len(ref.Path) > 2 || len(ref.Path) == 2 && (len(ref.Path[1]) > fileEnding || e.Tree().Kind != jsonata.PathKind):
			reads = true
		}
	}
	return reads
}

// readsKnown reports whether a text, perhaps in quotes, is an expression all of whose paths begin at a node, or at a step above.
func (c *compiler) readsKnown(text string) bool {
	e, err := jsonata.Compile(context.Background(), strings.Trim(text, " '\""))
	if err != nil {
		return true // it was meant as one
	}
	above := c.stepsAbove()
	return !slices.ContainsFunc(e.References(), func(ref jsonata.Reference) bool {
		name := ref.Path[0]
		_, isNode := c.byID[name]
		return !isNode && name != ArgsName && !slices.Contains(above, name)
	})
}
