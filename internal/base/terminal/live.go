package terminal

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/mattn/go-runewidth"
)

// Row is a line of a block that is drawn again and again, see Live. It has no control characters.
type Row []Part

// How often and how high a block is drawn.
const (
	frameEvery = 50 * time.Millisecond  // what changes is drawn at most so often
	frameTick  = 250 * time.Millisecond // and without a change so often, for the times in it
	mostRows   = 8
)

// Live is a stream whose terminal can show a block below what is written: what is in flight now. Everything
// that is written comes above the block. A frame is one write, which begins where the block began, so that
// nothing flickers; a stream that is no terminal gets the text as it is and no block.
// Safe for concurrent use.
type Live struct {
	w      io.Writer
	screen func() Screen
	now    func() time.Time
	after  func(d time.Duration) // lets tick be called once after d, instead of when it was to be called before

	mu      sync.Mutex // guards what follows, and writing to w
	rows    func(now time.Time) []Row
	lines   strings.Builder // that the next frame writes above the block
	drawn   []string        // the rows that the terminal shows, without their colours
	frame   string          // those rows as they were written
	columns int             // of the terminal then
	last    time.Time       // when they were drawn
	away    int             // what else has the terminal: a question, the prompt of a debugger
	open    bool            // the last line that was written has no end yet
}

// NewLive returns a stream that writes to w and shows no block yet.
func NewLive(w io.Writer) *Live {
	return newLive(w, sync.OnceValue(func() Screen { return On(w) }))
}

// SizedLive returns a stream that writes to w as to such a screen, for tests.
func SizedLive(w io.Writer, screen Screen) *Live {
	return newLive(w, func() Screen { return screen })
}

func newLive(w io.Writer, screen func() Screen) *Live {
	l := &Live{w: w, screen: screen, now: time.Now}
	timer := sync.OnceValue(func() *time.Timer {
		t := time.AfterFunc(time.Hour, l.tick)
		t.Stop()
		return t
	})
	l.after = func(d time.Duration) { timer().Reset(d) }
	return l
}

// LiveOn returns the stream w when it is a Live whose terminal can show a block; otherwise nil.
func LiveOn(w io.Writer) *Live {
	if l, is := w.(*Live); is && l.screen().Live() {
		return l
	}
	return nil
}

// Hide removes the block of a Live until show is called, so that something else can have the terminal. It does
// nothing for another stream.
func Hide(w io.Writer) (show func()) {
	l := LiveOn(w)
	if l == nil {
		return func() {}
	}
	change := func(n int) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.erase()
		l.away += n
		l.open = false // what had the terminal has ended its line
		l.soon()
	}
	change(1)
	return sync.OnceFunc(func() { change(-1) })
}

// Show begins a block. rows returns it; without rows nothing is shown. It must not write to the stream. nil ends
// the block.
func (l *Live) Show(rows func(now time.Time) []Row) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.erase()
	l.rows = rows
	l.soon()
}

// Changed lets the block be drawn soon.
func (l *Live) Changed() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.soon()
}

// Above lets the next frame write a line above the block.
func (l *Live) Above(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines.WriteString(line + "\n")
	l.soon()
}

// Write writes text above the block.
func (l *Live) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.drawn) == 0 && l.lines.Len() == 0 {
		l.note(p)
		defer l.soon()
		return l.w.Write(p)
	}
	l.lines.Write(p)
	if err := l.draw(l.now()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// note remembers whether the text ends a line. l.mu is held.
func (l *Live) note(text []byte) {
	if len(text) > 0 {
		l.open = text[len(text)-1] != '\n'
	}
}

// shows reports whether a block may be drawn now. l.mu is held.
func (l *Live) shows() bool { return l.rows != nil && l.away == 0 && !l.open && l.screen().Live() }

// soon draws, or lets the timer draw when it is too early. l.mu is held.
func (l *Live) soon() {
	if !l.shows() && l.lines.Len() == 0 {
		return
	}
	now := l.now()
	if wait := frameEvery - now.Sub(l.last); wait > 0 && l.shows() {
		l.after(wait)
		return
	}
	_ = l.draw(now) // a terminal that is gone shows nothing
}

// tick draws the times in the block.
func (l *Live) tick() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shows() || l.lines.Len() > 0 {
		_ = l.draw(l.now())
	}
}

