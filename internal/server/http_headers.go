package server

import (
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"

	"toolgraph/config"
	"toolgraph/expressions/schema"
	"toolgraph/internal/wording"
)

// era tells to which era a request belongs, and checks that its headers say what its
// body says: those who route by headers must not be told something else.
func (d *door) era(h http.Header, m *message) (era, *rpcError) {
	for _, name := range []string{mcp.HeaderProtocolVersion, mcp.HeaderMethod, mcp.HeaderName} {
		if len(h.Values(name)) > 1 {
			return refused, mismatch("the header " + name + " stands there twice")
		}
	}
	header, version := h.Get(mcp.HeaderProtocolVersion), text(m.version)
	switch {
	case !mcp.IsModernProtocol(header) && !mcp.IsModernProtocol(version):
		if header != "" && !mcp.IsValidProtocolVersion(header) {
			return refused, invalidRequest("the protocol version " + wording.Quote(header) + " is not known; the latest is " + mcp.LATEST_PROTOCOL_VERSION)
		}
		return legacy, nil
	case header == "":
		return refused, mismatch("the header " + mcp.HeaderProtocolVersion + " is missing, expected " + wording.Quote(version) + " as in _meta")
	case m.version == nil:
		return refused, invalidParams("_meta: " + mcp.MetaKeyProtocolVersion + " is missing, expected " + wording.Quote(header) + " as in the header")
	case header != version:
		return refused, mismatch("the header " + mcp.HeaderProtocolVersion + " is " + wording.Quote(header) + ", and _meta says " + wording.Quote(version))
	}
	at := m.era()
	if at == refused {
		return refused, nil // the library says why
	}
	if err := mcp.ValidateStandardHeaders(h.Get, version, mcp.MCPMethod(text(m.method)), m.params); err != nil {
		return refused, mismatch(err.Error())
	}
	return at, nil
}

func mismatch(message string) *rpcError {
	return &rpcError{code: mcp.HEADER_MISMATCH, message: message}
}

// checkHeaders checks the arguments that travel in headers as well, which the tool's
// inputSchema marks by x-mcp-header. Only the modern era knows them.
func (t *tool) checkHeaders(h http.Header, m *message, at era) *rpcError {
	if at != modern {
		return nil
	}
	lookUp := func(name string) (string, bool) {
		values := h.Values(name)
		if len(values) != 1 {
			return "", false // two are as wrong as none
		}
		return values[0], true
	}
	if err := mcp.ValidateParamHeadersLookup(lookUp, t.forHeaders(), m.params); err != nil {
		return mismatch(err.Error())
	}
	return nil
}

// prepareHeaders notes whether there are such arguments, and tells what is wrong with
// them.
func (t *tool) prepareHeaders(found *config.Diagnostics) {
	mark := schema.Find(t.def.InputSchema, "x-mcp-header")
	if mark == nil {
		return
	}
	t.headers = true
	if err := mcp.ValidateParamHeaderAnnotations(t.forHeaders()); err != nil {
		found.Add(mark.Pos, "schema-header", "inputSchema: "+err.Error(), "clients leave out a tool whose x-mcp-header they cannot use")
	}
}

// forHeaders is the tool as the library wants it to look for x-mcp-header.
func (t *tool) forHeaders() *mcp.Tool {
	return &mcp.Tool{Name: t.name, RawInputSchema: t.input.JSON()}
}
