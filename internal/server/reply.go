package server

import (
	"strconv"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
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

func (e *rpcError) Error() string { return e.message }

// appendRefusal appends a whole error line.
func (s *Server) appendRefusal(dst, id []byte, e *rpcError) []byte {
	dst = appendHead(dst, id)
	dst = append(dst, `"error":{"code":`...)
	dst = strconv.AppendInt(dst, int64(e.code), 10)
	dst = append(dst, `,"message":`...)
	dst = appendString(dst, s.redact(e.message))
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

const hexDigits = "0123456789abcdef"

// appendString appends text as a JSON string. What is no UTF-8 becomes U+FFFD, so
// that a line is always UTF-8; the rest stands as it is, without HTML escapes.
func appendString[T string | []byte](dst []byte, text T) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(text); {
		c := text[i]
		if c >= utf8.RuneSelf {
			r, size := decodeRune(text, i)
			if r == utf8.RuneError && size == 1 {
				dst = append(dst, text[start:i]...)
				dst = append(dst, "\uFFFD"...)
				start = i + size
			}
			i += size
			continue
		}
		if c >= 0x20 && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = append(dst, text[start:i]...)
		dst = appendEscape(dst, c)
		i++
		start = i
	}
	dst = append(dst, text[start:]...)
	return append(dst, '"')
}

func decodeRune[T string | []byte](text T, at int) (rune, int) {
	end := min(at+utf8.UTFMax, len(text))
	return utf8.DecodeRuneInString(string(text[at:end]))
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}
