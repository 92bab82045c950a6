package project

import (
	"toolgraph/config"
	"toolgraph/expressions/shape"
	"toolgraph/expressions/value"
)

// FromText reads a value by its schema. A value that is not valid JSON stays text, and the validation against the schema
// reports it. So does one that is allowed only as text.
func FromText(schema *config.Data, text string) value.Value {
	if kind := schema.Get("type"); kind != nil && kind.Scalar == "string" {
		return text
	}
	v, err := value.Decode([]byte(text))
	if err != nil {
		return text
	}
	if schema != nil {
		if allowed := shape.OfSchema(schema.JSON()); allowed.Has(text) && !allowed.Has(v) {
			return text // string or null, such as an optional text
		}
	}
	return v
}
