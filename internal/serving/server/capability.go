package server

import (
	"errors"
	"strings"
)

// lackingError is implemented by errors of calls that need a capability of their client.
type lackingError interface {
	// MissingCapability returns the capability that the client of the run has not declared, without which
	// the call failed; empty when that is not the reason. The run may be that of another call, and recorded.
	MissingCapability() string
}

// refusalOf returns the JSON-RPC error of a call without a result; or nil.
func (c *call) refusalOf(answer Answer, err error) *rpcError {
	if refusal := refusalOf(err); refusal != nil {
		return refusal
	}
	var failure lackingError
	if !c.modern || c.can.form || answer.Value != nil || !errors.As(err, &failure) || failure.MissingCapability() == "" {
		return nil
	}
	// A client of the legacy era declares its capabilities once, and gets the failure as a result.
	why, _, _ := strings.Cut(err.Error(), "\n")
	return &rpcError{
		code: codeMissingCapability, message: why,
		data: []byte(`{"requiredCapabilities":{"elicitation":{"form":{}}}}`),
	}
}
