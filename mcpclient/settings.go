package mcpclient

import (
	"net"
	"time"

	"toolgraph/config"
)

// The limits of a server whose entry says nothing of them.
const (
	defaultCall     = 60 * time.Second
	defaultStart    = 30 * time.Second
	defaultInFlight = 256
	messageMost     = 64 << 20 // bytes of one message of a server
)

// settings are the limits of one server, defaults filled in.
type settings struct {
	callTimeout  time.Duration
	startTimeout time.Duration
	maxInFlight  int
	protocol     config.Protocol
	allowPrivate bool
	maxMessage   int

	namesLoopback bool                        // see config.Upstream.NamesLoopback
	resolver      *net.Resolver               // nil: the system's; tests bring another
	connected     func(host, to string) error // nil; tests see and refuse connections with it
}

// settingsOf is the one place where a server's entry becomes limits.
func settingsOf(u *config.Upstream) settings {
	s := settings{
		callTimeout: u.Timeout, startTimeout: u.StartTimeout, maxInFlight: u.MaxInFlight,
		protocol: u.Protocol, allowPrivate: u.AllowPrivate, maxMessage: messageMost,
		namesLoopback: u.NamesLoopback,
	}
	if s.callTimeout <= 0 {
		s.callTimeout = defaultCall
	}
	if s.startTimeout <= 0 {
		s.startTimeout = defaultStart
	}
	if s.maxInFlight <= 0 {
		s.maxInFlight = defaultInFlight
	}
	if s.protocol == "" {
		s.protocol = config.ProtocolAuto
	}
	return s
}
