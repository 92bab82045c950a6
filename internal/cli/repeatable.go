package cli

import (
	"toolgraph/internal/lock"
	"toolgraph/internal/project"
	"toolgraph/internal/server"
	"toolgraph/mcpclient"
)

// toolHints tells what is known of an upstream tool's effects.
type toolHints func(upstream, tool string) (server.Hints, bool)

// hintsOf is what the lock says, else what a server has said so far; l may be nil.
func hintsOf(pool *mcpclient.Pool, l *lock.Lock) toolHints {
	return func(upstream, tool string) (server.Hints, bool) {
		if l != nil {
			e, known := l.Entry(upstream, tool)
			return server.Hints(e.Hints()), known
		}
		known, ok := pool.Known(upstream, tool)
		return server.Hints(lock.HintsOf(known.Annotations)), ok
	}
}

// repeatable tells which tools may be called twice: those of which a server that the
// file trusts says that they are read-only or idempotent.
func repeatable(p *project.Project, hints toolHints) func(upstream, tool string) bool {
	trusted := map[string]bool{}
	for _, u := range p.File.Servers {
		trusted[u.Name.Value] = u.Trusted
	}
	return func(upstream, tool string) bool {
		if hints == nil || !trusted[upstream] {
			return false
		}
		said, known := hints(upstream, tool)
		return known && (isTrue(said.ReadOnly) || isTrue(said.Idempotent))
	}
}

func isTrue(b *bool) bool { return b != nil && *b }
