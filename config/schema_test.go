package config

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"
)

func compiledSchema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("graph.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("graph.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func validate(t testing.TB, schema *jsonschema.Schema, src string) error {
	t.Helper()
	var v any
	if err := yaml.Unmarshal([]byte(src), &v); err != nil {
		t.Fatal(err)
	}
	return schema.Validate(v)
}

func TestSchemaTakesTheExamples(t *testing.T) {
	schema := compiledSchema(t)
	paths, err := filepath.Glob("../examples/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, path := range append(paths, "../internal/cli/starter.yaml") {
		if strings.HasSuffix(path, ".test.yaml") {
			continue
		}
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(t, schema, string(src)); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestSchemaAgreesWithTheLoader holds that the schema refuses what the loader does, as
// far as a schema can.
func TestSchemaAgreesWithTheLoader(t *testing.T) {
	schema := compiledSchema(t)
	node := func(n string) string { return head + "tools: [{name: t, nodes: [" + n + "]}]\n" }
	for _, src := range []string{
		head, head + "x-anchors: {a: b}\n", withArgs("{x: {expr: $.a}, y: [1, {z: {expr: b}}], n: ~}"), node("{id: a, type: exit}"),
		node(`{id: a, type: switch, conditions: [{rule: {">": [1, 2]}, next: b}], next: c}`),
		head + "mcpServers: {a: {command: x, args: [1, b], env: {A: 1}}, b: {type: sse, url: 'http://x'}, c: {url: 'http://x'}}\n",
		head + "executionLimits: {maxNodeExecutions: 5}\n", head + "mcpServers: {a: {type: exec, cwd: x, tools: {b: {command: [c, 1], effect: read}}}}\n",
	} {
		if err := validate(t, schema, src); err != nil {
			t.Errorf("the schema refuses\n%s\n%v", src, err)
		}
		if found := findings(t, src); found.Err() != nil {
			t.Errorf("the loader refuses\n%s\n%v", src, found)
		}
	}
	for _, src := range []string{
		"version: 1\n", head + "more: 1\n", withArgs("{x: {expr: a, b: c}}"), withArgs("{x: {expr: 5}}"), node("{id: a, type: exit, next: b}"), node("{id: a, type: entry, next: b, server: s}"),
		node("{id: a, type: transform, transform: x, next: b}"), head + "mcpServers: {a: {}}\n", head + "mcpServers: {a: {command: x, cmd: y}}\n", head + "mcpServers: {a: {type: x, command: y}}\n",
		head + "executionLimits: {maxNodeExecutions: 0}\n", "server: {name: a}\n", head + "tools: [{name: t, annotations: {readOnlyHint: 'yes'}}]\n", head + "tools: {}\n",
		head + "mcpServers: {a: {command: x, protocol: y}}\n", head + "mcpServers: {a: {type: exec}}\n", head + "mcpServers: {a: {type: exec, tools: {}}}\n",
		head + "mcpServers: {a: {type: exec, url: 'http://x', tools: {b: {command: [c]}}}}\n", head + "mcpServers: {a: {command: x, tools: {b: {command: [c]}}}}\n",
		head + "mcpServers: {a: {type: exec, tools: {b: {command: []}}}}\n", head + "mcpServers: {a: {type: exec, tools: {'b c': {command: [d]}}}}\n",
	} {
		if validate(t, schema, src) == nil {
			t.Errorf("the schema takes\n%s", src)
		}
		if findings(t, src).Err() == nil {
			t.Errorf("the loader takes\n%s", src)
		}
	}
	// These package graph refuses.
	for _, src := range []string{"{id: a, type: loop, next: b}", "{type: exit}", "{id: a}", "{id: a, type: transform, next: b}", "{id: a, type: entry}"} {
		if validate(t, schema, node(src)) == nil {
			t.Errorf("the schema takes %s", src)
		}
	}
}

func TestSchemaHasEveryKey(t *testing.T) {
	text := string(Schema())
	for _, f := range []*form{fileForm(), serverForm(), limitsForm(), upstreamForm(), execForm(), programForm(), toolForm(), annotationsForm(), transformForm(), conditionForm(), anyNodeForm()} {
		for _, k := range f.keys {
			if k.older {
				continue
			}
			if k.doc == "" || k.value == nil || !strings.Contains(text, `"`+k.name+`": {`) {
				t.Errorf("%s of %s is not described", k.name, f.name)
			}
		}
	}
	for _, older := range []string{"mcp_tool", "entryNode", `"target"`, `"servers"`} {
		if strings.Contains(text, older) {
			t.Errorf("the schema has the older %s", older)
		}
	}
	a, b := Schema(), Schema()
	a[0] = 'x'
	if b[0] != '{' {
		t.Error("callers share the schema")
	}
}
