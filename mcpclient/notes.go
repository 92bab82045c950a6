package mcpclient

import (
	"context"
	"log/slog"
	"sync"

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
