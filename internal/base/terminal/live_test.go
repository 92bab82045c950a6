package terminal

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mattn/go-runewidth"
)

// emulated is a small terminal that understands what a Live writes, and nothing else. It wraps lines, scrolls, and
// like most terminals wraps its lines anew when its width changes.
type emulated struct {
	t             *testing.T
	columns, rows int
	lines         []string // of the screen and above it; a line that was wrapped ends with wrapped
	row, column   int
	noWrap        bool
	frames        []string // what was written, by write
}

const wrapped = "\x00"

var sequence = regexp.MustCompile(`^\x1b\[(\??)([0-9]*)([A-Za-z])`)

func newEmulated(t *testing.T, columns, rows int) *emulated {
	t.Helper()
	return &emulated{t: t, columns: columns, rows: rows, lines: []string{""}}
}

func (e *emulated) screen() Screen {
	return Screen{live: true, columns: func() (int, int) { return e.columns, e.rows }}
}

func (e *emulated) Write(p []byte) (int, error) {
	e.frames = append(e.frames, string(p))
	for text := string(p); text != ""; {
		if found := sequence.FindStringSubmatch(text); found != nil {
			e.control(found[1] + found[3] + found[2])
			text = text[len(found[0]):]
			continue
		}
		r := []rune(text)[0]
		text = text[len(string(r)):]
		switch r {
		case '\n':
			e.down("")
		case '\r':
			e.column = 0
		case '\x1b':
			e.t.Fatalf("an unknown sequence: %q", text)
		default:
			e.put(r)
		}
	}
	return len(p), nil
}

func (e *emulated) control(what string) {
	n, _ := strconv.Atoi(strings.TrimLeft(what, "?ABKhlm"))
	switch strings.TrimRight(what, "0123456789") {
	case "A":
		e.row = max(e.row-n, 0, len(e.lines)-e.rows)
	case "B":
		e.row = min(e.row+n, len(e.lines)-1)
	case "K":
		stays := e.column > 0 && strings.HasSuffix(e.lines[e.row], wrapped)
		e.lines[e.row] = strings.TrimSuffix(runewidth.Truncate(e.lines[e.row], e.column, ""), wrapped)
		if stays { // as in tmux, only a line that is cleared from its beginning is one of its own again
			e.lines[e.row] += wrapped
		}
	case "?l":
		e.noWrap = true
	case "?h":
		e.noWrap = false
	default:
		e.t.Fatalf("an unknown control: %q", what)
	}
}

func (e *emulated) put(r rune) {
	width := Width(string(r))
	if e.column+width > e.columns {
		if e.noWrap {
			return
		}
		e.lines[e.row] += wrapped
		e.down("")
	}
	line := e.lines[e.row]
	e.lines[e.row] = runewidth.Truncate(line, e.column, "") + string(r) + runewidth.TruncateLeft(line, e.column+width, "")
	e.column += width
}

func (e *emulated) down(line string) {
	e.row++
	e.column = 0
	if e.row == len(e.lines) {
		e.lines = append(e.lines, line)
	}
}

// resize gives the terminal another width.
func (e *emulated) resize(columns int) {
	if below := strings.Join(e.lines[e.row:], ""); below != "" {
		e.t.Errorf("below the cursor: %q", below)
	}
	text := strings.ReplaceAll(strings.Join(e.lines[:e.row+1], "\n"), wrapped+"\n", "")
	e.columns, e.lines, e.row, e.column = columns, []string{""}, 0, 0
	for _, r := range text {
		if r == '\n' {
			e.down("")
		} else {
			e.put(r)
		}
	}
}

// text is all that was shown and is not erased.
func (e *emulated) text() string {
	return strings.TrimRight(strings.ReplaceAll(strings.Join(e.lines, "\n"), wrapped, ""), "\n")
}

// clock is the time of a Live in a test, and what it lets its timer do.
type clock struct {
	now   time.Time
	waits []time.Duration
}

