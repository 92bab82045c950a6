package config

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestData(t *testing.T) {
	f := mustParse(t, withArgs(`{z: 1, a: [true, ~, {expr: $.b}], t: "x\n", o: {k: 9007199254740993}}`))
	args := f.Tools[0].Nodes[2].Args
	const text = `{"z":1,"a":[true,null,{"expr":"$.b"}],"t":"x\n","o":{"k":9007199254740993}}`
	raw, err := json.Marshal(args)
	if err != nil || string(raw) != text || string(args.JSON()) != text {
		t.Errorf("JSON %s %v", raw, err)
	}
	expected := map[string]any{
		"z": 1.0, "a": []any{true, nil, map[string]any{"expr": "$.b"}}, "t": "x\n", "o": map[string]any{"k": json.Number("9007199254740993")},
	}
	if got := args.Value(); !reflect.DeepEqual(got, expected) {
		t.Errorf("value %#v", got)
	}
	var none *Data
	if none.Value() != nil || string(none.JSON()) != "null" || none.Get("a") != nil {
		t.Error("no data is something")
	}
	if got := args.At("a", 2, "x"); got.Kind != KindExpression || got.Expr.Value != "$.b" || got.Pos.Line != 10 {
		t.Errorf("At gives %+v", got)
	}
	if got := args.At("a", 7); got != args.Get("a") {
		t.Error("At goes too far")
	}
}

func TestDefaultInputSchema(t *testing.T) {
	f := mustParse(t, head+"tools: [{name: t}]\n")
	if got := string(f.Tools[0].InputSchema.JSON()); got != `{"type":"object"}` || f.Tools[0].OutputSchema != nil {
		t.Errorf("input schema %s", got)
	}
	if f.Server.Title != f.Server.Name || f.Server.Version.Value != "1.0.0" || f.Version.Value != "1.0" {
		t.Errorf("server %+v", f.Server)
	}
}

func TestServerMistakes(t *testing.T) {
	want(t, "version: '1.0'\n", "the graph file has no server, expected one with name and version")
	want(t, "server: {title: 5}\n", `g.yaml:1:9: server has no name; add name`, `server has no version`, `title of server is the number 5, expected text; quote it: "5"`)
	want(t, "server: {name: '', version: 1.0}\n", "name of server is empty")
	want(t, "server: [a]\n", "server is a list, expected a mapping; its keys are name, version, title, instructions")
	want(t, "version: 2\n"+head[15:], `warning: unknown language version "2", expected "1.0"`)
	want(t, head+"tools: {a: b}\n", "tools of the graph file is a mapping, expected a list")
	want(t, head+"tools: [a, {name: t, nodes: [b, {}], inputSchema: 010}]\n",
		"tool 1 is text, expected a mapping", "a node is text, expected a mapping with id and type", "ambiguous number")
}
