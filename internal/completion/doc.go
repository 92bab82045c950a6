// Package completion says what can be written at a place of a graph file, and describes its words.
//
// In go the text of a file, which need not be valid, a place in it, and what the checks know of the
// last valid version: its graphs, the types of their data, the tools of its servers. Out come
// Candidates, or a description. It reads no file and asks no server, so that an editor's language
// server can use it as the debugger's page does.
//
// The text is read once, from left to right, by rules that are less strict than YAML's (outline.go);
// the place in it leads to the JSON Schema of the language (language.go), to the names of the file
// (names.go) or into an expression (expression.go), whose types come from package shape: the expression
// up to the cursor is closed and inferred, and the name at the cursor says of which value it is a field.
// It owns no third-party module.
package completion
