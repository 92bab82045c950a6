package cli

import (
	"context"

	"toolgraph/internal/serving/server"
)

// share makes a server one of those that share its run history: any of them answers a call, whichever
// has its run. Runs that are made elsewhere are shared there.
func (l *loaded) share(opts *server.Options, overHTTP bool) {
	if l.history == nil || l.elsewhere != nil {
		return
	}
	l.fleet = newFleet(l.session)
	if overHTTP { // all messages of a client of stdio come to this process
		opts.Fleet = l.fleet
	}
}

// listens completes the options of a server that listens. The function is called with its address before clients are
// served; nil: nothing is to be done.
func (l *loaded) listens(ctx context.Context, opts *server.HTTPOptions) (listening func(address string) error) {
	opts.Metrics = l.metrics
	if l.fleet == nil {
		return nil
	}
	opts.Ready = l.fleet.ready()
	return func(address string) error { return l.fleet.serveAt(ctx, address) }
}
