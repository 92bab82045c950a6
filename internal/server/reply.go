package server

import (
	"strconv"

	"github.com/mark3labs/mcp-go/mcp"

	"toolgraph/expressions/value"
)

// The JSON-RPC error codes that we answer with.
const (
	codeParse          = mcp.PARSE_ERROR
	codeInvalidRequest = mcp.INVALID_REQUEST
	codeMethodNotFound = mcp.METHOD_NOT_FOUND
	codeInvalidParams  = mcp.INVALID_PARAMS
	codeInternal       = mcp.INTERNAL_ERROR
)

// rpcError is a request that we refuse: the client's fault, not the tool's.
type rpcError struct {
	code    int
	message string
	data    []byte // JSON that goes along, or nil
}

func invalidRequest(message string) *rpcError {
	return &rpcError{code: codeInvalidRequest, message: message}
}

func invalidParams(message string) *rpcError {
	return &rpcError{code: codeInvalidParams, message: message}
}

func (e *rpcError) Error() string { return e.message }

// appendRefusal appends a whole error line.
func (s *Server) appendRefusal(dst, id []byte, e *rpcError) []byte {
	dst = appendHead(dst, id)
	dst = append(dst, `"error":{"code":`...)
	dst = strconv.AppendInt(dst, int64(e.code), 10)
	dst = append(dst, `,"message":`...)
	dst = value.AppendString(dst, s.redact(e.message))
	if e.data != nil {
		dst = append(append(dst, `,"data":`...), e.data...)
	}
	return append(dst, "}}\n"...)
}

// appendAnswer appends a whole result line; result is a JSON object.
func appendAnswer(dst, id, result []byte) []byte {
	dst = appendHead(dst, id)
	dst = append(dst, `"result":`...)
	dst = append(dst, result...)
	return append(dst, "}\n"...)
}

func appendHead(dst, id []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, id...)
	return append(dst, ',')
}
