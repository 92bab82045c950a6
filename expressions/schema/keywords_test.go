package schema_test

import (
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/expressions/schema"
)

func TestKeywordsWithoutEffect(t *testing.T) {
	for _, c := range []struct{ property, want string }{
		{"{type: integer, min: 0}", "write minimum [schema-keyword]"},
		{"{type: string, min: 1}", "write minLength [schema-keyword]"},
		{"{type: string, minimum: 1}", "write minLength, or correct type [schema-keyword]"},
		{"{type: string, values: [a]}", "write enum [schema-keyword]"},
		{"{type: string, optional: true}", "a property is optional unless required of the object has its name [schema-keyword]"},
		{"{type: string, nullable: true}", `allow null in type: [TYPE, "null"] [schema-keyword]`},
		{"{type: object, name: {type: string}}", `put the property "name" under properties [schema-keyword]`},
		{"{type: string, defaults: a}", `did you mean "default"? [schema-keyword]`},
		{"{type: string, format: datetime}", "write date-time [schema-keyword]"},
		{"{type: string, example: a, x-order: 1, propertyOrder: 2, note: b, format: int64}", ""},
		{"{type: [string, 'null'], minLength: 1, format: date}", ""},
		{"{type: integer, minimum: 10, maximum: 1}", "swap the bounds, or correct one [schema-unsatisfiable]"},
		{"{type: number, minimum: 5, exclusiveMaximum: 5}", "raise exclusiveMaximum [schema-unsatisfiable]"},
		{"{type: integer, minimum: 1, maximum: 1}", ""},
		{"{type: string, enum: [a, 2]}", `quote it: "2" [schema-unsatisfiable]`},
		{"{type: integer, enum: ['1']}", "write 1 without quotes [schema-unsatisfiable]"},
		{"{type: string, enum: []}", "list the allowed values, or remove enum [schema-unsatisfiable]"},
		{"{type: number, enum: [1, 2.5]}", ""},
		{"{const: a, enum: [b]}", "remove enum, or correct const [schema-unsatisfiable]"},
		{"{type: object, required: [a], additionalProperties: false}", "declare it under properties [schema-unsatisfiable]"},
		{"{type: string, pattern: '/^a+$/'}", "write ^a+$ [schema-unsatisfiable]"},
		{`{type: string, pattern: '^\\d+$'}`, "[schema-unsatisfiable]"},
		{`{type: string, pattern: '^/api/\d+$'}`, ""},
		{"{type: list}", "write array [schema-invalid]"},
		{"{type: string, required: true}", "required: [p] when it is required [schema-invalid]"},
		{"string", "write p: {type: string} [schema-invalid]"},
	} {
		source, err := config.ParseData("s.yaml", []byte("{type: object, properties: {p: "+c.property+"}}"))
		if err != nil {
			t.Fatal(err)
		}
		var found config.Diagnostics
		schema.Input(t.Context(), source, &found)
		if got := found.Error(); (c.want == "") != (got == "") || !strings.HasSuffix(got, c.want) || len(found) > 1 {
			t.Errorf("%s:\ngot  %s\nwant %s", c.property, got, c.want)
		}
	}
}
