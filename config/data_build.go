package config

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"sync"
)

// data makes Data of an item, for what is kept as it stands.
func (d *decoder) data(it *item) *Data {
	data := &Data{Pos: it.pos}
	switch it.kind {
	case itemMapping:
		data.Kind, data.Keys = KindObject, it.keys
		data.Items = make([]*Data, len(it.items))
		for i, child := range it.items {
			data.Items[i] = d.data(child)
		}
	case itemList:
		data.Kind = KindArray
		data.Items = make([]*Data, len(it.items))
		for i, child := range it.items {
			data.Items[i] = d.data(child)
		}
	case itemScalar:
		d.scalar(data, it)
	}
	return data
}

func (d *decoder) scalar(data *Data, it *item) {
	value, problem := it.scalar()
	if problem != nil {
		d.found.Add(it.pos, problem.code, problem.message, problem.hint)
		return
	}
	data.Scalar = value
	if _, isText := value.(string); isText {
		data.Text = it.text
	}
}

// argument is data for args, where {expr: …} is an expression.
func (d *decoder) argument(it *item) *Data {
	switch it.kind {
	case itemMapping:
		if expr := it.get("expr"); expr != nil {
			return d.expression(it, expr)
		}
		data := &Data{Pos: it.pos, Kind: KindObject, Keys: it.keys, Items: make([]*Data, len(it.items))}
		for i, child := range it.items {
			data.Items[i] = d.argument(child)
		}
		return data
	case itemList:
		data := &Data{Pos: it.pos, Kind: KindArray, Items: make([]*Data, len(it.items))}
		for i, child := range it.items {
			data.Items[i] = d.argument(child)
		}
		return data
	case itemScalar:
	}
	data := d.data(it)
	if v, ok := data.Scalar.(float64); ok && strings.Contains(it.text.Value, ".") && v == math.Trunc(v) {
		d.found.Warn(it.pos, "number-form", fmt.Sprintf("%s is sent as the number %v", shortened(it.text.Value), v), "quote it if it is meant as text, such as a version")
	}
	return data
}

// expression is the {expr: …} of args.
func (d *decoder) expression(it, expr *item) *Data {
	data := &Data{Pos: it.pos, Kind: KindExpression, Expr: expr.text}
	if len(it.keys) > 1 {
		other := it.keys[0]
		if other.Value == "expr" {
			other = it.keys[1]
		}
		d.found.Add(other.Pos, "expr-not-alone", fmt.Sprintf("an object of args has %q beside expr, expected expr alone", shortened(other.Value)),
			"an object whose only key is expr is an expression; move the other keys out, or compute the whole object in the expression")
	}
	if value, isText := expr.value().(string); expr.kind != itemScalar || !isText || value == "" {
		d.found.Add(expr.pos, "wrong-type", fmt.Sprintf("expr is %s, expected the text of a JSONata expression", expr.describe()), "quote it")
		data.Expr = Text{Value: "null", Pos: expr.pos}
	}
	return data
}

var looksLikeExpression = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\$(\.|\$|\[|[A-Za-z_][A-Za-z0-9_]*\s*[.(\[])`) })

// args are the arguments of an mcp node. In a file of the older language a text right
// below args that begins with $ is an expression.
func (d *decoder) args(it *item) *Data {
	if it == nil {
		return nil
	}
	if it.isNull() {
		return &Data{Pos: it.pos, Kind: KindObject}
	}
	data := d.argument(it)
	if data.Kind != KindObject {
		return data
	}
	for i, child := range data.Items {
		text, isText := child.Scalar.(string)
		switch {
		case !isText || !strings.HasPrefix(text, "$"):
		case d.file.Older:
			data.Items[i] = &Data{Pos: child.Pos, Kind: KindExpression, Expr: child.Text}
		case looksLikeExpression().MatchString(text):
			d.found.Warn(child.Pos, "literal-expression", fmt.Sprintf("%q is sent as it stands, though it looks like an expression", shortened(text)),
				fmt.Sprintf("write %s: {expr: %s}", shortened(data.Keys[i].Value), shortened(text)))
		}
	}
	return data
}
