package config

import "strconv"

// Pos is a place in a graph file. Line and Column are 1-based and Column counts
// code points, as editors do; the zero Pos means that the place is unknown.
type Pos struct {
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

// IsValid reports whether the place is known.
func (p Pos) IsValid() bool { return p.Line > 0 }

// String is "file:line:col", "file" when only the file is known, "-" when nothing is.
func (p Pos) String() string {
	switch {
	case p.IsValid() && p.File != "":
		return p.File + ":" + strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Column)
	case p.IsValid():
		return strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Column)
	case p.File != "":
		return p.File
	}
	return "-"
}