// onEmulated returns a Live on such a terminal.
func onEmulated(e *emulated) (*Live, *clock) {
	l, c := SizedLive(e, Screen{}), &clock{now: time.Unix(1000, 0)}
	l.screen = e.screen
	l.now = func() time.Time { return c.now }
	l.after = func(d time.Duration) { c.waits = append(c.waits, d) }
	return l, c
}

func (c *clock) later(d time.Duration) { c.now = c.now.Add(d) }

// listed are rows with these texts.
func listed(texts *[]string) func(time.Time) []Row {
	return func(time.Time) []Row {
		var rows []Row
		for _, text := range *texts {
			rows = append(rows, Row{{Text: text}})
		}
		return rows
	}
}

// What is written comes above the block, which is drawn in its place again, and goes away without a trace.
func TestLive(t *testing.T) {
	e := newEmulated(t, 20, 10)
	l, c := onEmulated(e)
	show := func(want ...string) {
		t.Helper()
		if got := e.text(); got != strings.Join(want, "\n") {
			t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
		}
	}
	change := func(rows *[]string, to ...string) {
		c.later(time.Second)
		*rows = to
		l.Changed()
	}
	var rows []string
	fmt.Fprintln(l, "before")
	l.Show(listed(&rows))
	show("before")
	change(&rows, "a", "  b", "  c")
	show("before", "a", "  b", "  c")
	change(&rows, "a longer", "  b")
	show("before", "a longer", "  b")
	fmt.Fprintln(l, "log line that is longer than the screen is wide")
	show("before", "log line that is lon", "ger than the screen ", "is wide", "a longer", "  b")
	l.Above("done")
	c.later(time.Second)
	l.tick()
	show("before", "log line that is lon", "ger than the screen ", "is wide", "done", "a longer", "  b")
	// A line without its end is not drawn over.
	fmt.Fprint(l, "half")
	change(&rows, "x")
	show("before", "log line that is lon", "ger than the screen ", "is wide", "done", "half")
	c.later(time.Second)
	fmt.Fprintln(l, " and half")
	show("before", "log line that is lon", "ger than the screen ", "is wide", "done", "half and half", "x")
	// Whatever else has the terminal has all of it.
	again, both := Hide(l), Hide(l)
	change(&rows, "y", "z")
	l.Above("meanwhile")
	fmt.Fprint(l, "Your answer? ")
	fmt.Fprintln(e, "yes") // typed
	again()
	again()
	l.tick()
	show("before", "log line that is lon", "ger than the screen ", "is wide", "done", "half and half", "meanwhile", "Your answer? yes")
	both()
	c.later(time.Second)
	l.tick()
	show("before", "log line that is lon", "ger than the screen ", "is wide", "done", "half and half", "meanwhile", "Your answer? yes", "y", "z")
	l.Show(nil)
	l.Changed()
	l.tick()
	show("before", "log line that is lon", "ger than the screen ", "is wide", "done", "half and half", "meanwhile", "Your answer? yes")
}

