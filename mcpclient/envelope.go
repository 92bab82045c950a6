package mcpclient

import (
	"bytes"
	"errors"

	"toolgraph/expressions/value"
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
	s := value.NewScanner(src)
	if s.Peek() != open {
		return false
	}
	more, err := s.Open(1)
	for more && err == nil {
		var name, raw []byte
		if open == '{' {
			name, _, err = s.Key()
		}
		if err == nil {
			raw, err = s.Skip()
		}
		if err != nil {
			return false
		}
		found(name, raw)
		more, err = s.Next(open + 2) // in ASCII, ] is two after [, and } two after {
	}
	return err == nil && s.End() == nil
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
