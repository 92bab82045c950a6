package mcpclient

import (
	"log/slog"

	"toolgraph/config"
)

// selfCommand is a bare command that means our own executable.
type selfCommand struct{ name, path string }

type options struct {
	logger  *slog.Logger
	secrets *config.Secrets
	name    string // who we tell servers that we are
	version string
	self    selfCommand
	elicit  Elicitor  // nil: no server may ask
	check   ToolCheck // nil: tools are called whatever their servers tell of them
	tokens  string    // the directory of tokens; "" is the user's own
	clock   clock
	began   func(server string) // told each server whose program is started
	adjust  func(*settings)     // tests shorten limits with it
}

// Option changes a new Pool.
type Option func(*options)

// WithLogger sets where the pool logs; without it, nowhere.
func WithLogger(l *slog.Logger) Option {
	return func(o *options) {
		if l != nil {
			o.logger = l
		}
	}
}

// WithSecrets sets what is redacted in logs and errors.
func WithSecrets(s *config.Secrets) Option { return func(o *options) { o.secrets = s } }

// WithClientInfo sets the name and version that servers are told.
func WithClientInfo(name, version string) Option {
	return func(o *options) { o.name, o.version = name, version }
}

// WithTokenDir sets the directory in which tokens of logins are kept, for our user
// alone. Without it, it is toolgraph/tokens in the user's configuration directory.
func WithTokenDir(dir string) Option { return func(o *options) { o.tokens = dir } }

// WithStartNotice has told called with the name of each server when its program has been
// started and is expected to answer. It must be quick, and safe for concurrent use.
func WithStartNotice(told func(server string)) Option {
	return func(o *options) {
		if told != nil {
			o.began = told
		}
	}
}

// WithSelf makes the command name, exactly, mean the executable at path, so that a
// graph can use the servers built into it without its being installed.
func WithSelf(name, path string) Option {
	return func(o *options) { o.self = selfCommand{name: name, path: path} }
}
