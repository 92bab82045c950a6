package schema_test

import (
	"strings"
	"testing"

	"toolgraph/expressions/schema"
	"toolgraph/expressions/value"
)

const ordinary = `{"type":"object","properties":{"directory":{"type":"string"},"limit":{"type":"integer","minimum":1,"maximum":100},` +
	`"kinds":{"type":"array","items":{"enum":["file","dir"]}}},"required":["directory"],"additionalProperties":false}`

func TestProblems(t *testing.T) {
	for _, c := range []struct{ name, schema, args, want string }{
		{"fits", ordinary, `{"directory":"/tmp","limit":3,"kinds":["file"]}`, ""},
		{"an integer is 1.0 too", ordinary, `{"directory":"/tmp","limit":1.0}`, ""},
		{"bounds", ordinary, `{"directory":"/tmp","limit":1000}`, "arguments.limit: expected at most 100, got 1000"},
		{"fraction", ordinary, `{"directory":"/tmp","limit":1.5}`, "arguments.limit: expected an integer, got 1.5"},
		{"in a list", ordinary, `{"directory":"/tmp","kinds":["file","link"]}`, `arguments.kinds[1]: expected one of "file", "dir", got the string "link"`},
		{
			"everything at once", ordinary, `{"Directory":1,"limit":"x","kinds":5}`,
			"arguments.Directory: unknown property; did you mean \"directory\"?\narguments.directory: required, but missing\n" +
				"arguments.kinds: expected an array, got 5\narguments.limit: expected an integer, got the string \"x\"",
		},
		{"an object as text", `{"properties":{"a":{"type":"object"}}}`, `{"a":"{\"b\":1}"}`, `arguments.a: expected an object, got the string "{\"b\":1}"; give the object itself, not a string with its JSON`},
		{"an array as text", `{"properties":{"a":{"type":["array","null"]}}}`, `{"a":"[1]"}`, `arguments.a: expected null or an array, got the string "[1]"; give the array itself, not a string with its JSON`},
		{"types", `{"properties":{"a":{"type":["string","null"]}}}`, `{"a":{"b":1}}`, "arguments.a: expected null or a string, got an object with 1 key"},
		{"any of types", `{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"number"}]}}}`, `{"a":[]}`, "arguments.a: expected a string or a number, got an array of 0 items"},
		{
			"any of forms", `{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"object","properties":{"x":{"type":"number"},"y":{}},"required":["x"]}]}}}`, `{"a":{"x":"1"}}`,
			"arguments.a.x: expected a number, got the string \"1\"; no other allowed form fits either",
		},
		{"one of two", `{"properties":{"a":{"oneOf":[{"type":"number"},{"minimum":1}]}}}`, `{"a":2}`, "arguments.a: expected exactly one of the allowed forms, but 2 fit, got 2"},
		{"odd keys", `{"properties":{"my key":{"type":"object","properties":{"é":{"type":"null"}}}}}`, `{"my key":{"é":0}}`, `arguments["my key"]["é"]: expected null, got 0`},
		{"pattern", `{"properties":{"a":{"pattern":"^(a+)+$"}}}`, `{"a":"` + strings.Repeat("a", 50) + `!"}`, "arguments.a: expected a string that matches ^(a+)+$, got a string of 51 characters"},
		{"never", `{"properties":{"a":false}}`, `{"a":1}`, "arguments.a: not allowed here"},
		{"not", `{"properties":{"a":{"not":{"type":"string"}}}}`, `{"a":"x"}`, `arguments.a: expected a value that the schema does not exclude, got the string "x"`},
		{"const", `{"properties":{"a":{"const":{"b":1}}}}`, `{"a":1}`, `arguments.a: expected {"b":1}, got 1`},
		{"sizes", `{"properties":{"a":{"minLength":2},"b":{"maxItems":1},"c":{"minProperties":1}}}`, `{"a":"x","b":[1,2],"c":{}}`, "arguments.a: expected at least 2 characters, got the string \"x\"\narguments.b: expected at most 1 item, got an array of 2 items\narguments.c: expected at least 1 key, got an object with 0 keys"},
		{"together", `{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, `arguments: expected "b" together with "a", got an object with 1 key`},
		{"unique", `{"properties":{"a":{"uniqueItems":true}}}`, `{"a":[1,2,1]}`, "arguments.a: expected items that differ, but 0 and 2 are equal, got an array of 3 items"},
		{"unevaluated", `{"properties":{"a":{}},"unevaluatedProperties":false}`, `{"a":1,"b":2}`, "arguments.b: not allowed here"},
		{"no properties", `{"additionalProperties":false}`, `{"a":1}`, "arguments.a: unknown property, expected none"},
		{"recursive", `{"properties":{"a":{"$ref":"#"}},"required":["b"]}`, `{"a":{"a":{}}}`, "arguments.a.a.b: required, but missing\narguments.a.b: required, but missing\narguments.b: required, but missing"},
		{"large integers", `{"properties":{"a":{"maximum":9007199254740992}}}`, `{"a":9007199254740993}`, "arguments.a: expected at most 9007199254740992, got 9007199254740993"},
	} {
		t.Run(c.name, func(t *testing.T) {
			args, err := value.Decode([]byte(c.args))
			if err != nil {
				t.Fatal(err)
			}
			s, err := schema.Compile([]byte(c.schema))
			if err != nil {
				t.Fatal(err)
			}
			if got := check(t, s, args).Text("arguments"); got != c.want {
				t.Errorf("\ngot  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestManyProblems(t *testing.T) {
	args, err := value.Decode([]byte(`{"a":[` + strings.Repeat("1,", 5000) + `1]}`))
	if err != nil {
		t.Fatal(err)
	}
	s, err := schema.Compile([]byte(`{"properties":{"a":{"items":{"type":"string"}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := check(t, s, args).Text("arguments"); strings.Count(got, "\n") != 10 || !strings.HasSuffix(got, "\nand more") {
		t.Errorf("got %s", got)
	}
}
