package config

import (
	"fmt"
	"strings"
)

// Portions are the texts that the tools of a graph file are made of. What follows from the graph of a tool, places
// aside, follows from Shared, the tool's own lines, and the same of the tools that it calls: it is for those who
// remember something of a tool from one version of a file to the next.
type Portions struct {
	// Shared is what all tools depend on: the lines of the file that are no tool's, the names of all tools, the
	// values of constants, what the file and others say of servers, and imports as a whole.
	Shared []string
	// Lines are the lines of each tool that the file itself defines. A tool of an import has its lines in Shared.
	Lines map[*Tool]string
}

// Portions returns the portions of a file without errors. They are not known when a tool shares a line with
// something else, as in JSON, when the file has an alias (*name), whose value is elsewhere, and of a file that was
// not read but made.
func (f *File) Portions() (parts Portions, known bool) {
	files := []*File{f}
	for i := 0; i < len(files); i++ {
		for _, imp := range files[i].Imports {
			if imp.File == nil {
				return Portions{}, false
			}
			files = append(files, imp.File)
		}
	}
	for _, one := range files {
		if one.src == nil {
			return Portions{}, false
		}
		if one != f {
			parts.Shared = append(parts.Shared, one.Prefix, string(one.src.data))
		}
		for _, v := range one.Vars { // others than in the text may be given
			parts.Shared = append(parts.Shared, v.Name.Value, string(v.Value.JSON()))
		}
	}
	for _, u := range f.Servers {
		parts.Shared = append(parts.Shared, fmt.Sprintf("%q %q %q %t %t", u.Name.Value, u.Transport, u.Entry, u.TextResults, u.Trusted))
		for _, p := range u.Programs {
			parts.Shared = append(parts.Shared, fmt.Sprintf("%q %q %t", p.Name.Value, p.Effect, p.TakesOptions()))
		}
	}
	for _, t := range f.Tools {
		parts.Shared = append(parts.Shared, t.Name.Value)
	}
	return parts, f.src.portions(f, &parts)
}

// portions adds the lines of the tools of a file, and the others to what is shared.
func (s *source) portions(f *File, parts *Portions) bool {
	var begins []int
	var own []*Tool
	for _, t := range f.Tools {
		if t.File != f {
			continue
		}
		at := t.Pos.Line
		if t.Pos.File != f.Path || at < 1 || at > len(s.lines) || len(begins) > 0 && at <= begins[len(begins)-1] || !startsItem(string(s.line(at)), t.Pos.Column) {
			return false
		}
		begins, own = append(begins, at), append(own, t)
	}
	if s.aliases || len(own) == 0 {
		return false
	}
	end := s.afterItems(begins[len(begins)-1])
	parts.Lines = make(map[*Tool]string, len(own))
	for i, t := range own {
		next := end
		if i+1 < len(own) {
			next = begins[i+1]
		}
		parts.Lines[t] = s.between(begins[i], next)
	}
	parts.Shared = append(parts.Shared, s.between(1, begins[0]), s.between(end, len(s.lines)+1))
	return true
}

// startsItem reports whether a line has nothing before a column but the mark of an item of a list.
func startsItem(line string, column int) bool {
	mark := strings.TrimLeft(line, " ")
	return strings.HasPrefix(mark, "- ") && strings.TrimLeft(mark[1:], " ") == strings.TrimLeft(line[min(column-1, len(line)):], " ")
}

// afterItems returns the first line behind a line that can have a key of the file; the number of lines, plus one,
// without one. Between the last tool and that line there is nothing but the tool.
func (s *source) afterItems(line int) int {
	for line++; line <= len(s.lines); line++ {
		if text := s.line(line); len(text) > 0 && !strings.ContainsRune(" \t#-", rune(text[0])) {
			break
		}
	}
	return line
}

// between returns the lines from one up to another.
func (s *source) between(from, to int) string {
	start, end := len(s.data), len(s.data)
	if from <= len(s.lines) {
		start = s.lines[from-1]
	}
	if to <= len(s.lines) {
		end = s.lines[to-1]
	}
	return string(s.data[start:end])
}
