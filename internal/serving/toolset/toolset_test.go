package toolset_test

import (
	"context"
	"strings"
	"testing"

	"toolgraph/expressions/value"
	"toolgraph/internal/serving/server"
	"toolgraph/internal/serving/toolset"
)

const description = `version: "1.0"
server: {name: set, version: 1.0.0, title: A set, instructions: Ask.}
tools:
  - {name: one, description: d, inputSchema: {type: object}}
  - {name: two, description: d, inputSchema: {type: object}}
`

// A tool whose handler is nil is left out, one without an entry is an error.
func TestHandlers(t *testing.T) {
	answer := func(_ context.Context, a toolset.Arguments, _ server.Watch) (any, error) {
		return []any{a.Text("text"), a.Flag("flag"), a.Number("n", 7), a.Get("null") == nil, toolset.Value{Value: a.Object("object")}}, nil
	}
	set, err := toolset.New([]byte(description), "2.0", map[string]toolset.Handler{"one": answer, "two": nil})
	if err != nil || strings.Join(set.Names(), " ") != "one" || set.Tool("two") != nil || set.Info.Title != "A set" || set.Info.Version != "2.0" {
		t.Fatalf("%+v, %v", set, err)
	}
	for args, want := range map[string]string{
		`{}`: `["",false,7,true,{}]`,
		`{"text":"<a>","flag":true,"n":2,"null":null,"object":{"b":1,"a":2}}`: `["<a>",true,2,true,{"b":1,"a":2}]`,
	} {
		given, err := value.Decode([]byte(args))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := set.Tool("one").Run(t.Context(), given, server.Watch{})
		if err != nil {
			t.Fatal(err)
		}
		if raw, err := value.Encode(answer.Value); err != nil || string(raw) != want {
			t.Errorf("%s: %s, %v, want %s", args, raw, err, want)
		}
	}
	if _, err := toolset.New([]byte(description), "", map[string]toolset.Handler{"one": answer}); err == nil || !strings.Contains(err.Error(), `"two" has a description and no handler`) {
		t.Errorf("got %v", err)
	}
}