// draw writes a frame: the lines that wait, and below them the block. l.mu is held.
func (l *Live) draw(now time.Time) error {
	lines := l.lines.String()
	l.lines.Reset()
	l.note([]byte(lines))
	var rows []Row
	if l.shows() {
		rows = l.rows(now)
	}
	screen := l.screen()
	frame, drawn := block(screen, rows)
	l.last = now
	if len(rows) > 0 {
		l.after(frameTick)
	}
	if lines == "" && frame == l.frame {
		return nil
	}
	var b strings.Builder
	high := l.height(screen)
	if high > 0 {
		fmt.Fprintf(&b, "\r\x1b[%dA", high)
	}
	if lines != "" || screen.Columns() != l.columns { // a line that was wrapped stays one with the next until it is cleared
		b.WriteString(cleared(high) + lines)
		high = 0
	}
	if frame != "" {
		b.WriteString("\x1b[?7l" + frame + "\x1b[?7h") // a row that is wider than it seems does not wrap
	}
	b.WriteString(cleared(high - len(drawn)))
	l.frame, l.drawn, l.columns = frame, drawn, screen.Columns()
	_, err := io.WriteString(l.w, b.String())
	return err
}

// cleared clears so many lines, from that of the cursor on, where it stays. To clear the rest of the screen instead would let
// some terminals scroll it away.
func cleared(lines int) string {
	if lines <= 0 {
		return ""
	}
	text := "\x1b[K" + strings.Repeat("\x1b[1B\x1b[K", lines-1)
	if lines > 1 {
		text += fmt.Sprintf("\x1b[%dA", lines-1)
	}
	return text
}

// height is how many lines of the terminal the block has. One that has become narrower shows a row in several.
func (l *Live) height(screen Screen) (lines int) {
	columns := screen.Columns()
	for _, row := range l.drawn {
		at := 0
		lines++
		for _, r := range row {
			width := runewidth.RuneWidth(r)
			if at += width; at > columns {
				at = width
				lines++
			}
		}
	}
	return lines
}

// erase removes the block, and writes the lines that wait. l.mu is held.
func (l *Live) erase() {
	if len(l.drawn) == 0 && l.lines.Len() == 0 {
		return
	}
	rows := l.rows
	l.rows = nil
	_ = l.draw(l.now()) // a terminal that is gone shows nothing
	l.rows, l.last = rows, time.Time{}
}

// block returns rows as they are drawn, and their texts. Rows for which there is no room are counted.
func block(screen Screen, rows []Row) (frame string, drawn []string) {
	most := max(1, min(mostRows, screen.Rows()-2))
	if len(rows) > most {
		rest := len(rows) - most + 1
		rows = append(rows[:most-1:most-1], Row{{Text: fmt.Sprintf("  … and %d more", rest), Style: Faint}})
	}
	columns := max(1, screen.Columns()-1) // the cursor of a full line may be in the next one already
	narrow, bare := Sized(columns, mostRows, screen.colour), Sized(columns, mostRows, false)
	var b strings.Builder
	for _, row := range rows {
		drawn = append(drawn, bare.Line(row...))
		b.WriteString(narrow.Line(row...) + "\x1b[K\n")
	}
	return b.String(), drawn
}

// fileOf returns the file that a stream writes to or reads from; nil when it is none.
func fileOf(stream any) *os.File {
	if l, is := stream.(*Live); is {
		stream = l.w
	}
	f, _ := stream.(*os.File)
	return f
}
