package mcpclient

import (
	"bytes"
	"errors"
)

var (
	errNotObject = errors.New("not a JSON object")
	errNotArray  = errors.New("not a JSON array")
)

// members calls found for each member of the JSON object in src, with the raw bytes
// of its name (without the quotes, escapes as they are) and of its value. It reads
// src once and does not check values beyond where they end: whoever decodes one
// does. Results of many megabytes are split this way without being decoded twice.
func members(src []byte, found func(name, value []byte)) error {
	i := skipSpace(src, 0)
	if i >= len(src) || src[i] != '{' {
		return errNotObject
	}
	i = skipSpace(src, i+1)
	for i < len(src) && src[i] != '}' {
		if src[i] != '"' {
			return errNotObject
		}
		end := skipString(src, i)
		if end < 0 {
			return errNotObject
		}
		name := src[i+1 : end-1]
		i = skipSpace(src, end)
		if i >= len(src) || src[i] != ':' {
			return errNotObject
		}
		i = skipSpace(src, i+1)
		if end = skipValue(src, i); end < 0 {
			return errNotObject
		}
		found(name, src[i:end])
		i = skipSpace(src, end)
		if i < len(src) && src[i] == ',' {
			i = skipSpace(src, i+1)
			if i >= len(src) || src[i] != '"' {
				return errNotObject
			}
		} else if i < len(src) && src[i] != '}' {
			return errNotObject
		}
	}
	if i >= len(src) || skipSpace(src, i+1) != len(src) {
		return errNotObject
	}
	return nil
}

// elements calls found with the raw bytes of each element of the JSON array in src,
// under the terms of members.
func elements(src []byte, found func(value []byte)) error {
	i := skipSpace(src, 0)
	if i >= len(src) || src[i] != '[' {
		return errNotArray
	}
	i = skipSpace(src, i+1)
	for i < len(src) && src[i] != ']' {
		end := skipValue(src, i)
		if end < 0 {
			return errNotArray
		}
		found(src[i:end])
		i = skipSpace(src, end)
		if i < len(src) && src[i] == ',' {
			if i = skipSpace(src, i+1); i < len(src) && src[i] == ']' {
				return errNotArray
			}
		} else if i < len(src) && src[i] != ']' {
			return errNotArray
		}
	}
	if i >= len(src) || skipSpace(src, i+1) != len(src) {
		return errNotArray
	}
	return nil
}

func skipSpace(src []byte, i int) int {
	for i < len(src) && (src[i] == ' ' || src[i] == '\n' || src[i] == '\t' || src[i] == '\r') {
		i++
	}
	return i
}

// skipString is the index after the string that begins at i, or -1.
func skipString(src []byte, i int) int {
	for at := i + 1; ; {
		q := bytes.IndexByte(src[at:], '"')
		if q < 0 {
			return -1
		}
		at += q
		slashes := 0
		for src[at-1-slashes] == '\\' {
			slashes++ // ends at the opening quote at the latest
		}
		if at++; slashes%2 == 0 {
			return at
		}
	}
}

// skipValue is the index after the value that begins at i, or -1.
func skipValue(src []byte, i int) int {
	depth := 0
	for i < len(src) {
		switch src[i] {
		case '"':
			if i = skipString(src, i); i < 0 {
				return -1
			}
		case '{', '[':
			depth++
			i++
			continue
		case '}', ']':
			if depth == 0 {
				return -1
			}
			depth--
			i++
		case ' ', '\n', '\t', '\r', ',', ':':
			if depth == 0 {
				return -1
			}
			i++
			continue
		default:
			for i < len(src) && !isDelimiter(src[i]) {
				i++
			}
		}
		if depth == 0 {
			return i
		}
	}
	return -1
}

func isDelimiter(c byte) bool {
	switch c {
	case ' ', '\n', '\t', '\r', ',', ':', '{', '}', '[', ']', '"':
		return true
	}
	return false
}

// envelope is one JSON-RPC message; its fields are slices of the line.
type envelope struct {
	id, method, params, result, fail []byte
}

// readEnvelope splits a line. Names are matched exactly, and the last of two equal
// ones counts.
func readEnvelope(line []byte) (envelope, error) {
	var e envelope
	err := members(line, func(name, value []byte) {
		switch string(name) {
		case "id":
			e.id = value
		case "method":
			e.method = value
		case "params":
			e.params = value
		case "result":
			e.result = value
		case "error":
			e.fail = value
		}
	})
	if bytes.Equal(e.id, []byte("null")) {
		e.id = nil
	}
	return e, err
}
