package schema

import (
	"slices"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
)

// typeRemedies are the remedies for types of other languages.
var typeRemedies = map[string]string{
	"list": "write array", "tuple": "write array", "set": "write array", "dict": "write object", "map": "write object", "mapping": "write object",
	"struct": "write object", "record": "write object", "json": "write object", "float": "write number", "double": "write number", "decimal": "write number",
	"int": "write integer", "long": "write integer", "int32": "write integer", "int64": "write integer", "text": "write string", "str": "write string", "char": "write string",
	"bool": "write boolean", "none": `write "null"`, "nil": `write "null"`, "enum": "leave type out: enum lists the values", "any": "leave type out: any value fits then",
	"date": "write type: string, format: date", "datetime": "write type: string, format: date-time", "date-time": "write type: string, format: date-time",
	"time": "write type: string, format: time", "uri": "write type: string, format: uri", "url": "write type: string, format: uri",
	"email": "write type: string, format: email", "uuid": "write type: string, format: uuid", "file": "write string", "path": "write string",
}

// remedy returns the hint for a value that a keyword at a path cannot have, or "".
func remedy(path []string, part *config.Data) string {
	if len(path) == 0 || part == nil {
		return ""
	}
	keyword, owner := path[len(path)-1], ""
	if len(path) > 1 {
		owner = path[len(path)-2]
	}
	text, isText := part.Scalar.(string)
	_, isBool := part.Scalar.(bool)
	switch {
	case owner == "properties" && isText:
		if typeNames[text] != "" {
			return "write " + wording.Shorten(keyword) + ": {type: " + text + "}"
		}
		return "if it is meant as a keyword, move it out of properties"
	case owner == "properties":
		return ""
	case keyword == "type" && isText:
		return typeRemedies[text]
	case keyword == "required" && isBool && len(path) > 2 && path[len(path)-3] == "properties":
		return "remove it; the object around has required: [" + wording.Shorten(owner) + "] when it is required"
	case keyword == "required" && isText:
		return "write required: [" + wording.Shorten(text) + "]"
	case keyword == "enum" && isText:
		return "write enum: [" + wording.Shorten(text) + "]"
	case keyword == "items" && part.Kind == config.KindArray && len(part.Items) == 1:
		return "write the schema of all items without [ ]"
	case keyword == "items" && part.Kind == config.KindArray:
		return "write prefixItems for the schemas of the first items"
	case slices.Contains([]string{"anyOf", "oneOf", "allOf"}, keyword) && part.Kind == config.KindObject:
		return "write a list of schemas"
	case slices.Contains([]string{"items", "additionalProperties"}, keyword) && isText && typeNames[text] != "":
		return "write " + keyword + ": {type: " + text + "}"
	case keyword == "additionalProperties" && isText:
		return "write true or false"
	case keyword == "properties" && part.Kind == config.KindArray:
		return "write a mapping of names to schemas, without -"
	}
	return ""
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
		k.found.Warn(value.Pos, "schema-keyword", "format "+wording.Quote(name)+" of "+k.where+" is unknown to JSON Schema and has no effect", "write "+formatRemedies[name])
	case !known && len(name) > 4 && !slices.Contains([]string{"int32", "int64", "float", "double", "byte", "binary"}, name) && wording.Misspelt(name, formats) != "":
		k.found.Warn(value.Pos, "schema-keyword", "format "+wording.Quote(name)+" of "+k.where+" is unknown to JSON Schema and has no effect", wording.DidYouMean(name, formats))
	case known && len(k.types) > 0 && !slices.Contains(k.types, "string"):
		k.found.Warn(value.Pos, "schema-keyword", "format "+wording.Quote(name)+" of "+k.where+" has no effect: it is about a string, and the type is "+wording.Or(k.types), "write type: string")
	}
}
