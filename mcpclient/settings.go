package mcpclient

import (
	"time"

	"toolgraph/config"
)

// protocol is which era of MCP is spoken with a server.
type protocol string

// The protocols a file may ask for.
const (
	protocolAuto   protocol = "auto"   // the handshake of the older revisions, else the stateless one
	protocolLegacy protocol = "legacy" // initialize, up to 2025-11-25
	protocolModern protocol = "modern" // server/discover, 2026-07-28
)

// settings are the limits of one server, defaults filled in.
type settings struct {
	callTimeout  time.Duration
	startTimeout time.Duration
	maxInFlight  int
	protocol     protocol
	allowPrivate bool
	maxMessage   int // bytes of one message of the server
}

// settingsOf is the one place where a server's entry becomes limits.
func settingsOf(*config.Upstream) settings {
	return settings{
		callTimeout:  60 * time.Second,
		startTimeout: 30 * time.Second,
		maxInFlight:  256,
		protocol:     protocolAuto,
		maxMessage:   64 << 20,
	}
}
