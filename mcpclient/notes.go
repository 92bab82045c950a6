package mcpclient

import (
	"context"
	"log/slog"
	"sync"

	"toolgraph/config"
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

// stray notes a line that fits nobody.
func (n notes) stray(what string, line []byte) {
	level := slog.LevelDebug
	n.strays.Do(func() { level = slog.LevelWarn })
	ctx := context.Background()
	if !n.logger.Enabled(ctx, level) {
		return
	}
	shown := presentable(n.redact(string(line[:min(len(line), stderrLineRoom)])), 200)
	n.logger.Log(ctx, level, "upstream sent "+what+"; it is ignored", "server", n.server, "line", shown)
}

// refused notes a request of the server that we do not serve.
func (n notes) refused(method string) {
	n.logger.Warn("upstream asked for something that is not offered", "server", n.server, "method", presentable(method, 100))
}

// uncheckable notes a schema of the server's that cannot be used.
func (n notes) uncheckable(tool string, err error) {
	n.logger.Debug("upstream has an inputSchema that cannot be used; arguments are not checked",
		"server", n.server, "tool", presentable(tool, 200), "error", presentable(n.redact(err.Error()), 300))
}

// said is told each line of stderr, or nil when nobody wants to know.
func (n notes) said() func(string) {
	if !n.logger.Enabled(context.Background(), slog.LevelDebug) {
		return nil
	}
	return func(line string) {
		n.logger.Debug("upstream stderr", "server", n.server, "line", presentable(n.redact(line), stderrLine))
	}
}

// message notes what a server logs by the protocol.
func (n notes) message(params []byte) {
	if params != nil && n.logger.Enabled(context.Background(), slog.LevelDebug) {
		shown := presentable(n.redact(string(params[:min(len(params), stderrLineRoom)])), stderrLine)
		n.logger.Debug("upstream log", "server", n.server, "message", shown)
	}
}
