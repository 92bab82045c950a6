package terminal

import "strings"

// Fitting is what a table does with a row that is longer than the screen is wide.
type Fitting int

// The ways to fit a row. The widest columns are shortened first, so that something of each can be seen.
const (
	Whole    Fitting = iota // it stays, and the terminal wraps it
	Cutting                 // it is shortened at its end
	Wrapping                // its last cell goes on below
)

const (
	leastColumn = 12 // columns that are no wider are not shortened
	leastEnd    = 28 // so much of the last cells has room beside the others
)

// Table returns rows in columns with two spaces between them, fitted to a screen that has a width. The style of
// a cell may depend on its text; nil paints nothing.
func (s Screen) Table(rows [][]string, fit Fitting, style func(row, column int, text string) Style) string {
	widths := s.columnsOf(rows, fit)
	var b strings.Builder
	for r, row := range rows {
		parts, start := make([]Part, 0, 2*len(row)), 0
		for i, cell := range row {
			part := Part{Text: cell}
			if style != nil {
				part.Style = style(r, i, cell)
			}
			if i < len(row)-1 {
				if fit != Whole && s.live {
					part.Text = Cut(cell, widths[i])
				}
				parts = append(parts, part, Part{Text: strings.Repeat(" ", widths[i]-s.Width(part.Text)+2)})
				start += widths[i] + 2
				continue
			}
			if fit == Wrapping {
				part.Text = s.below(cell, start)
			}
			parts = append(parts, part)
		}
		if fit == Cutting {
			b.WriteString(s.Line(parts...))
		} else {
			for _, p := range parts {
				b.WriteString(s.Paint(p.Style, p.Text))
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// columnsOf returns the widths of the columns but the last of each row, which ends the line.
func (s Screen) columnsOf(rows [][]string, fit Fitting) (widths []int) {
	end := 0
	for _, row := range rows {
		last := len(row) - 1
		for i, cell := range row {
			if i == last {
				end = max(end, s.Width(cell))
				break
			}
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], s.Width(cell))
		}
	}
	if fit == Whole || !s.live {
		return widths
	}
	room := s.Columns() - min(end, leastEnd) - 2*len(widths)
	for _, width := range widths {
		room -= width
	}
	for ; room < 0; room++ {
		widest := 0
		for i, width := range widths {
			if width > widths[widest] {
				widest = i
			}
		}
		if len(widths) == 0 || widths[widest] <= leastColumn {
			break
		}
		widths[widest]--
	}
	return widths
}

// below breaks a cell that begins in a column between words, with its other lines below it.
func (s Screen) below(cell string, start int) string {
	indent := strings.Repeat(" ", start)
	return strings.TrimPrefix(s.Wrap(indent+cell, start), indent)
}
