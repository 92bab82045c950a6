package config_test

import (
	"strings"
	"testing"

	"toolgraph/config"
)

// What is suggested is taken out of the schema, with its places; other keys of that name stay where they are.
func TestSuggestIsNoPartOfTheSchema(t *testing.T) {
	t.Parallel()
	const file = `server: {name: g, version: 1.0.0}
x-language: &language {type: string, suggest: [Go]}
tools:
  - name: t
    prompt: true
    inputSchema:
      type: object
      properties:
        a: *language
        b: {type: integer, suggest: {expr: $vars.n}}
        suggest: {type: string}
        c: {type: object, properties: {d: {suggest: [inner]}}}
    nodes: [{id: entry, type: entry, next: exit}, {id: exit, type: exit}]
  - {name: u, inputSchema: {type: object, properties: {a: *language}}, nodes: [{id: entry, type: entry, next: exit}, {id: exit, type: exit}]}
`
	f, err := config.Parse("g.yaml", []byte(file), config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"},"suggest":{"type":"string"},"c":{"type":"object","properties":{"d":{"suggest":["inner"]}}}}}`
	tool := f.Tools[0]
	if got := string(tool.InputSchema.JSON()); got != want || !tool.Prompt {
		t.Errorf("%s %v", got, tool.Prompt)
	}
	if len(tool.Suggest) != 2 || tool.Suggest[0].Argument.Value != "a" || tool.Suggest[0].Values[0].Scalar != "Go" || tool.Suggest[1].Expr.Value != "$vars.n" || tool.Suggest[1].Expr.Pos.String() != "g.yaml:10:44" {
		t.Errorf("%+v", tool.Suggest)
	}
	if len(f.Tools[1].Suggest) != 1 || strings.Contains(string(f.Tools[1].InputSchema.JSON()), "suggest") {
		t.Errorf("an anchor is read once: %s", f.Tools[1].InputSchema.JSON())
	}
}

// What is suggested in another form is reported where it is, with what was found and one remedy.
func TestW10MistakesInSuggest(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"Go":                 `g.yaml:2:73: suggest of "a" of tool "t" is text, expected a list, or {expr: …}; write suggest: [Go], or suggest: {expr: …} [wrong-type]`,
		"true":               `suggest of "a" of tool "t" is the value true, expected a list`,
		"null":               `suggest of "a" of tool "t" is null, expected a list`,
		"[a, null]":          `g.yaml:2:77: suggest of "a" of tool "t" has a value in it that is no text, number or boolean; write [a, b], or {expr: …} for values that are computed [wrong-type]`,
		"[[a]]":              `has a value in it that is no text`,
		"{}":                 `is a mapping without an expression, or with other keys, expected a list, or {expr: …}; write suggest: {expr: JSONata} [wrong-type]`,
		"{expr: 5}":          `is a mapping without an expression`,
		`{expr: ""}`:         `is a mapping without an expression`,
		"{expr: a, else: b}": `is a mapping without an expression, or with other keys`,
	} {
		_, err := config.Parse("g.yaml", []byte("server: {name: g, version: 1.0.0}\ntools: [{name: t, inputSchema: {type: object, properties: {a: {suggest: "+given+"}}}, nodes: []}]"), config.Options{})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s\n%v\nwant %s", given, err, want)
		}
	}
}
