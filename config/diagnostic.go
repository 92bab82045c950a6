package config

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Severity says whether a graph file with a finding can be used.
type Severity int

// The severities of a Diagnostic.
const (
	Error   Severity = iota // the file is rejected
	Warning                 // the file can be used
)

// String returns "error" or "warning".
func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// Diagnostic is one finding in a graph file. Message says in lower case what was found and
// expected, Hint what to do, or is empty. Code is kebab-case and stable; docs/diagnostics.md has
// an entry for each.
type Diagnostic struct {
	Pos      Pos
	End      Pos // behind the last character; the zero Pos for the word or value that begins at Pos
	Severity Severity
	Code     string
	Message  string
	Hint     string
	Fixes    []Fix // the likely ones first
}

// String returns "file:line:col: message; hint [code]", with "warning: " before the message of a
// warning.
func (d Diagnostic) String() string {
	var b strings.Builder
	b.WriteString(d.Pos.String())
	b.WriteString(": ")
	if d.Severity == Warning {
		b.WriteString("warning: ")
	}
	b.WriteString(d.Message)
	if d.Hint != "" {
		b.WriteString("; ")
		b.WriteString(d.Hint)
	}
	b.WriteString(" [" + d.Code + "]")
	return b.String()
}

// Diagnostics are findings. As an error their text has one finding per line.
type Diagnostics []Diagnostic //nolint:errname // they are findings first, and an error only where one is asked for

// Error returns the findings, one per line.
func (ds Diagnostics) Error() string {
	lines := make([]string, len(ds))
	for i, d := range ds {
		lines[i] = d.String()
	}
	return strings.Join(lines, "\n")
}

// Add appends an error, and returns it for its end and its fixes, until more is appended.
func (ds *Diagnostics) Add(pos Pos, code, message, hint string) *Diagnostic {
	*ds = append(*ds, Diagnostic{Pos: pos, Code: code, Message: message, Hint: hint})
	return &(*ds)[len(*ds)-1]
}

// Warn is Add for a warning.
func (ds *Diagnostics) Warn(pos Pos, code, message, hint string) *Diagnostic {
	d := ds.Add(pos, code, message, hint)
	d.Severity = Warning
	return d
}

// Sort sorts by file, line, column and code, and removes duplicates.
func (ds *Diagnostics) Sort() {
	slices.SortStableFunc(*ds, func(a, b Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Column, b.Pos.Column), cmp.Compare(a.Code, b.Code))
	})
	*ds = slices.CompactFunc(*ds, Diagnostic.Same)
}

// Same reports whether two findings say the same of the same place.
func (d Diagnostic) Same(other Diagnostic) bool {
	return d.Pos == other.Pos && d.Severity == other.Severity && d.Code == other.Code && d.Message == other.Message && d.Hint == other.Hint
}

// Split returns the errors and the warnings, each in order.
func (ds Diagnostics) Split() (errors, warnings Diagnostics) {
	for _, d := range ds {
		if d.Severity == Warning {
			warnings = append(warnings, d)
		} else {
			errors = append(errors, d)
		}
	}
	return errors, warnings
}

// Err returns the errors among the findings as Diagnostics, or nil when there are none.
func (ds Diagnostics) Err() error {
	if errs, _ := ds.Split(); len(errs) > 0 {
		return errs
	}
	return nil
}

// Pos is a place in a graph file. Line and Column are 1-based, and Column counts code points. The
// zero Pos means that the place is unknown.
type Pos struct {
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

// PathPos returns the place of a value in a request: File is its path, such as steps[2].args.path. Places are ordered
// by their numbers, which are their Columns.
func PathPos(path string, number int) Pos { return Pos{File: path, Line: -1, Column: number} }

// IsPath reports whether the place is in a request, see PathPos.
func (p Pos) IsPath() bool { return p.Line < 0 }

// IsValid reports whether the place is known.
func (p Pos) IsValid() bool { return p.Line != 0 }

// String returns "file:line:col", "file" without a line, the path of a place in a request, or "-" for the zero Pos.
func (p Pos) String() string {
	switch {
	case p.IsPath():
		return p.File
	case p.IsValid() && p.File != "":
		return p.File + ":" + strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Column)
	case p.IsValid():
		return strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Column)
	case p.File != "":
		return p.File
	}
	return "-"
}
