package expressions

// Reference is one path that an expression reads from the context: its first step
// is a node's id, as in $.entry.directory or entry.directory; or the id that a
// history function is asked for as a literal.
type Reference struct {
	Path     []string // static field names, as far as they are known
	Offset   int      // byte offset of the first step in the source
	Function string   // "nodeExecution" … when it is that function's argument, else empty
}
