package registry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// member is a key of a JSON object and its value as it is written.
type member struct {
	name  string
	value json.RawMessage
}

// membersOf returns the members of a JSON object in their order.
func membersOf(raw []byte) ([]member, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if open, err := dec.Token(); err != nil {
		return nil, err
	} else if open != json.Delim('{') {
		return nil, fmt.Errorf("found %v, expected an object", open)
	}
	var members []member
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		m := member{name: key.(string)} //nolint:forcetypeassert // keys of objects are strings
		if find(members, m.name) >= 0 {
			return nil, fmt.Errorf("the key %q occurs twice", m.name)
		}
		if err := dec.Decode(&m.value); err != nil {
			return nil, err
		}
		members = append(members, m)
	}
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("found more after the object")
	}
	return members, nil
}

func find(members []member, name string) int {
	return slices.IndexFunc(members, func(m member) bool { return m.name == name })
}

// object returns members as a JSON object.
func object(members []member) []byte {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			b.WriteByte(',')
		}
		name, _ := json.Marshal(m.name) // never fails for a string
		b.Write(name)
		b.WriteByte(':')
		b.Write(m.value)
	}
	b.WriteByte('}')
	return b.Bytes()
}
