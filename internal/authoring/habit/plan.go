package habit

import (
	"strconv"
	"strings"

	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
)

// Shape returns the text of a request without its literals, the same for plans and pipelines that do the same with other
// values; and the literals by their paths.
func Shape(request value.Value) (shape string, literals value.Value) {
	var b strings.Builder
	found := value.NewMap()
	shapeOf(&b, found, "", "", request, 0)
	return b.String(), found
}

// quotedText is a text in an expression.
var quotedText = wording.Pattern(`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'`)

// shapeOf writes the shape of a part. key is args or with in the arguments of a call, where texts and numbers are literals.
func shapeOf(b *strings.Builder, literals *value.Map, path, key string, v value.Value, depth int) {
	if depth > deepest {
		return
	}
	if list, isList := v.([]any); isList {
		b.WriteByte('[')
		for i, item := range list {
			shapeOf(b, literals, path+"["+strconv.Itoa(i)+"]", key, item, depth+1)
		}
		b.WriteByte(']')
		return
	}
	object, isObject := value.ObjectOf(v)
	if isObject {
		b.WriteByte('{')
		for _, name := range object.Keys() {
			part, _ := object.Get(name)
			inner := key
			if name == "args" || name == "with" || inner == "" && name == "return" {
				inner = name
			}
			b.WriteString(name + ":")
			if name == "expr" { // an expression is a part of the shape
				inner = ""
			}
			shapeOf(b, literals, path+"."+name, inner, part, depth+1)
		}
		b.WriteByte('}')
		return
	}
	if source, isText := v.(string); isText && key != "args" && key != "with" {
		texts := quotedText().FindAllString(source, -1)
		for i, text := range texts {
			literals.Set(path+"#"+strconv.Itoa(i), text[1:len(text)-1])
		}
		v = quotedText().ReplaceAllString(source, `""`)
	}
	if key == "args" || key == "with" {
		literals.Set(path, v)
		b.WriteByte('_')
		return
	}
	b.WriteString(shown(v))
}
