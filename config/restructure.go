package config

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Restructure is Rewrite for a content that is made of parts of the file, of which some have moved to other keys or items:
// the comments of keys and items that are left out stay, too. They are above the part that they are about, where that has
// gone, else above what follows. The parts are Data of ParseData, with their places.
func Restructure(path string, src []byte, want *Data) ([]byte, error) {
	return rewrite(path, src, want, true)
}

// remark is a comment of a file.
type remark struct {
	from int  // the byte of its #
	own  bool // nothing else is on its line
	text string
}

// remarks returns the comments that begin in source[from:to]; none when comments are not kept.
func (e *editor) remarks(from, to int) (found []remark) {
	if !e.keeps {
		return nil
	}
	if e.scalars == nil {
		e.findScalars(e.root)
		slices.SortFunc(e.scalars, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
	}
	for at := from; at < to; at++ {
		if i, _ := slices.BinarySearchFunc(e.scalars, at+1, func(s [2]int, at int) int { return cmp.Compare(s[0], at) }); i > 0 && at < e.scalars[i-1][1] {
			at = e.scalars[i-1][1] - 1
			continue
		}
		if e.src.data[at] != '#' || at > 0 && !isBlank(e.src.data[at-1]) && e.src.data[at-1] != '\n' {
			continue
		}
		end := e.lineEnd(at)
		found = append(found, remark{at, len(bytes.Trim(e.src.data[e.lineStart(at):at], " \t")) == 0, string(e.src.data[at:end])})
		at = end
	}
	return found
}

// findScalars notes the bytes of the scalars, in which a # is no comment: of a block scalar its lines.
func (e *editor) findScalars(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode {
		from, to := e.text(n).start, e.end(n)
		if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
			from = e.nextLine(from)
		}
		if from < to {
			e.scalars = append(e.scalars, [2]int{from, to})
		}
	}
	for _, child := range n.Content {
		e.findScalars(child)
	}
}

// above returns comments as lines with an indentation.
func (e *editor) above(all []remark, indent int) string {
	var lines strings.Builder
	for _, r := range all {
		lines.WriteString(strings.Repeat(" ", indent) + r.text + e.newline())
	}
	return lines.String()
}

// moveRemarks gives the comments of a pair that is left out, and those above it, to a new pair that has parts of it. It
// reports whether there is one.
func (e *editor) moveRemarks(key, value *yaml.Node, from int, want *Data, fresh map[string][]int) (moved bool) {
	first, last := e.start(key), max(e.end(key), e.end(value))
	for _, i := range slices.Sorted(slices.Values(slices.Concat(slices.Collect(maps.Values(fresh))...))) {
		item := want.Items[i]
		parts := slices.DeleteFunc(item.parts(), func(d *Data) bool {
			at := e.offsetOf(d)
			return at < first || at > last
		})
		if len(parts) == 0 {
			continue
		}
		slices.SortStableFunc(parts, func(a, b *Data) int { return cmp.Compare(a.Pos.Line, b.Pos.Line) })
		for _, r := range e.remarks(from, e.pairStop(key, value)) {
			part := item
			if line := e.src.pos(r.from).Line; r.from > first {
				part = partAt(parts, line, r.own)
			}
			e.notes[part] = strings.TrimPrefix(e.notes[part]+"\n"+strings.TrimSpace(strings.TrimPrefix(r.text, "#")), "\n")
		}
		return true
	}
	return false
}

// partAt returns the part that a comment is about: the first one below a line of its own, else the one that begins in its line.
func partAt(parts []*Data, line int, own bool) *Data {
	at := parts[0]
	for _, p := range parts {
		if own && p.Pos.Line > line {
			return p
		}
		if p.Pos.Line <= line && p.Pos.Line > at.Pos.Line {
			at = p
		}
	}
	return at
}

// parts returns the data and all data in it that has a place, from the outside in.
func (d *Data) parts() (all []*Data) {
	if d.Pos.IsValid() {
		all = append(all, d)
	}
	for _, item := range d.Items {
		all = append(all, item.parts()...)
	}
	return all
}

func (e *editor) offsetOf(d *Data) int { return e.src.offset(d.Pos.Line, d.Pos.Column) }
