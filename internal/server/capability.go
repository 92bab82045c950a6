package server

import (
	"errors"
	"strings"
)

// needsUser is implemented by errors of calls that need the user of their client.
type needsUser interface {
	// NeedsUser reports whether the call failed because that user cannot be asked.
	NeedsUser() bool
}

// refusalOf returns the JSON-RPC error of a call without a result; or nil.
func (c *call) refusalOf(answer Answer, err error) *rpcError {
	if refusal := refusalOf(err); refusal != nil {
		return refusal
	}
	var failure needsUser
	if !c.modern || c.can.form || answer.Value != nil || !errors.As(err, &failure) || !failure.NeedsUser() {
		return nil
	}
	// A client of the legacy era declares its capabilities once, and gets the failure as a result.
	why, _, _ := strings.Cut(err.Error(), "\n")
	return &rpcError{
		code: codeMissingCapability, message: why,
		data: []byte(`{"requiredCapabilities":{"elicitation":{"form":{}}}}`),
	}
}
