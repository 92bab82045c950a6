package terminal

import (
	"cmp"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/term"
)

// Is reports whether a stream is a terminal.
func Is(stream any) bool {
	f := fileOf(stream)
	return f != nil && term.IsTerminal(int(f.Fd()))
}

// Style is how a text looks in colour.
type Style string

// The styles. Each is an SGR sequence of the 16 colours, which users choose in their terminal.
const (
	Plain  Style = ""
	Bold   Style = "1"
	Faint  Style = "2"
	Bad    Style = "31" // red: an error, a failure
	Good   Style = "32" // green: passed, finished
	Notice Style = "33" // yellow: a warning, something that waits
	Active Style = "36" // cyan: something that runs
)

// Screen is how text is written to a stream.
type Screen struct {
	live    bool // a terminal that can move its cursor
	colour  bool
	columns func() (columns, rows int)
}

// On returns the screen of a stream.
func On(w io.Writer) Screen {
	if l, is := w.(*Live); is {
		return l.screen()
	}
	f := fileOf(w)
	s := Screen{live: Is(w) && !Dumb() && prepare(f)}
	s.colour = coloured(s.live, os.Getenv)
	if s.live {
		s.columns = func() (int, int) { return sizeOf(f) }
	}
	return s
}

// Sized returns a screen of that size, for tests and for text that is measured.
func Sized(columns, rows int, colour bool) Screen {
	return Screen{live: true, colour: colour, columns: func() (int, int) { return columns, rows }}
}

// Dumb reports whether the terminal only prints: TERM is dumb, or missing where terminals set it.
func Dumb() bool {
	name := os.Getenv("TERM")
	return name == "dumb" || name == "" && runtime.GOOS != "windows"
}

// coloured decides about colours: NO_COLOR, set and not empty, turns them off, CLICOLOR_FORCE
// on; otherwise a terminal that is not dumb has them.
func coloured(live bool, env func(string) string) bool {
	if env("NO_COLOR") != "" {
		return false
	}
	return live || cmp.Or(env("CLICOLOR_FORCE"), "0") != "0"
}

// The size of a terminal that does not report one.
const (
	usualColumns = 80
	usualRows    = 24
)

// sizeOf asks the terminal for its size, then the environment.
func sizeOf(f *os.File) (columns, rows int) {
	columns, rows, err := term.GetSize(int(f.Fd()))
	if err != nil || columns <= 0 {
		columns = usualColumns
		if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
			columns = n
		}
	}
	if err != nil || rows <= 0 {
		rows = usualRows
	}
	return columns, rows
}

// Live reports whether lines can be redrawn and are fitted to the width.
func (s Screen) Live() bool { return s.live }

// Plain reports whether text stays as it is: it is neither painted nor fitted.
func (s Screen) Plain() bool { return !s.live && !s.colour }

// Columns returns the width; 0 when there is none, and lines can have any length.
func (s Screen) Columns() int {
	if !s.live {
		return 0
	}
	columns, _ := s.columns()
	return columns
}

// Rows returns the height; 0 when there is none.
func (s Screen) Rows() int {
	if !s.live {
		return 0
	}
	_, rows := s.columns()
	return rows
}

// Paint returns a text in a style, each of its lines for itself.
func (s Screen) Paint(style Style, text string) string {
	if !s.colour || style == Plain || text == "" {
		return text
	}
	begin, end := "\x1b["+string(style)+"m", "\x1b[0m"
	return begin + strings.ReplaceAll(text, "\n", end+"\n"+begin) + end
}

// Part is a piece of a line.
type Part struct {
	Text  string
	Style Style
}

// Line joins parts to a line that is not longer than the screen is wide.
func (s Screen) Line(parts ...Part) string {
	var b strings.Builder
	left, rest := s.Columns(), 0
	for _, p := range parts {
		rest += Width(p.Text)
	}
	for _, p := range parts {
		width := Width(p.Text)
		if s.live && rest > left && width >= left {
			b.WriteString(s.Paint(p.Style, Cut(p.Text+" ", left)))
			break
		}
		b.WriteString(s.Paint(p.Style, p.Text))
		left, rest = left-width, rest-width
	}
	return b.String()
}
