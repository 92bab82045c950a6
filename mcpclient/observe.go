package mcpclient

import (
	"cmp"
	"context"
	"strconv"

	"toolgraph/config"
)

// Observer observes the sessions with servers and the requests on them; not the programs of servers
// of type exec, which have neither. Several goroutines call it at once.
type Observer interface {
	// Sending reports a request that is about to be sent; answered is called once, with the answer's
	// error or nil. ctx is that of the call. A result with isError is no error here.
	Sending(ctx context.Context, r Sending) (answered func(err error))
	// Started reports how a start of a server ended: with nil, or an *Error. What Toolgraph itself has ended is not
	// reported.
	Started(server string, why error)
	// Opened reports a session after its handshake; ended is called once, with the reason of its end,
	// nil when this process has ended it.
	Opened(p Peer) (ended func(why error))
}

// Peer is the other side of a session.
type Peer struct {
	Server   string // its name in the file
	Protocol string // the version; "" during the handshake
	Host     string // of its address; "" for a program on this machine
	Port     int    // likewise; 0
}

// Sending is a request, without what it asks.
type Sending struct {
	Peer
	Method  string
	Tool    string // of tools/call
	ID      string // "" of a handshake: the library chooses it
	Session string // as the server names it; "" for none
}

// WithObserver sets who observes sessions and requests.
func WithObserver(o Observer) Option { return func(set *options) { set.observer = o } }

// peerOf returns what is known of a server before its handshake.
func peerOf(conf settings) Peer {
	p := Peer{Server: conf.Name.Value}
	if conf.isLocal() {
		return p
	}
	if address, err := addressOf(conf); err == nil {
		p.Host = address.Hostname()
		p.Port, _ = strconv.Atoi(cmp.Or(address.Port(), map[string]string{"http": "80", "https": "443"}[address.Scheme])) // a valid URL has a valid port
	}
	return p
}

// sending reports a request; id is "" for that of a handshake.
func (s *session) sending(ctx context.Context, method, tool, id string) (answered func(error)) {
	r := Sending{Peer: s.peer, Method: method, Tool: tool, ID: id, Session: s.link.GetSessionId()}
	r.Protocol = s.version
	return s.observer.Sending(ctx, r)
}

// started reports a start that has ended.
func (u *upstream) started(why *Error) {
	if u.opts.observer == nil || u.conf.Transport == config.Exec {
		return
	}
	if why != nil {
		u.opts.observer.Started(u.conf.Name.Value, why)
		return
	}
	u.opts.observer.Started(u.conf.Name.Value, nil)
}

// opened reports a session until it ends.
func (u *upstream) opened(s *session) {
	p := s.peer
	p.Protocol = s.version
	ended := s.observer.Opened(p)
	u.tasks.Go(func() {
		<-s.link.dead()
		if why := s.link.failure(); why != nil && why.Code != CodeClosed {
			ended(why)
			return
		}
		ended(nil)
	})
}

// JSONRPCCode returns the code, for callers that do not import this package.
func (f *rpcError) JSONRPCCode() int { return f.code }
