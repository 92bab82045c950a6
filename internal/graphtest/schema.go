package graphtest

import (
	"bytes"
	_ "embed"
)

//go:embed schema.json
var schemaText []byte

// Schema is the JSON Schema (draft 2020-12) of test files, for editors. The caller may
// change what it gets.
func Schema() []byte { return bytes.Clone(schemaText) }
