// Package names knows where the names of a project are written: in graph files, in the test files,
// cassettes and locks beside them, and inside expressions and rules.
//
// In go the texts of files (Source). Read returns an Index of all Occurrences: which Name it is, of
// which file and tool, at which bytes, and whether it defines the name. From the index come the
// definition and the references of a name (index.go), the edits that rename it in all files
// (rename.go), and the symbols of a file (symbols.go). Tokens (tokens.go) says what each word of an
// expression is. Gather finds the files that belong to one (gather.go).
//
// A name that is computed by an expression cannot be found; a rename that could miss one is refused.
// The package knows nothing of editors and their protocol, and reads files only through functions that
// it is given.
package names
