package config

import (
	"bytes"
	"slices"

	"go.yaml.in/yaml/v4"
)

// Tidy returns the edits that put a YAML file in order: two spaces for each level, no blanks at the ends of
// lines, at most one empty line between others, and a line end at the end. What a line has otherwise,
// comments included, stays as it is. There are no edits for a file that cannot be read, or whose values
// would not surely be the same afterwards. path is for messages.
func Tidy(path string, src []byte) []Edit {
	edits := tidied(path, src)
	result := Apply(src, edits)
	was, _ := ParseWritten(path, src)
	is, _ := ParseWritten(path, result)
	if was == nil || is == nil || !bytes.Equal(was.JSON(), is.JSON()) || !slices.Equal(bareLines(src), bareLines(result)) || len(tidied(path, result)) > 0 {
		return nil
	}
	return edits
}

// bareLines returns the lines of a text that are not empty, without blanks around them.
func bareLines(src []byte) (lines []string) {
	for line := range bytes.Lines(src) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			lines = append(lines, string(line))
		}
	}
	return lines
}

// tidier finds the indentation of lines; they count from 1.
type tidier struct {
	*editor

	indent map[int]int  // of lines in which a key or an item begins
	inside map[int]bool // lines of scalars but for their first
}

func tidied(path string, src []byte) (edits []Edit) {
	e, err := newEditor(path, src)
	if err != nil {
		return nil
	}
	t := tidier{editor: e, indent: map[int]int{}, inside: map[int]bool{}}
	t.walk(e.root, 0)
	shifts := t.shifts()
	replace := func(from, to int, text string) {
		if string(e.src.data[from:to]) != text {
			edits = append(edits, Edit{from + e.src.mark, to + e.src.mark, text})
		}
	}
	empty := true // the line before is empty
	count := len(e.src.lines)
	if e.src.lines[count-1] == len(e.src.data) {
		count--
	}
	last := count // the last line that is not empty
	for last > 0 && len(bytes.TrimSpace(e.src.line(last))) == 0 && !t.inside[last] {
		last--
	}
	for n := 1; n <= count; n++ {
		from, line := e.src.lines[n-1], e.src.line(n)
		body := bytes.TrimLeft(line, " ")
		switch blank := len(bytes.TrimSpace(line)) == 0; {
		case blank && t.inside[n]:
		case blank && (empty || n > last):
			replace(from, e.nextLine(from), "")
		case blank:
			replace(from, from+len(line), "")
			empty = true
			continue
		default:
			indent := max(0, len(line)-len(body)+shifts[n])
			replace(from, from+len(line)-len(body), string(bytes.Repeat([]byte(" "), indent)))
			if !t.inside[n] && !t.inside[n+1] {
				replace(from+len(bytes.TrimRight(line, " \t")), from+len(line), "")
			}
			empty = false
			if n == last && e.nextLine(from) == from+len(line) {
				replace(from+len(line), from+len(line), e.newline())
			}
		}
	}
	return edits
}

// walk notes the lines of a block and of the blocks in it.
func (t *tidier) walk(n *yaml.Node, indent int) {
	switch {
	case n.Kind == yaml.ScalarNode:
		first := t.src.pos(t.start(n)).Line
		_, end, ok := t.text(n).trace()
		for line := first + 1; ok && line <= len(t.src.lines) && t.src.lines[line-1] < end; line++ {
			t.inside[line] = true
		}
	case n.Kind == yaml.MappingNode && n.Style&yaml.FlowStyle == 0:
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			t.begins(key.Line, key.Column, indent)
			t.walk(key, indent)
			t.walk(value, indent+2)
		}
	case n.Kind == yaml.SequenceNode && n.Style&yaml.FlowStyle == 0:
		for _, item := range n.Content {
			line := t.dash(n, item)
			t.begins(line, n.Column, indent)
			inner := indent + 2
			if line == item.Line {
				inner = indent + item.Column - n.Column
			}
			t.walk(item, inner)
		}
	default:
		for _, part := range n.Content {
			t.walk(part, indent)
		}
	}
}

// begins notes a key or a dash that is the first in its line.
func (t *tidier) begins(line, column, indent int) {
	if text := t.src.line(line); column <= len(text)+1 && len(bytes.Trim(text[:column-1], " ")) == 0 {
		t.indent[line] = indent
	}
}

// dash returns the line of the dash before an item.
func (t *tidier) dash(list, item *yaml.Node) int {
	for line := item.Line; line > list.Line; line-- {
		if text := t.src.line(line); len(text) >= list.Column && text[list.Column-1] == '-' && len(bytes.Trim(text[:list.Column-1], " ")) == 0 {
			return line
		}
	}
	return list.Line
}

// shifts returns by how much each line moves: as its own key or item; as the line in which its value
// begins; a comment as the next line, or, when it is deeper than that, as the line before it.
func (t *tidier) shifts() map[int]int {
	shifts := map[int]int{}
	shift := 0
	depth := func(line int) int {
		text := t.src.line(line)
		return len(text) - len(bytes.TrimLeft(text, " "))
	}
	var comments []int
	for n := 1; n <= len(t.src.lines); n++ {
		text := bytes.TrimSpace(t.src.line(n))
		if !t.inside[n] && (len(text) == 0 || text[0] == '#') {
			if len(text) > 0 {
				comments = append(comments, n)
			}
			continue
		}
		before := shift
		if indent, begins := t.indent[n]; begins {
			shift = indent - depth(n)
		}
		for _, comment := range comments {
			if shifts[comment] = shift; depth(comment) > depth(n) {
				shifts[comment] = before
			}
		}
		comments = nil
		shifts[n] = shift
	}
	for _, comment := range comments {
		shifts[comment] = shift
	}
	return shifts
}
