package schema

import (
	"slices"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
)

// otherTypes are the types that those of other languages mean.
var otherTypes = map[string]string{
	"list": "array", "tuple": "array", "set": "array", "dict": "object", "map": "object", "mapping": "object", "struct": "object", "record": "object", "json": "object",
	"float": "number", "double": "number", "decimal": "number", "int": "integer", "long": "integer", "int32": "integer", "int64": "integer",
	"text": "string", "str": "string", "char": "string", "bool": "boolean", "file": "string", "path": "string",
}

// typeRemedies are the remedies for those that are no type of JSON Schema alone.
var typeRemedies = map[string]string{
	"none": `write "null"`, "nil": `write "null"`, "enum": "leave type out: enum lists the values", "any": "leave type out: any value fits then",
	"date": "write type: string, format: date", "datetime": "write type: string, format: date-time", "date-time": "write type: string, format: date-time",
	"time": "write type: string, format: time", "uri": "write type: string, format: uri", "url": "write type: string, format: uri",
	"email": "write type: string, format: email", "uuid": "write type: string, format: uuid",
}

// remedy returns the hint for a value that a keyword at a path cannot have, or "", and what it says as a fix.
func remedy(path []string, part *config.Data) (string, config.Fix) {
	none := config.Fix{}
	if len(path) == 0 || part == nil {
		return "", none
	}
	keyword, owner := path[len(path)-1], ""
	if len(path) > 1 {
		owner = path[len(path)-2]
	}
	text, isText := part.Scalar.(string)
	_, isBool := part.Scalar.(bool)
	inList := config.WriteScalar("Write ["+text+"]", part.Text, "["+config.InFlow(text)+"]")
	ofType := config.WriteScalar("Write {type: "+text+"}", part.Text, "{type: "+text+"}")
	switch {
	case owner == "properties" && isText && typeNames[text] != "":
		return "write " + wording.Shorten(keyword) + ": {type: " + text + "}", ofType
	case owner == "properties" && isText:
		return "if it is meant as a keyword, move it out of properties", none
	case owner == "properties":
		return "", none
	case keyword == "type" && isText && otherTypes[text] != "":
		return "write " + otherTypes[text], config.WriteText(part.Text, otherTypes[text])
	case keyword == "type" && isText:
		return typeRemedies[text], none
	case keyword == "required" && isBool && len(path) > 2 && path[len(path)-3] == "properties":
		return "remove it; the object around has required: [" + wording.Shorten(owner) + "] when it is required", config.RemoveKey(part.Pos)
	case (keyword == "required" || keyword == "enum") && isText:
		return "write " + keyword + ": [" + wording.Shorten(text) + "]", inList
	case keyword == "items" && part.Kind == config.KindArray && len(part.Items) == 1:
		return "write the schema of all items without [ ]", none
	case keyword == "items" && part.Kind == config.KindArray:
		return "write prefixItems for the schemas of the first items", none
	case slices.Contains([]string{"anyOf", "oneOf", "allOf"}, keyword) && part.Kind == config.KindObject:
		return "write a list of schemas", none
	case slices.Contains([]string{"items", "additionalProperties"}, keyword) && isText && typeNames[text] != "":
		return "write " + keyword + ": {type: " + text + "}", ofType
	case keyword == "additionalProperties" && isText:
		return "write true or false", none
	case keyword == "properties" && part.Kind == config.KindArray:
		return "write a mapping of names to schemas, without -", none
	}
	return "", none
}

// formatRemedies are the formats of JSON Schema that other names mean.
var formatRemedies = map[string]string{
	"datetime": "date-time", "timestamp": "date-time", "date_time": "date-time", "url": "uri", "ip": "ipv4", "guid": "uuid", "mail": "email", "e-mail": "email",
}

var formats = []string{
	"date-time", "date", "time", "duration", "email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6", "uri", "uri-reference", "iri", "iri-reference",
	"uuid", "uri-template", "json-pointer", "relative-json-pointer", "regex",
}

// format warns of a format that is another one under a wrong name, or of a type that is no string: it
// has no effect.
func (k *keywords) format(value *config.Data) {
	name, isText := value.Scalar.(string)
	known := slices.Contains(formats, name)
	switch {
	case !isText:
	case !known && formatRemedies[name] != "":
		k.found.Warn(value.Pos, "schema-keyword", "format "+wording.Quote(name)+" of "+k.where+" is unknown to JSON Schema and has no effect", "write "+formatRemedies[name]).Over(value.Text).Fixed(config.WriteText(value.Text, formatRemedies[name]))
	case !known && len(name) > 4 && !slices.Contains([]string{"int32", "int64", "float", "double", "byte", "binary"}, name) && wording.Misspelt(name, formats) != "":
		near := wording.Misspelt(name, formats)
		k.found.Warn(value.Pos, "schema-keyword", "format "+wording.Quote(name)+" of "+k.where+" is unknown to JSON Schema and has no effect", wording.Meant(near)).Meant(value.Text, near)
	case known && len(k.types) > 0 && !slices.Contains(k.types, "string"):
		k.found.Warn(value.Pos, "schema-keyword", "format "+wording.Quote(name)+" of "+k.where+" has no effect: it is about a string, and the type is "+wording.Or(k.types), "write type: string").Over(value.Text).Fixed(config.SetKey(value.Pos, "type", "string"))
	}
}
