package graph

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
)

// The limits of a form that users fill in.
const (
	mostFields  = 50
	mostChoices = 200
)

// The keywords that a form can have, by the type of a property.
var (
	formKeys  = []string{"$schema", "type", "properties", "required"}
	fieldKeys = map[string][]string{
		"string":  {"minLength", "maxLength", "pattern", "format", "enum", "enumNames", "oneOf"},
		"number":  {"minimum", "maximum"},
		"integer": {"minimum", "maximum"},
		"boolean": nil,
		"array":   {"minItems", "maxItems", "items"},
	}
	commonKeys  = []string{"type", "title", "description", "default"}
	fieldTypes  = []string{"string", "number", "integer", "boolean", "array"}
	textFormats = []string{"email", "uri", "date", "date-time"}
)

// formChecker reports what a schema has that the Model Context Protocol does not allow in a form.
type formChecker struct {
	found *config.Diagnostics
	node  string // its id
}

func (c *formChecker) add(pos config.Pos, message, hint string) *config.Diagnostic {
	return c.found.Add(pos, "ask-schema", message, hint)
}

// checkForm reports whether the schema of an ask is one that hosts can show as a form.
func checkForm(id string, schema *config.Data, found *config.Diagnostics) bool {
	c := &formChecker{found: found, node: strconv.Quote(id)}
	before := len(*found)
	c.form(schema)
	return len(*found) == before
}

func (c *formChecker) form(schema *config.Data) {
	who := "schema of node " + c.node
	if schema.Kind != config.KindObject {
		c.add(schema.Pos, who+" is "+kindName(schema)+", expected a mapping of type object", "write schema: {type: object, properties: {NAME: {type: string}}}")
		return
	}
	switch t := schema.Get("type"); {
	case t == nil:
		c.add(schema.Pos, who+" has no type, expected object", "write type: object").Fixed(addType(schema.Pos, "object"))
	case t.Scalar != "object":
		c.add(t.Pos, fmt.Sprintf("%s has type %s, expected object", who, t.JSON()), "make the value one of its properties")
	}
	c.keys(schema, who, formKeys)
	properties := schema.Get("properties")
	switch {
	case properties == nil:
		c.add(schema.Pos, who+" has no properties, expected one for each value to fill in", "to ask for yes or no, leave schema out")
	case properties.Kind != config.KindObject:
		c.add(properties.Pos, "properties of "+who+" is "+kindName(properties)+", expected a mapping of names to schemas", "")
	case len(properties.Keys) == 0:
		c.add(properties.Pos, "properties of "+who+" is empty, expected one for each value to fill in", "to ask for yes or no, leave schema out")
	case len(properties.Keys) > mostFields:
		c.add(properties.Keys[mostFields].Pos, fmt.Sprintf("%s has %d properties, at most %d are allowed", who, len(properties.Keys), mostFields), "ask in several nodes")
	default:
		for i, name := range properties.Keys {
			c.field(name, properties.Items[i])
		}
	}
}

// keys reports the keywords of a schema that are not among these.
func (c *formChecker) keys(schema *config.Data, who string, known []string) {
	for _, key := range schema.Keys {
		if !slices.Contains(known, key.Value) {
			near := wording.Nearest(key.Value, known)
			c.add(key.Pos, fmt.Sprintf("%s has %s, which a form cannot have", who, wording.Quote(key.Value)), cmp.Or(wording.Meant(near), "remove it")).
				Meant(key, near).Fixed(config.RemoveKey(key.Pos))
		}
	}
}

