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
	if !split(src, '{', nil, found) {
		return errNotObject
	}
	return nil
}

// field is a member to pick, and where its value goes.
type field struct {
	name    string
	into    *[]byte
	decoded *value.Value // not nil: where the value goes if it is large and was decoded at once; else it is nil
}

// pick reads some members of the JSON object in src, under the terms of members. Names are
// matched exactly, and the last of two equal ones counts.
func pick(src []byte, fields ...field) error {
	var latest *field
	var decoded value.Value
	take := func(s *value.Scanner, name []byte) (ok bool) {
		latest, decoded = nil, nil
		for i := range fields {
			if fields[i].name == string(name) {
				latest = &fields[i]
			}
		}
		if left := len(src) - s.Pos(); latest == nil || latest.decoded == nil || left < largeResult || 2*left < len(src) {
			return false // a small value would have all of src in memory
		}
		if c := s.Peek(); c != '{' && c != '[' {
			return false
		}
		var err error
		decoded, err = s.Take()
		return err == nil // else it is decoded again, for its error
	}
	ok := split(src, '{', take, func(_, raw []byte) {
		if latest == nil {
			return
		}
		if *latest.into = raw; latest.decoded != nil {
			*latest.decoded = decoded
		}
	})
	if !ok {
		return errNotObject
	}
	return nil
}

// largeResult is the length in bytes of a value from which it is not copied: it has the message in memory.
const largeResult = 64 << 10

// elements calls found with the raw bytes of each element of the JSON array in src,
// under the terms of members.
func elements(src []byte, found func(value []byte)) error {
	if !split(src, '[', nil, func(_, value []byte) { found(value) }) {
		return errNotArray
	}
	return nil
}

// split reports whether src is one object or array, which begins with open. take, if not nil, may pass a value; else it is
// skipped.
func split(src []byte, open byte, take func(s *value.Scanner, name []byte) bool, found func(name, value []byte)) bool {
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
		if start := s.Pos(); err == nil && take != nil && take(&s, name) {
			raw = src[start:s.Pos()]
		} else if err == nil {
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
	err := pick(line, field{name: "id", into: &e.id}, field{name: "method", into: &e.method}, field{name: "params", into: &e.params},
		field{name: "result", into: &e.result}, field{name: "error", into: &e.fail})
	if bytes.Equal(e.id, []byte("null")) {
		e.id = nil
	}
	return e, err
}
