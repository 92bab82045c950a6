package mcpclient

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"toolgraph/config"
	"toolgraph/internal/wording"
)

// notes is what one connection logs, redacted.
type notes struct {
	server  string
	logger  *slog.Logger
	secrets *config.Secrets
	auth    *authorizer // whose tokens are secrets too; may be nil
	strays  *sync.Once  // the first stray line of a connection is a warning, the rest debug
}

func newNotes(server string, logger *slog.Logger, secrets *config.Secrets) notes {
	return notes{server: server, logger: logger, secrets: secrets, strays: &sync.Once{}}
}

func (n notes) redact(text string) string {
	if n.secrets != nil {
		text = n.secrets.Redact(text)
	}
	return n.auth.hide(text)
}

// shown is text of at most limit bytes that is fit to be shown: redacted before it is
// truncated, for half a secret is not recognised, and both with and without the control
// characters that may stand inside a secret. Work is bounded whatever the server sends.
func (n notes) shown(text string, limit int) string {
	text = n.redact(wording.Truncate(text, max(stderrLineRoom, 2*limit)))
	return wording.Truncate(n.redact(plain(text)), limit)
}

// headOf is as much of a message as shown looks at, and one byte more, so that it sees
// what is truncated.
func headOf(message []byte) string { return string(message[:min(len(message), stderrLineRoom+1)]) }

// stray notes a line that fits nobody.
func (n notes) stray(what string, line []byte) {
	level := slog.LevelDebug
	n.strays.Do(func() { level = slog.LevelWarn })
	ctx := context.Background()
	if !n.logger.Enabled(ctx, level) {
		return
	}
	shown := n.shown(headOf(line), 200)
	n.logger.Log(ctx, level, "upstream sent "+what+"; it is ignored", "server", n.server, "line", shown)
}

// refused notes a request of the server that we do not serve.
func (n notes) refused(method string) {
	n.logger.Warn("upstream asked for something that is not offered", "server", n.server, "method", n.shown(method, 100))
}

// uncheckable notes a schema of the server's that cannot be used.
func (n notes) uncheckable(tool string, err error) {
	n.logger.Debug("upstream has an inputSchema that cannot be used; arguments are not checked",
		"server", n.server, "tool", n.shown(tool, 200), "error", n.shown(err.Error(), 300))
}

// said is told each line of stderr, or nil when nobody wants to know.
func (n notes) said() func(string) {
	if !n.logger.Enabled(context.Background(), slog.LevelDebug) {
		return nil
	}
	return func(line string) {
		n.logger.Debug("upstream stderr", "server", n.server, "line", n.shown(line, stderrLine))
	}
}

// message notes what a server logs by the protocol.
func (n notes) message(params []byte) {
	if params != nil && n.logger.Enabled(context.Background(), slog.LevelDebug) {
		n.logger.Debug("upstream log", "server", n.server, "message", n.shown(headOf(params), stderrLine))
	}
}

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