// field checks a property.
func (c *formChecker) field(name config.Text, schema *config.Data) {
	who := fmt.Sprintf("property %s of node %s", wording.Quote(name.Value), c.node)
	kind := schema.Get("type")
	if kind == nil {
		c.add(schema.Pos, who+" has no type, expected "+wording.Or(fieldTypes), "write type: string").Fixed(addType(schema.Pos, "string"))
		return
	}
	of, _ := kind.Scalar.(string)
	if !slices.Contains(fieldTypes, of) {
		near := wording.Nearest(of, fieldTypes)
		hint := wording.Meant(near)
		if of == "object" {
			hint, near = "write the fields as properties of their own: a form has no nested objects", ""
		}
		c.add(kind.Pos, fmt.Sprintf("%s has type %s, expected %s", who, kind.JSON(), wording.Or(fieldTypes)), hint).Meant(kind.Text, near)
		return
	}
	c.keys(schema, who, slices.Concat(commonKeys, fieldKeys[of]))
	switch of {
	case "string":
		c.text(name, schema, who)
	case "array":
		c.list(schema, kind, who)
	}
}

// text checks a property of type string: a choice of several texts, or any text.
func (c *formChecker) text(name config.Text, schema *config.Data, who string) {
	if c.choices(schema, who, "oneOf") {
		return
	}
	if config.SecretName(name.Value) {
		c.add(name.Pos, who+" looks like a secret by its name, and a form must not ask for secrets",
			"take secrets from environment variables, or rename what is none")
	}
	if names := schema.Get("enumNames"); names != nil {
		c.add(names.Pos, who+" has enumNames without enum", "write enum: […]")
	}
	if format := schema.Get("format"); format != nil {
		text, _ := format.Scalar.(string)
		if !slices.Contains(textFormats, text) {
			near := wording.Nearest(text, textFormats)
			c.add(format.Pos, fmt.Sprintf("%s has format %s, expected %s", who, format.JSON(), wording.Or(textFormats)), wording.Meant(near)).Meant(format.Text, near)
		}
	}
}

// list checks a property of type array: a choice of several texts.
func (c *formChecker) list(schema, kind *config.Data, who string) {
	const hint = "write items: {type: string, enum: […]}"
	items := schema.Get("items")
	if items == nil {
		c.add(kind.Pos, who+" is a list without items, expected the texts to choose from", hint)
		return
	}
	who = "items of " + who
	if t := items.Get("type"); t != nil && t.Scalar != "string" {
		c.add(t.Pos, fmt.Sprintf("%s has type %s, expected string", who, t.JSON()), hint)
		return
	}
	c.keys(items, who, []string{"type", "enum", "anyOf"})
	if !c.choices(items, who, "anyOf") {
		c.add(items.Pos, who+" has no enum, expected the texts to choose from", hint)
	}
}

// choices checks the texts to choose from, which may have titles under the keyword titled, and
// reports whether there are any.
func (c *formChecker) choices(schema *config.Data, who, titled string) bool {
	enum, titles := schema.Get("enum"), schema.Get(titled)
	if enum == nil && titles == nil {
		return false
	}
	for _, list := range []*config.Data{enum, schema.Get("enumNames"), titles} {
		if list == nil {
			continue
		}
		switch n := len(list.Items); {
		case list.Kind != config.KindArray || n == 0:
			c.add(list.Pos, who+" has choices that are not a list, or none", "write [a, b]")
			continue
		case n > mostChoices:
			c.add(list.Items[mostChoices].Pos, fmt.Sprintf("%s has %d choices, at most %d are allowed", who, n, mostChoices), "let the user type a text")
			continue
		}
		for _, one := range list.Items {
			if list == titles {
				c.titled(one, who)
			} else if _, isText := one.Scalar.(string); !isText {
				c.add(one.Pos, fmt.Sprintf("%s has the choice %s, expected a text", who, wording.Shorten(string(one.JSON()))), "quote it").Fixed(config.QuoteAt(one.Pos))
			}
		}
	}
	return true
}

// titled checks one text to choose, with its title.
func (c *formChecker) titled(one *config.Data, who string) {
	isText := func(key string) bool {
		value := one.Get(key)
		if value == nil {
			return false
		}
		_, is := value.Scalar.(string)
		return is
	}
	if !isText("const") || !isText("title") || len(one.Keys) > 2 {
		c.add(one.Pos, who+" has the choice "+wording.Shorten(string(one.JSON()))+", expected a text with a title", "write {const: VALUE, title: TITLE}")
	}
}
