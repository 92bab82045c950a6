package mcpclient

import (
	"bufio"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"toolgraph/internal/wording"
)

const (
	stderrKept     = 64 << 10 // bytes of a server's stderr that are kept
	stderrLine     = 4 << 10  // longest line shown
	stderrLineRoom = 8 << 10  // longest line kept: it is redacted before it is truncated
)

var ansiEscape = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("\x1b(?:\\[[0-9;?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[@-_])")
})

// stderrRing keeps the last lines that a server wrote to its stderr.
type stderrRing struct {
	mu    sync.Mutex // guards what follows
	lines []string
	size  int
	total int // lines ever written
}

// drain reads until the end, so that the server never blocks; each line is told to
// seen when that is not nil.
func (r *stderrRing) drain(in io.Reader, seen func(string)) {
	reader := bufio.NewReaderSize(in, stderrLineRoom)
	cut := false // inside a line whose head is kept already
	for {
		part, err := reader.ReadSlice('\n')
		if len(part) > 0 && !cut {
			line := strings.TrimRight(string(part), "\r\n")
			if errors.Is(err, bufio.ErrBufferFull) {
				line = wording.Truncate(line, stderrLineRoom-1)
			}
			r.add(line)
			if seen != nil {
				seen(line)
			}
		}
		cut = errors.Is(err, bufio.ErrBufferFull)
		if err != nil && !cut {
			return
		}
	}
}

func (r *stderrRing) add(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.total++
	r.lines = append(r.lines, line)
	r.size += len(line)
	drop := 0
	for r.size > stderrKept && drop < len(r.lines)-1 {
		r.size -= len(r.lines[drop])
		r.lines[drop] = ""
		drop++
	}
	r.lines = r.lines[drop:]
}

// mark is the number of lines written so far, for tail.
func (r *stderrRing) mark() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.total
}

// tail is the last n non-empty lines written after mark, as note shows them.
func (r *stderrRing) tail(n, mark int, note notes) []string {
	r.mu.Lock()
	lines := r.lines[max(0, len(r.lines)-max(0, r.total-mark)):]
	lines = append([]string(nil), lines...)
	r.mu.Unlock()
	var shown []string
	for i := len(lines) - 1; i >= 0 && len(shown) < n; i-- {
		if line := note.shown(lines[i], stderrLine); strings.TrimSpace(line) != "" {
			shown = append(shown, line)
		}
	}
	slices.Reverse(shown)
	return shown
}

// presentable is text of at most limit bytes without control and direction
// characters, which could forge lines or colours where it is shown.
func presentable(text string, limit int) string { return plain(wording.Truncate(text, limit)) }

func plain(text string) string {
	text = ansiEscape().ReplaceAllString(strings.ToValidUTF8(text, "\uFFFD"), "")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, text)
}
