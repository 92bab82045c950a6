package names

import (
	"cmp"

	"toolgraph/config"
)

// Kind is the kind of thing that a name is for.
type Kind string

// The kinds of names.
const (
	Node       Kind = "node"
	Branch     Kind = "branch" // of a parallel node
	Tool       Kind = "tool"   // of a graph file
	Server     Kind = "server"
	ServerTool Kind = "tool of a server"
	Var        Kind = "constant"
	Import     Kind = "import"
	Local      Kind = "variable" // of one expression
)

// Name is a name and what it belongs to. Two names are the same when they are equal.
type Name struct {
	Kind Kind
	File string // the path of the graph file that has it
	Tool string // of a node or branch: its tool; empty for a node of the list that tools of the older language share
	In   string // of a branch: its node; of a step: the path of its block; of a tool of a server: the server; of a variable: where it is bound
	Name string
}

// Occurrence is a place where a name is written.
type Occurrence struct {
	Name
	Path       string // of the file
	From, To   int    // bytes of the name, without quotes
	Definition bool

	text     config.Text // that has it; unset in a cassette
	from, to int         // bytes in its value, quotes of an expression included
	form     form
}

// form is how a name is written.
type form uint8

const (
	inText   form = iota // as it is
	inField              // in an expression as a field, perhaps in backticks
	inString             // in an expression as a string
	inJSON               // in a cassette
)

func compareOccurrences(a, b Occurrence) int {
	return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), compareNames(a.Name, b.Name))
}

func compareNames(a, b Name) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.File, b.File), cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.In, b.In), cmp.Compare(a.Name, b.Name))
}

// segment is a name that is a part of a text.
type segment struct {
	Name
	from, to int
}

// moved returns the segments for a text in which theirs begins at a byte.
func moved(parts []segment, by int) []segment {
	for i := range parts {
		parts[i].from += by
		parts[i].to += by
	}
	return parts
}
