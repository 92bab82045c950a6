package habit

import (
	"cmp"
	"slices"

	"toolgraph/config"
	"toolgraph/expressions/schema"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
)

// longestExample is the length, as JSON, of the values that a schema shows.
const longestExample = 500

// Tool returns the draft as a tool of a graph file; "" is a description that says what it calls.
func (d *Draft) Tool(name, description string) *config.Data {
	tool := config.NewObject().Set("name", name).Set("description", cmp.Or(description, d.Description())).
		Set("inputSchema", d.inputSchema()).Set("steps", d.Steps)
	if d.Return != nil {
		tool.Set("return", d.Return)
	}
	return tool
}

// Description says what the draft calls.
func (d *Draft) Description() string {
	var tools []string
	for _, job := range d.Jobs {
		for _, c := range job.Calls {
			if !slices.Contains(tools, c.Name()) {
				tools = append(tools, c.Name())
			}
		}
	}
	return "Calls " + wording.List(tools) + "."
}

// inputSchema returns the schema of the arguments, with values of the jobs as examples.
func (d *Draft) inputSchema() *config.Data {
	properties, required := config.NewObject(), config.NewList()
	for _, in := range d.Inputs {
		property := config.NewObject()
		if !in.Secret { // in tests a text stands for it
			property.Set("type", typeOf(in.Values))
		}
		example := in.Values[slices.IndexFunc(in.Values, func(v value.Value) bool { return v != nil })]
		switch {
		case in.Secret:
			d.Notes[property] = "TODO: a secret, so that its value is not written here. If the server can have it in env or headers, remove this argument."
		case value.Size(example) > longestExample:
			d.Notes[property] = "The value was too long to be written here: " + wording.Count(value.Size(example), "byte") + "."
		default:
			property.Set("examples", config.NewList(DataOf(example)))
		}
		properties.Set(in.Name, property)
		if !slices.Contains(in.Values, nil) {
			required.Items = append(required.Items, config.NewText(in.Name))
		}
	}
	out := config.NewObject().Set("type", "object").Set("properties", properties)
	if len(required.Items) > 0 {
		out.Set("required", required)
	}
	return out
}

// typeOf returns the type of all values.
func typeOf(values []value.Value) string {
	name := ""
	for _, v := range values {
		if v == nil {
			continue
		}
		if found := schema.TypeName(v); name == "" || name == "integer" && found == "number" {
			name = found
		}
	}
	return name
}
