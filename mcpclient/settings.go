package mcpclient

import (
	"cmp"
	"net"
	"time"

	"toolgraph/config"
)

const messageMost = 64 << 20 // bytes of one message of a server

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

// settingsOf returns the limits of a server's entry; a limit that is zero has its default.
func settingsOf(u *config.Upstream) settings {
	return settings{
		callTimeout:  cmp.Or(u.Timeout, config.DefaultTimeout),
		startTimeout: cmp.Or(u.StartTimeout, config.DefaultStartTimeout),
		maxInFlight:  cmp.Or(u.MaxInFlight, config.DefaultMaxInFlight),
		protocol:     cmp.Or(u.Protocol, config.ProtocolAuto),
		allowPrivate: u.AllowPrivate, namesLoopback: u.NamesLoopback, maxMessage: messageMost,
	}
}
