package mcpclient

import (
	"errors"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// probe is a handshake of the modern era over HTTP, and what server/discover has answered: the library
// falls back to initialize after any failure, and reports the failure of that. Used by one goroutine; a
// nil probe notes nothing.
type probe struct {
	fault    error // of the last server/discover
	repeated bool
}

// again notes the answer to server/discover and reports whether to ask once more: a server that refuses
// the version has to name those that it accepts, and may accept the same in another try.
func (p *probe) again(resp *transport.JSONRPCResponse, err error) bool {
	if p == nil {
		return false
	}
	if p.fault = err; err != nil || resp.Error == nil {
		return false
	}
	p.fault = resp.Error.AsError()
	var unsupported mcp.UnsupportedProtocolVersionError
	first := !p.repeated
	p.repeated = true
	return first && errors.As(p.fault, &unsupported) &&
		mcp.NegotiateMutuallySupportedVersion(unsupported.Supported) == mcp.LATEST_PROTOCOL_VERSION
}

// refusal is the error of a server that has no handshake of the modern era.
func (p *probe) refusal() error {
	if p.fault == nil {
		return errors.New("server/discover has failed")
	}
	return p.fault
}
