package cli

import (
	"context"

	"toolgraph/internal/serving/server"
)

// share makes a server one of those that share its run history: any of them answers a call, whichever
// has its run. Runs that are made elsewhere are shared there.
func (l *loaded) share(ctx context.Context, opts *server.Options, listen *httpListener) {
	if l.history == nil || l.elsewhere != nil {
		return
	}
	l.fleet = newFleet(l.session)
	if listen == nil { // all messages of a client of stdio come to this process
		return
	}
	opts.Fleet = l.fleet
	listen.options.Ready = l.fleet.ready()
	listen.listening = func(address string) error { return l.fleet.serveAt(ctx, address) }
}
