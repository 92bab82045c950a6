// Package completion says what can be written at a place of a graph file, a test file or a lock, and
// describes its words.
//
// In go the text of a file, which need not be valid, a place in it, and what the checks know of the last
// valid version of the graph file: its graphs, the types of their data, the tools of its servers. Out come
// Candidates, a Description, or the Call whose arguments are written. It reads no file, asks no server and
// knows no editor: internal/editor/lsp and the debugger's page translate.
//
// The text is read once, from left to right, by rules that are less strict than YAML's (outline.go); the
// place in it leads to the JSON Schema of the language (language.go, snippet.go), of test files (testfile.go)
// or of locks (lockfile.go), to the names of the file (names.go), or into an expression (expression.go,
// env.go, rule.go), whose types come from package shape: the expression up to the cursor is closed and
// inferred, and the name at the cursor says of which value it is a field. functions.go and operators.go
// describe the functions of JSONata and the operators of rules; describe.go and describe_node.go put together
// what is known of a word, signature.go finds calls. It owns no third-party module.
package completion
