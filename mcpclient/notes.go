package mcpclient

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
)

// notes is the log of one connection, redacted.
type notes struct {
	server  string
	logger  *slog.Logger
	secrets *config.Secrets // may be nil
	auth    *authorizer     // whose tokens are secrets too; may be nil
	strays  *sync.Once      // the first stray line of a connection is a warning, the rest debug
}

func newNotes(server string, logger *slog.Logger, secrets *config.Secrets) notes {
	return notes{server: server, logger: logger, secrets: secrets, strays: &sync.Once{}}
}

func (n notes) redact(text string) string { return n.auth.hide(n.secrets.Redact(text)) }

// shown returns text of at most limit bytes that is fit to be shown in one line: redacted before it
// is truncated, for half a secret is not recognized, and both with and without the control
// characters that may be inside a secret. Its work is bounded for any text.
func (n notes) shown(text string, limit int) string {
	text = colour().ReplaceAllString(n.redact(wording.Truncate(text, max(stderrLineRoom, 2*limit))), "")
	if bare := plain(text); n.redact(bare) != bare {
		return wording.Truncate(n.redact(bare), limit)
	}
	return presentable(text, limit)
}

// headOf returns as much of a message as shown uses, and one byte more, so that shown
// marks it as truncated.
func headOf(message []byte) string { return string(message[:min(len(message), stderrLineRoom+1)]) }

// stray logs a line that is ignored.
func (n notes) stray(what string, line []byte) {
	level := slog.LevelDebug
	n.strays.Do(func() { level = slog.LevelWarn })
	ctx := context.Background()
	if n.logger.Enabled(ctx, level) {
		n.logger.Log(ctx, level, "upstream sent "+what+"; it is ignored", "server", n.server, "line", n.shown(headOf(line), 200))
	}
}

// lateTask logs the task of a call that has ended.
func (n notes) lateTask() {
	n.logger.Info("upstream answered a call that has ended with a task; cancelling the task", "server", n.server)
}

// refused logs a request of the server that this client does not offer.
func (n notes) refused(method string) {
	n.logger.Warn("upstream asked for something that is not offered", "server", n.server, "method", n.shown(method, 100))
}

// uncheckable logs a schema of the server that cannot be used.
func (n notes) uncheckable(tool string, err error) {
	n.logger.Debug("upstream has an inputSchema that cannot be used; arguments are not checked",
		"server", n.server, "tool", n.shown(tool, 200), "error", n.shown(err.Error(), 300))
}

// stderrLogger returns a function that logs a line of stderr; nil when the log does not
// want it.
func (n notes) stderrLogger() func(line string) {
	if !n.logger.Enabled(context.Background(), slog.LevelDebug) {
		return nil
	}
	return func(line string) {
		n.logger.Debug("upstream stderr", "server", n.server, "line", n.shown(line, stderrLine))
	}
}

// message logs a log message that the server sent by the protocol.
func (n notes) message(params []byte) {
	if params != nil && n.logger.Enabled(context.Background(), slog.LevelDebug) {
		n.logger.Debug("upstream log", "server", n.server, "message", n.shown(headOf(params), stderrLine))
	}
}

const (
	stderrMost     = 64 << 10 // bytes of a server's stderr that are held
	stderrLine     = 4 << 10  // longest line shown
	stderrLineRoom = 8 << 10  // longest line held: it is redacted before it is truncated
)

// colour matches what colours the text of a terminal. It is left out, so that the text stays readable.
var colour = wording.Pattern("\x1b\\[[0-9;:]*m")

// stderrRing holds the last lines that a server wrote to its stderr.
type stderrRing struct {
	mu    sync.Mutex // guards the fields below
	lines []string
	size  int
	total int // lines ever written
}

// drain reads until the end, so that the server never blocks, and passes each line to
// seen unless that is nil.
func (r *stderrRing) drain(in io.Reader, seen func(string)) {
	reader := bufio.NewReaderSize(in, stderrLineRoom)
	inside := false // a line whose head is held already
	for {
		part, err := reader.ReadSlice('\n')
		if len(part) > 0 && !inside {
			line := strings.TrimRight(string(part), "\r\n")
			if errors.Is(err, bufio.ErrBufferFull) {
				line = wording.Truncate(line, stderrLineRoom-1)
			}
			r.add(line)
			if seen != nil {
				seen(line)
			}
		}
		inside = errors.Is(err, bufio.ErrBufferFull)
		if err != nil && !inside {
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
	for r.size > stderrMost && drop < len(r.lines)-1 {
		r.size -= len(r.lines[drop])
		r.lines[drop] = ""
		drop++
	}
	r.lines = r.lines[drop:]
}

// mark returns the number of lines written so far, for tail; 0 when r is nil.
func (r *stderrRing) mark() int {
	if r == nil {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.total
}

// tailLines is how many lines of stderr an error shows: the usual stack trace begins
// within them.
const tailLines = 10

// tail returns the last non-empty lines written after mark, as note shows them; none when
// r is nil.
func (r *stderrRing) tail(mark int, note notes) []string {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	lines := slices.Clone(r.lines[max(0, len(r.lines)-max(0, r.total-mark)):])
	r.mu.Unlock()
	var shown []string
	for i := len(lines) - 1; i >= 0 && len(shown) < tailLines; i-- {
		if line := note.shown(lines[i], stderrLine); strings.TrimSpace(line) != "" {
			shown = append(shown, line)
		}
	}
	slices.Reverse(shown)
	return shown
}

// presentable returns text of at most limit bytes in one line: characters that could forge lines or
// change a terminal are escaped.
func presentable(text string, limit int) string {
	text = strings.ReplaceAll(text, "\t", " ")
	return wording.Truncate(strings.ReplaceAll(wording.Printable(text), "\n", `\n`), limit)
}

// plain returns a text without the characters that presentable escapes, which may hide a secret.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if wording.IsHidden(r) || r == '\n' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}
