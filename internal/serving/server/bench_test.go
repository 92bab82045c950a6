package server

import (
	"testing"

	"toolgraph/config"
	"toolgraph/expressions/value"
)

const ordinarySchema = `{"type":"object","properties":{"directory":{"type":"string"},"limit":{"type":"integer","minimum":1,"maximum":100},` +
	`"kinds":{"type":"array","items":{"enum":["file","dir"]}}},"required":["directory"],"additionalProperties":false}`

func BenchmarkCompile(b *testing.B) {
	g := toolOf(b, "x", ordinarySchema, ordinarySchema)
	for b.Loop() {
		if found := checkSchemas([]*config.Tool{g.Def}); found != nil {
			b.Fatal(found)
		}
	}
}

// checkSchemas is what is wrong with the schemas of the tools.
func checkSchemas(tools []*config.Tool) config.Diagnostics {
	var found config.Diagnostics
	for _, def := range tools {
		newTool(Tool{Def: def}, &found)
	}
	found.Sort()
	return found
}

func BenchmarkArguments(b *testing.B) {
	var found config.Diagnostics
	t := newTool(toolOf(b, "x", ordinarySchema, ""), &found)
	if found != nil {
		b.Fatal(found)
	}
	args, err := value.Decode([]byte(`{"directory":"/tmp","limit":5,"kinds":["file","dir"]}`))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := t.arguments(b.Context(), args); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	line := []byte(`{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":"echo","arguments":{"directory":"/tmp","limit":5,"kinds":["file","dir"]}}}`)
	var keys [][]byte
	for b.Loop() {
		m := &message{}
		var fault *rpcError
		if keys, fault = m.parse(line, keys); fault != nil {
			b.Fatal(fault)
		}
	}
}
