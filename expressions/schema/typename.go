package schema

import (
	"math"

	"toolgraph/expressions/value"
)

// TypeName returns the type of a value as JSON Schema names it; nothing counts as null.
func TypeName(v value.Value) string {
	switch v := v.(type) {
	case nil, value.NullType:
		return "null"
	case string:
		return "string"
	case bool:
		return "boolean"
	case []any:
		return "array"
	case float64:
		if v == math.Trunc(v) {
			return "integer"
		}
		return "number"
	}
	if _, isObject := value.ObjectOf(v); isObject {
		return "object"
	}
	return "integer" // beyond the exact numbers of a float64
}
