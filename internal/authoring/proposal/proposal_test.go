package proposal

import (
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/expressions/value"
)

func decode(t *testing.T, text string) value.Value {
	t.Helper()
	v, err := value.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

const request = `{"steps":[
	{"id":"found","call":"fs.search","args":{"path":"src","filter":{"ext":["md","txt"]},"apiKey":"k-123","limit":{"expr":"1 + 1"}}},
	{"id":"block","each":"found.files","steps":[{"id":"read","call":"fs.read","args":{"path":{"expr":"$item"},"head":3}}]},
	{"id":"plain","expr":"'src'"}],"return":"{\"n\": $count(block)}"}`

// A plan becomes a tool: literals at the paths become arguments, and those with the name of a secret.
func TestToolOfAPlan(t *testing.T) {
	plan := Plan{Request: decode(t, request), Result: decode(t, `{"n":2,"rows":[{"a":"x"},{"a":"y"}],"mixed":[1,"x"]}`)}
	p, err := New(plan, "lines", "", []Argument{{"directory", "steps[0].args.path"}, {"ending", "steps[0].args.filter.ext[1]"}, {"head", "steps[1].steps[0].args.head"}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := config.Format("the tool", p.Tool, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := `name: lines
description: Calls fs.search, fs.read.
inputSchema:
  type: object
  properties:
    directory: {type: string, examples: [src]}
    ending: {type: string, examples: [txt]}
    apiKey: {type: string}
    head: {type: integer, examples: [3]}
  required: [directory, ending, apiKey, head]
outputSchema:
  type: object
  properties:
    "n": {type: integer}
    rows:
      type: array
      items: {type: object, properties: {a: {type: string}}}
    mixed: {type: array}
steps:
  - id: found
    call: fs.search
    args:
      path: {expr: args.directory}
      filter: {ext: [md, {expr: args.ending}]}
      apiKey: {expr: args.apiKey}
      limit: {expr: "1 + 1"}
  - id: block
    each: found.files
    steps:
      - id: read
        call: fs.read
        args:
          path: {expr: $item}
          head: {expr: args.head}
  - id: plain
    expr: "'src'"
return: '{"n": $count(block)}'
`
	if string(got) != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if args := string(p.Args.JSON()); args != `{"directory":"src","ending":"txt","apiKey":"[redacted]","head":3}` || strings.Join(p.Secrets, " ") != "apiKey" || strings.Contains(string(got), "k-123") {
		t.Errorf("%s %v", args, p.Secrets)
	}
	if calls := strings.Join(Calls(plan), " "); calls != "fs.search fs.read" {
		t.Error(calls)
	}
	for path, want := range map[string]string{
		"steps[0].args.pat":   `did you mean "steps[0].args.path"?`,
		"steps[2].expr":       "no literal at steps[2].expr",
		"steps[0].args.limit": "no literal",
		"steps[0].id":         "no literal",
	} {
		if _, err := New(plan, "x", "", []Argument{{"a", path}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := New(plan, "x", "", []Argument{{"a b", "steps[0].args.path"}}); err == nil || !strings.Contains(err.Error(), "no plain name") {
		t.Error(err)
	}
	if _, err := New(Plan{Request: decode(t, `{"a":1}`)}, "x", "", nil); err == nil {
		t.Error("no plan, and no error")
	}
}
