package mcpclient

import (
	"bytes"
	"errors"
	"strings"
)

var (
	errNotObject = errors.New("not a JSON object")
	errNotArray  = errors.New("not a JSON array")
)

// members calls found for each member of the JSON object in src, with the raw bytes
// of its name (without the quotes, escapes as they are) and of its value. It reads
// src once and checks of a value only where it ends: its decoder checks the rest.
// Results of many megabytes are split this way without being decoded twice.
func members(src []byte, found func(name, value []byte)) error {
	if !split(src, '{', found) {
		return errNotObject
	}
	return nil
}

// field is a member to pick, and where its value goes.
type field struct {
	name string
	into *[]byte
}

// pick reads some members of the JSON object in src, under the terms of members. Names are
// matched exactly, and the last of two equal ones counts.
func pick(src []byte, fields ...field) error {
	return members(src, func(name, value []byte) {
		for _, f := range fields {
			if f.name == string(name) {
				*f.into = value
			}
		}
	})
}

// elements calls found with the raw bytes of each element of the JSON array in src,
// under the terms of members.
func elements(src []byte, found func(value []byte)) error {
	if !split(src, '[', func(_, value []byte) { found(value) }) {
		return errNotArray
	}
	return nil
}

// split reports whether src is one object or array, which begins with open.
func split(src []byte, open byte, found func(name, value []byte)) bool {
	at := func(i int) byte {
		if i < len(src) {
			return src[i]
		}
		return 0
	}
	i := skipSpace(src, 0)
	if at(i) != open {
		return false
	}
	closing := open + 2 // in ASCII, ] is two after [, and } two after {
	i = skipSpace(src, i+1)
	for first := true; !first || at(i) != closing; first = false {
		var name []byte
		if open == '{' {
			if at(i) != '"' {
				return false
			}
			end := skipString(src, i)
			if end < 0 {
				return false
			}
			name = src[i+1 : end-1]
			if i = skipSpace(src, end); at(i) != ':' {
				return false
			}
			i = skipSpace(src, i+1)
		}
		end := skipValue(src, i)
		if end < 0 {
			return false
		}
		found(name, src[i:end])
		i = skipSpace(src, end)
		if at(i) == closing {
			break
		}
		if at(i) != ',' {
			return false
		}
		i = skipSpace(src, i+1)
	}
	return skipSpace(src, i+1) == len(src)
}

func skipSpace(src []byte, i int) int {
	for i < len(src) && (src[i] == ' ' || src[i] == '\n' || src[i] == '\t' || src[i] == '\r') {
		i++
	}
	return i
}

// skipString returns the index after the string that begins at i, or -1.
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

// skipValue returns the index after the value that begins at i, or -1.
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
			if depth--; depth < 0 {
				return -1
			}
			i++
		case ' ', '\n', '\t', '\r', ',', ':':
			if depth == 0 {
				return -1
			}
			i++
			continue
		default:
			for i < len(src) && strings.IndexByte(" \n\t\r,:{}[]\"", src[i]) < 0 {
				i++
			}
		}
		if depth == 0 {
			return i
		}
	}
	return -1
}

// envelope is one JSON-RPC message; its fields are slices of the line.
type envelope struct {
	id, method, params, result, fail []byte
}

// readEnvelope splits a line.
func readEnvelope(line []byte) (envelope, error) {
	var e envelope
	err := pick(line, field{"id", &e.id}, field{"method", &e.method}, field{"params", &e.params},
		field{"result", &e.result}, field{"error", &e.fail})
	if bytes.Equal(e.id, []byte("null")) {
		e.id = nil
	}
	return e, err
}