// A block has at most 8 rows, and fewer on a low screen; its rows are as long as a line, in columns.
func TestLiveIsBounded(t *testing.T) {
	for _, c := range []struct {
		columns, rows, shown int
		want                 string
	}{
		{20, 24, 8, "row 0\nrow 1\nrow 2\nrow 3\nrow 4\nrow 5\nrow 6\n  … and 13 more"},
		{20, 6, 4, "row 0\nrow 1\nrow 2\n  … and 17 more"},
		{20, 1, 1, "  … and 20 more"},
		{5, 24, 8, strings.Repeat("row…\n", 7) + "  ……"},
	} {
		e := newEmulated(t, c.columns, c.rows)
		l, _ := onEmulated(e)
		rows := make([]string, 20)
		for i := range rows {
			rows[i] = fmt.Sprintf("row %d", i)
		}
		l.Show(listed(&rows))
		got := e.text()
		if got != c.want || len(l.drawn) != c.shown {
			t.Errorf("%d × %d: %d rows\n%s\nwant\n%s", c.columns, c.rows, len(l.drawn), got, c.want)
		}
	}
	e := newEmulated(t, 20, 24)
	l, _ := onEmulated(e)
	rows := []string{strings.Repeat("漢", 30), strings.Repeat("e\u0301", 19), strings.Repeat("x", 20)}
	l.Show(listed(&rows))
	if got, want := e.text(), strings.Repeat("漢", 9)+"…\n"+strings.Repeat("e\u0301", 19)+"\n"+strings.Repeat("x", 18)+"…"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// When the screen becomes narrower its terminal wraps the rows, which leaves nothing of them; wider ones are fitted anew.
func TestLiveAfterResizing(t *testing.T) {
	e := newEmulated(t, 40, 30)
	l, c := onEmulated(e)
	rows := []string{strings.Repeat("a", 60), "short", strings.Repeat("漢", 30)}
	fmt.Fprintln(l, "above")
	l.Show(listed(&rows))
	for _, columns := range []int{20, 15, 60, 7, 40, 13, 80} {
		e.resize(columns)
		c.later(time.Second)
		l.tick()
		want := []string{"above"}
		for _, row := range rows {
			want = append(want, Cut(row, columns-1))
		}
		if got := e.text(); got != strings.Join(want, "\n") {
			t.Errorf("%d columns: got\n%s\nwant\n%s", columns, got, strings.Join(want, "\n"))
		}
	}
	l.Show(nil)
	if e.text() != "above" {
		t.Errorf("left over:\n%s", e.text())
	}
}

// A frame is one write, without any when nothing has changed; it clears the rest of lines, not all of them. Events draw at
// most every 50 ms, the timer every 250 ms, and without a block not at all.
func TestLiveFrames(t *testing.T) {
	e := newEmulated(t, 40, 24)
	l, c := onEmulated(e)
	rows := []string{"one", "two"}
	l.Show(listed(&rows))
	rows[1] = "three"
	for range 100 {
		l.Changed()
		l.Above("line")
	}
	if len(e.frames) != 1 || len(c.waits) != 201 || slices.Max(c.waits[1:]) > 50*time.Millisecond {
		t.Errorf("%d writes, waits %v", len(e.frames), c.waits)
	}
	c.later(50 * time.Millisecond)
	l.tick()
	if len(e.frames) != 2 || strings.Count(e.text(), "line\n") != 100 {
		t.Errorf("%d writes", len(e.frames))
	}
	rows[0] = "four"
	c.later(250 * time.Millisecond)
	l.tick()
	if got, want := e.frames[2], "\r\x1b[2A\x1b[?7lfour\x1b[K\nthree\x1b[K\n\x1b[?7h"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	c.later(250 * time.Millisecond)
	l.tick()
	if len(e.frames) != 3 || c.waits[len(c.waits)-1] != 250*time.Millisecond {
		t.Errorf("drawn without a change: %q, waits %v", e.frames[3:], c.waits[len(c.waits)-1])
	}
	l.Show(nil)
	waits := len(c.waits)
	l.tick()
	l.Changed()
	if len(e.frames) != 4 || len(c.waits) != waits {
		t.Errorf("after the end: %q", e.frames[4:])
	}
}

// A stream that is no terminal gets what is written, and no block.
func TestLiveWithoutATerminal(t *testing.T) {
	var to bytes.Buffer
	l := NewLive(&to)
	if LiveOn(l) != nil || LiveOn(&to) != nil || Is(l) || On(l).Live() {
		t.Error("a buffer can show a block")
	}
	Hide(l)()
	Hide(&to)()
	rows := []string{"row"}
	l.Show(listed(&rows))
	fmt.Fprint(l, "a\nb")
	l.Changed()
	l.Show(nil)
	if to.String() != "a\nb" {
		t.Errorf("%q", to.String())
	}
}
